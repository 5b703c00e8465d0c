"""A workload file tried on a target, one checkout after the other."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path

from readiness.adapters.mysql_script import open_script
from readiness.adapters.mysql_session import login_of
from readiness.config.settings import Settings
from readiness.flow.observing import SlowLogs, read_slow_logs
from readiness.model.workload import Workload
from readiness.ports import ScriptSession, Session
from readiness.wiring.targets import Target, gate, workload_at
from readiness.workload.make.compile import compile_flow
from readiness.workload.make.pools import read_pools
from readiness.workload.prove.check import CheckReport, Replay
from readiness.workload.prove.comparing import compare
from readiness.workload.prove.drift import Drift, drift_of
from readiness.workload.prove.fidelity import LEAST_FIDELITY
from readiness.workload.prove.pairing import match
from readiness.workload.schema import Schema, read_schema


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What to check: with slow logs also the rows of each statement. `is_strict` fails for drift."""

    workload: Path
    checkouts: int = 1
    logs: SlowLogs = field(default_factory=SlowLogs)
    least_fidelity: float = LEAST_FIDELITY
    is_strict: bool = False


def check_workload(request: CheckRequest, target: Target, settings: Settings) -> CheckReport:
    """Runs checkouts of a workload file as the account of the target's DSN.

    Raises WorkloadFileError, CaptureError and WorkloadError before anything is sent as load,
    TargetRefused, TargetUnavailable."""
    workload = workload_at(request.workload)
    gate(target, settings)()
    with target.session() as session:
        pools = read_pools(workload, session)
        schema = _schema(workload, session, target, is_needed=bool(request.logs.paths))
    matches = [match(workload, log) for log in read_slow_logs(request.logs, schema)]
    flow = compile_flow(workload, pools, namespace=secrets.token_bytes(8), seed=1)

    def open_one() -> ScriptSession:
        script = open_script(**login_of(target.dsn))
        if workload.set_names:
            script.run(workload.set_names.encode())
        return script

    replay = Replay(flow, open_one, workload if matches else None)
    report = replay.run(checkouts=request.checkouts)
    return replace(
        report,
        fidelity=compare(workload, matches, replay.runs) if matches else None,
        drift=drift_of(workload, schema),
        least_fidelity=request.least_fidelity,
        is_strict=request.is_strict,
    )


def drift_on(target: Target, workload: Workload) -> Drift:
    """What changed on a target since the workload was built. Raises WorkloadError, TargetError."""
    with target.session() as session:
        return drift_of(workload, _schema(workload, session, target))


def _schema(
    workload: Workload, session: Session, target: Target, *, is_needed: bool = False
) -> Schema:
    """The target's schema; an empty one where nothing is asked of it."""
    if workload.tables or is_needed:
        return read_schema(session, target.dsn.database)
    return Schema(target.dsn.database, "")

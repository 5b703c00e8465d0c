"""A workload file tried on a target, one checkout after the other."""

from __future__ import annotations

import secrets
from pathlib import Path

from readiness.adapters.mysql_script import open_script
from readiness.config.settings import Settings
from readiness.ports import ScriptSession
from readiness.wiring.targets import Target, gate, login_of, workload_at
from readiness.workload.check import CheckReport, check
from readiness.workload.compile import compile_flow
from readiness.workload.pools import read_pools


def check_workload(
    path: Path, target: Target, settings: Settings, *, checkouts: int
) -> CheckReport:
    """Runs `checkouts` checkouts of a workload file as the account of the target's DSN.

    Raises WorkloadFileError before the target is asked, TargetRefused, TargetUnavailable."""
    workload = workload_at(path)
    gate(target, settings)()
    with target.session() as session:
        pools = read_pools(workload, session)
    flow = compile_flow(workload, pools, namespace=secrets.token_bytes(8), seed=1)

    def open_one() -> ScriptSession:
        script = open_script(**login_of(target.dsn))
        if workload.set_names:
            script.run(workload.set_names.encode())
        return script

    return check(flow, open_one, checkouts=checkouts)

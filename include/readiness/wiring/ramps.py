"""A plan against a target, into a run folder: what `ramp`, `load`, the demo and the DAGs share."""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from readiness import __version__, interlock
from readiness.artifacts.run_folder import RunFolder
from readiness.config.plan import Plan
from readiness.config.settings import Settings
from readiness.errors import ConfigError
from readiness.flow.ramp import (
    Launch,
    Measured,
    RampPorts,
    RampRules,
    Watcher,
    calibrate,
    run_stages,
)
from readiness.model.load import Stage
from readiness.model.run import RunRecord
from readiness.model.workload import Workload
from readiness.ports import Progress
from readiness.wiring.targets import LoadSource, Target, gate, launcher, sampler
from readiness.workload.file import parse
from readiness.workload.pools import read_pools

CALIBRATION_CLIENTS = 8


@dataclass(frozen=True, slots=True)
class RampRequest:
    """What to run: the plan, the target, the workload file and where the run goes."""

    plan: Plan
    target: Target
    workload: Path
    folder: RunFolder


@dataclass(frozen=True, slots=True)
class PreparedRamp:
    """A ramp that may begin: the interlock agreed, the pools are read, the rates are known.

    `capacity_per_s` is what the calibration measured, 0 where the plan needs none."""

    request: RampRequest
    stages: tuple[Stage, ...]
    normal_rate_per_s: float
    capacity_per_s: float
    first_number: int
    workload: Workload
    launch: Launch
    gate: Callable[[], None]


def run_id_of(plan_name: str, now_s: float) -> str:
    """`demo-20261130t091204z`."""
    moment = datetime.fromtimestamp(now_s, tz=UTC)
    return f"{plan_name}-{moment:%Y%m%dt%H%M%Sz}"


def prepare_ramp(request: RampRequest, settings: Settings, *, progress: Progress) -> PreparedRamp:
    """Asks the interlock, reads the pools, calibrates where the plan says so.

    Raises TargetRefused before anything is sent as load, WorkloadError, LoadError."""
    ask = gate(request.target, settings)
    ask()
    source = _source(request)
    launch = launcher(request.target, source)
    capacity, first_number = _capacity(request.plan, launch, progress)
    normal = _normal_rate(request.plan, capacity)
    return PreparedRamp(
        request=request,
        stages=request.plan.stages_at(normal),
        normal_rate_per_s=normal,
        capacity_per_s=capacity,
        first_number=first_number,
        workload=source.workload,
        launch=launch,
        gate=ask,
    )


def run_ramp(prepared: PreparedRamp, watcher: Watcher) -> Measured:
    """Runs the stages and leaves a run folder that can be judged. Raises TargetRefused, LoadError,
    MetricsError; what was measured until then stands in the folder."""
    request, plan = prepared.request, prepared.request.plan
    record = _record(prepared)
    request.folder.write_run(record)
    request.folder.write_inputs(
        plan=plan.source.text.encode(),
        expectations=plan.expectations.read_bytes(),
        workload=request.workload.read_bytes(),
    )
    metrics = sampler(request.target)
    try:
        measured = run_stages(
            prepared.stages,
            plan.options,
            RampPorts(prepared.launch, metrics, prepared.gate, watcher),
            rules=RampRules(plan.abort, plan.validity),
            folder=request.folder,
            first_number=prepared.first_number,
        )
    finally:
        metrics.close()
    request.folder.write_run(replace(record, ended_at=time.time(), notes=measured.notes))
    return measured


def _source(request: RampRequest) -> LoadSource:
    """The workload and its pools, read before any load as the account that will load."""
    path = request.workload
    if not path.is_file():
        raise ConfigError(f"There is no workload file {path}.", hint="readiness workload build …")
    workload = parse(path.read_bytes(), path=path)
    with request.target.session() as session:
        pools = read_pools(workload, session)
    return LoadSource(workload, path, pools, secrets.token_hex(8), request.folder.path / "logs")


def _capacity(plan: Plan, launch: Launch, progress: Progress) -> tuple[float, int]:
    """Measured where the normal rate depends on it; and the next free checkout number."""
    asked = plan.flow.normal_rate
    if asked is None or not asked.needs_calibration:
        return 0.0, 0
    progress(f"calibrating for {asked.calibrate_s:g} s with {CALIBRATION_CLIENTS} clients")
    return calibrate(plan.options, launch, seconds=asked.calibrate_s, clients=CALIBRATION_CLIENTS)


def _normal_rate(plan: Plan, capacity_per_s: float) -> float:
    """Checkouts per second of a normal day; a short calibration supports two digits."""
    asked = plan.flow.normal_rate
    if asked is None:
        return 0.0
    rate = asked.at(capacity_per_s)
    return float(f"{rate:.2g}") if asked.needs_calibration else rate


def _record(prepared: PreparedRamp) -> RunRecord:
    plan, now_s = prepared.request.plan, time.time()
    return RunRecord(
        run_id=prepared.request.folder.path.name,
        plan=plan.name,
        flow=plan.flow.name,
        scope=plan.scope,
        seed=plan.options.seed,
        started_at=now_s,
        ended_at=now_s,
        normal_rate_per_s=prepared.normal_rate_per_s,
        peak_rate_per_s=plan.peak_rate(prepared.normal_rate_per_s),
        stages=prepared.stages,
        expectations=str(plan.expectations),
        target=_lineage(prepared.request.target),
        versions={"readiness": __version__, "python": platform.python_version()},
        hashes={
            "plan": plan.source.sha256,
            "workload": hashlib.sha256(prepared.request.workload.read_bytes()).hexdigest(),
        },
        workload=dict(prepared.workload.counts),
        clock={"wall_s": now_s, "monotonic_s": time.monotonic()},
    )


def _lineage(target: Target) -> dict[str, str]:
    with target.admin_session() as session:
        identity = interlock.describe(session)
    known = {
        "engine": f"{identity.engine} {identity.version}",
        "endpoint": str(target.endpoint),
        "host cores": str(os.cpu_count() or 1),
    }
    clone = target.clone
    if clone is None:
        return known
    return {**known, "clone": clone.name, "snapshot": clone.snapshot}

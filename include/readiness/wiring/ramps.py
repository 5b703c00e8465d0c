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

MakeWatcher = Callable[[tuple[Stage, ...], float], Watcher]
"""`watcher(stages, normal_rate_per_s)`, once the rates are known."""


@dataclass(frozen=True, slots=True)
class RampRequest:
    """What to run: the plan, the target, the workload file and where the run goes."""

    plan: Plan
    target: Target
    workload: Path
    folder: RunFolder


def run_id_of(plan_name: str, now_s: float) -> str:
    """`demo-20261130t091204z`."""
    moment = datetime.fromtimestamp(now_s, tz=UTC)
    return f"{plan_name}-{moment:%Y%m%dt%H%M%Sz}"


def run_ramp(
    request: RampRequest, settings: Settings, watch: MakeWatcher, *, progress: Progress
) -> Measured:
    """Runs the plan's stages and leaves a run folder that can be judged.

    Raises TargetRefused before anything is sent, WorkloadError, LoadError, MetricsError."""
    ask = gate(request.target, settings)
    ask()
    source = _source(request)
    launch = launcher(request.target, source)
    normal, first_number = _normal_rate(request, launch, progress)
    stages = request.plan.stages_at(normal)
    record = _record(request, source.workload, stages, normal)
    request.folder.write_run(record)
    request.folder.write_inputs(
        plan=request.plan.source.text.encode(), workload=source.path.read_bytes()
    )
    metrics = sampler(request.target)
    try:
        measured = run_stages(
            stages,
            request.plan.options,
            RampPorts(launch, metrics, ask, watch(stages, normal)),
            rules=RampRules(request.plan.abort, request.plan.validity),
            folder=request.folder,
            first_number=first_number,
        )
    finally:
        metrics.close()
    notes = (*record.notes, *measured.notes)
    request.folder.write_run(replace(record, ended_at=time.time(), notes=notes))
    return measured


def _source(request: RampRequest) -> LoadSource:
    """The workload and its pools; the pools are read as the administrator, before any load."""
    path = request.workload
    if not path.is_file():
        raise ConfigError(f"There is no workload file {path}.", hint="readiness workload build …")
    workload = parse(path.read_bytes(), path=path)
    with request.target.session() as session:
        pools = read_pools(workload, session)
    return LoadSource(workload, path, pools, secrets.token_hex(8), request.folder.path / "logs")


def _normal_rate(request: RampRequest, launch: Launch, progress: Progress) -> tuple[float, int]:
    """Checkouts per second of a normal day, measured where the plan says so; two digits are all
    that a short calibration supports."""
    asked = request.plan.flow.normal_rate
    if asked is None:
        return 0.0, 0
    if not asked.needs_calibration:
        return asked.rate_per_s, 0
    progress(f"calibrating for {asked.calibrate_s:g} s with {CALIBRATION_CLIENTS} clients")
    capacity, first_number = calibrate(
        request.plan.options, launch, seconds=asked.calibrate_s, clients=CALIBRATION_CLIENTS
    )
    normal = float(f"{asked.at(capacity):.2g}")
    progress(f"capacity {capacity:.3g}/s, so the normal rate is {normal:g}/s")
    return normal, first_number


def _record(
    request: RampRequest, workload: Workload, stages: tuple[Stage, ...], normal: float
) -> RunRecord:
    plan, now_s = request.plan, time.time()
    return RunRecord(
        run_id=request.folder.path.name,
        plan=plan.name,
        flow=plan.flow.name,
        scope=plan.scope,
        seed=plan.options.seed,
        started_at=now_s,
        ended_at=now_s,
        normal_rate_per_s=normal,
        peak_rate_per_s=plan.peak_rate(normal),
        stages=stages,
        expectations=str(plan.expectations),
        target=_lineage(request.target),
        versions={"readiness": __version__, "python": platform.python_version()},
        hashes={
            "plan": plan.source.sha256,
            "workload": hashlib.sha256(request.workload.read_bytes()).hexdigest(),
        },
        workload=dict(workload.counts),
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

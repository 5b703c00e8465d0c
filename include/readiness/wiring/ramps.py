"""A plan against a target, into a run folder: what `ramp`, `load`, the demo and the DAGs share."""

from __future__ import annotations

import hashlib
import platform
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from readiness import __version__
from readiness.adapters.shard_relay import serve_shard
from readiness.artifacts.lock import RunLock
from readiness.artifacts.run_folder import RunFolder
from readiness.config.masking import unmasked_words
from readiness.config.plan import Plan
from readiness.config.settings import Settings
from readiness.errors import ConfigError
from readiness.flow.asked import Asked
from readiness.flow.preflight import Crew, require
from readiness.flow.ramp import (
    CompanionLoad,
    Launch,
    StagePorts,
    StageRules,
    Watcher,
    calibrate,
    run_believable_stage,
)
from readiness.load.calibrate import capacity as capacity_of
from readiness.load.coordinator import Stopping, never
from readiness.load.messages import Assignment
from readiness.model.load import Stage, StageResult
from readiness.model.run import RunRecord
from readiness.model.workload import Workload
from readiness.ports import Progress, WorkerProcess
from readiness.wiring.checks import drift_on
from readiness.wiring.fidelities import fidelity_score
from readiness.wiring.flows import (
    FlowPlace,
    filter_bytes,
    gate_all,
    hold_all,
    places_of,
    require_enough_values,
    require_readable,
)
from readiness.wiring.invariants import read_after, read_before, require_reading
from readiness.wiring.lineage import lineage_of
from readiness.wiring.preflights import CALIBRATION_CLIENTS, Place, require_room
from readiness.wiring.production import watch_of, with_watched
from readiness.wiring.shards import post_of, shard_of, spread
from readiness.wiring.targets import (
    LoadSource,
    Target,
    end_statements,
    gate,
    launcher,
    sampler,
    source_at,
    starter,
)

LOGS = "logs"  # of the workers, in the run folder
_LEASE_SPARE_S = 1800.0  # for drains, judging and a look around


@dataclass(frozen=True, slots=True)
class RampRequest:
    """What to run: the plan, the target, the workload file of its first flow and where the run goes.
    Those of the flows beside it stand in the plan; `reader` is the endpoint for such as only read.
    `stopping` says why the load must end before its time."""

    plan: Plan
    target: Target
    workload: Path
    folder: RunFolder
    stopping: Stopping = never
    reader: Target | None = None

    @property
    def places(self) -> tuple[FlowPlace, ...]:
        """The flows beside the first, and where they go. Raises ConfigError where that is unknown."""
        return places_of(self.plan, self.target, self.reader)

    @property
    def targets(self) -> tuple[Target, ...]:
        """Every endpoint that is loaded."""
        is_read = any(flow.is_read for flow in self.plan.companions)
        return (self.target, self.reader) if self.reader and is_read else (self.target,)

    @property
    def logs(self) -> Path:
        """The folder of the workers' logs."""
        return self.folder.path / LOGS


def kept_request(plan: Plan, target: Target, folder: RunFolder) -> RampRequest:
    """A request with the run's own copies of the workloads, so that all its stages run the same."""
    kept = tuple(replace(f, workload=folder.workload_path(f.name)) for f in plan.companions)
    plan = replace(plan, flows=(plan.flow, *kept))
    return RampRequest(plan, target, folder.workload_path(), folder)


def run_id_of(plan_name: str, now_s: float) -> str:
    """`demo-20261130t091204z`."""
    moment = datetime.fromtimestamp(now_s, tz=UTC)
    return f"{plan_name}-{moment:%Y%m%dt%H%M%Sz}"


def load_lock(settings: Settings) -> RunLock:
    """The lock of the state folder's load: two loads on one host would measure each other."""
    return RunLock(settings.state / "load.lock")


def open_run(
    request: RampRequest, settings: Settings, *, progress: Progress, airflow_run_id: str = ""
) -> RunRecord:
    """Asks the interlock, calibrates where the plan says so, and begins the run folder. What changed
    since the capture is said, and noted with the run.

    Raises WorkloadFileError, and ConfigError where the workload's filter cannot be read, before the
    target is asked, TargetRefused before anything is sent as load, LoadRefused where target or host
    have no room for it or a unique column runs out of values, WorkloadError, LoadError."""
    require_readable(request.workload)
    require_reading(request.plan.invariants)
    places = request.places
    for flow in places:
        require_readable(flow.workload)
    score, aged = fidelity_score(request.plan, request.workload)
    gate_all(request.targets, with_watched(settings, request.plan))
    source = load_source(request)
    place = Place.of(request.target, source)
    calibrated = _calibration(request.plan, launcher(request.target, source), progress)
    capacity = capacity_of(calibrated) if calibrated else 0.0
    normal = _normal_rate(request.plan, capacity)
    lineage = lineage_of(request.target, settings)
    record = _record(request, source.workload, lineage, (normal, capacity))
    drift = drift_on(request.target, source.workload).to_text()
    companions, asked = _beside(request, normal)
    values = partial(_values_left, source, record.stages)
    place = replace(place, beside=asked)
    room = require_room(place, request.plan, record.stages, calibrated, values, progress)
    notes = tuple(filter(None, (drift, *room, *aged, *companions, unmasked_words(lineage))))
    for note in notes:
        progress(note)
    record = replace(record, airflow_run_id=airflow_run_id, notes=notes, fidelity_score=score)
    request.folder.write_run(record)
    request.folder.write_inputs(
        plan=request.plan.source.text.encode(),
        expectations=request.plan.expectations.read_bytes(),
        workload=request.workload.read_bytes(),
        workload_filter=filter_bytes(request.workload),
    )
    for flow in places:
        kept = flow.workload.read_bytes()
        request.folder.write_workload(kept, filter_bytes(flow.workload), flow=flow.name)
    read_before(request.folder, request.target, request.plan.invariants)
    return record


def run_one_stage(
    request: RampRequest, stage_name: str, settings: Settings, watcher: Watcher
) -> StageResult:
    """Runs a stage of the opened run and adds it to the folder. Raises TargetRefused, LoadError,
    MetricsError; what was measured before stands in the folder."""
    plan = request.plan
    record = request.folder.read_run()
    stage = next(s for s in record.stages if s.name == stage_name)
    settings = with_watched(settings, plan)
    with spread(plan, request.folder, stage_name) as shards, ExitStack() as closing:
        metrics = sampler(request.target, shard_pids=shards.pids)
        closing.callback(metrics.close)
        source = load_source(request)
        require_enough_values(source, [stage])
        companions = _companions(request, stage_name, record.normal_rate_per_s)
        result = run_believable_stage(
            stage,
            shards.options,
            StagePorts(
                launch=shards.launcher(launcher(request.target, source), source),
                sampler=metrics,
                gate=hold_all(
                    request.targets, settings, for_s=2 * stage.duration_s + _LEASE_SPARE_S
                ),
                watcher=watcher,
                barrier=shards.barrier,
                production=watch_of(plan),
                stopping=request.stopping,
                end_statements=partial(end_statements, request.targets),
                companions=companions,
            ),
            StageRules(plan.abort, plan.validity),
            request.folder,
        )
    if result.aborted_by or stage == record.stages[-1]:
        read_after(request.folder, request.target, plan.invariants)
    return result


def run_shard(request: RampRequest, stage_name: str, shard: int, settings: Settings) -> int:
    """Makes the load of a shard, from 1 on, for the coordinator that runs `run_one_stage`, and the
    interlock is asked here, too; the number of tries of the stage that it served.

    Raises TargetRefused, LoadError, WorkerLost."""
    own = shard_of(request.plan, shard)
    ask = gate(request.target, with_watched(settings, request.plan))
    start: Callable[[Assignment], WorkerProcess] | None = None

    def launch(told: Assignment) -> WorkerProcess:
        nonlocal start
        if told.worker == own.workers[0]:
            ask()
        start = start or starter(request.target, load_source(request))
        return start(told)

    return serve_shard(post_of(request.folder, stage_name), own, launch=launch)


def require_one_shard(plan: Plan) -> None:
    """Raises ConfigError for a plan whose load is spread over several tasks: who runs it in one
    process runs its tasks one after the other."""
    if plan.shards > 1:
        raise ConfigError(
            f"The plan {plan.name} spreads its load over {plan.shards} shards, which must run at once.",
            hint="Trigger its DAG in an Airflow with a scheduler, or give it  shards: 1",
        )


def close_run(folder: RunFolder) -> None:
    """Writes when the run ended, and adds what its stages noted; twice is once."""
    record = folder.read_run()
    noted = (note for result in folder.read_stages() for note in _noted(result))
    notes = tuple(dict.fromkeys([*record.notes, *noted]))
    folder.write_run(replace(record, ended_at=time.time(), notes=notes))


def _noted(result: StageResult) -> list[str]:
    beside = [f"{flow}: {note}" for flow, r in result.companions.items() for note in r.notes]
    return [*result.notes, *beside]


def run_stages(
    request: RampRequest, record: RunRecord, settings: Settings, watcher: Watcher
) -> None:
    """All stages of an opened run, one after the other, until one is aborted."""
    try:
        for stage in record.stages:
            if run_one_stage(request, stage.name, settings, watcher).aborted_by:
                break
    finally:
        if (request.folder.path / "stages.parquet").is_file():
            close_run(request.folder)


def load_source(request: RampRequest) -> LoadSource:
    """The workload of the first flow and its pools, read before any load as the account that will
    load."""
    return source_at(request.target, request.workload, request.logs)


def _beside(request: RampRequest, normal_rate_per_s: float) -> tuple[list[str], tuple[Asked, ...]]:
    """Notes on the flows beside the first, and what those ask for that go to the same target. Raises
    LoadRefused where the reader has no room for the others, WorkloadError."""
    plan, notes = request.plan, list[str]()
    asked: dict[bool, list[Asked]] = {False: [], True: []}
    for place in request.places:
        stages = plan.companion_stages(place.flow, normal_rate_per_s)
        opened = place.open(request.logs)
        notes += place.notes(opened, stages)
        asks = opened.asked(stages, plan.companion_options(place.flow))
        asked[place.flow.is_read].append(asks)
        if place.flow.is_read:
            crew = Crew(place.flow.workers, cpu_ratio=plan.validity.generator_cpu_ratio)
            before = replace(opened, beside=tuple(asked[True][:-1]))
            notes += require(before.findings(asks, crew))
    return notes, tuple(asked[False])


def _companions(
    request: RampRequest, stage_name: str, normal_rate_per_s: float
) -> tuple[CompanionLoad, ...]:
    """What runs beside the first flow in a stage."""
    plan = request.plan
    at = [stage.name for stage in plan.stages].index(stage_name)
    return tuple(
        place.load(plan, plan.companion_stages(place.flow, normal_rate_per_s)[at], request.logs)
        for place in request.places
    )


def _values_left(source: LoadSource, stages: Iterable[Stage], before: float) -> tuple[str, ...]:
    return require_enough_values(source, stages, before=before)


def _calibration(plan: Plan, launch: Launch, progress: Progress) -> StageResult | None:
    """A closed loop where the normal rate depends on what it reaches."""
    asked = plan.flow.normal_rate
    if asked is None or not asked.needs_calibration:
        return None
    progress(f"calibrating for {asked.calibrate_s:g} s with {CALIBRATION_CLIENTS} clients")
    return calibrate(
        plan.options,
        launch,
        seconds=asked.calibrate_s,
        clients=CALIBRATION_CLIENTS,
        production=watch_of(plan),
    )


def _normal_rate(plan: Plan, capacity_per_s: float) -> float:
    """Checkouts per second of a normal day; a short calibration supports two digits."""
    asked = plan.flow.normal_rate
    if asked is None:
        return 0.0
    rate = asked.at(capacity_per_s)
    return float(f"{rate:.2g}") if asked.needs_calibration else rate


def _record(
    request: RampRequest,
    workload: Workload,
    lineage: Mapping[str, str],
    rates: tuple[float, float],
) -> RunRecord:
    """`rates` are the normal one and the capacity."""
    plan, now_s = request.plan, time.time()
    normal, capacity = rates
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
        stages=plan.stages_at(normal),
        capacity_per_s=capacity,
        expectations=str(plan.expectations),
        target=lineage,
        versions={"readiness": __version__, "python": platform.python_version()},
        hashes={
            "plan": plan.source.sha256,
            "workload": _sha256(request.workload),
            **{f"workload {place.name}": _sha256(place.workload) for place in request.places},
            "expectations": _sha256(plan.expectations),
        },
        workload=dict(workload.counts),
        clock={"wall_s": now_s, "monotonic_s": time.monotonic()},
    )


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()

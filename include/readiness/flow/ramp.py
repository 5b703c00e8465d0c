"""Runs one stage of a plan, with the interlock before it and the abort rules during it.

A stage that other work on the host made unbelievable is repeated once, and the second try counts.
What was measured is written after every stage, so a run that dies in stage four keeps three.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from readiness.analysis.abort import AbortWatch, aborting_metric
from readiness.analysis.invariants import begun
from readiness.analysis.validity import is_invalid_by_host
from readiness.artifacts.run_folder import RunFolder
from readiness.errors import LoadError
from readiness.flow.production import ProductionWatch
from readiness.flow.tuning import Tuning, tuned_notes
from readiness.load.coordinator import (
    ON_THIS_HOST,
    Companion,
    OnTick,
    Outside,
    StartBarrier,
    Stopping,
    never,
    run_stage,
)
from readiness.model.load import LoadOptions, Stage, StageResult, Tick
from readiness.model.metrics import Sample, of_production
from readiness.model.verdict import AbortRule, ValidityLimits
from readiness.ports import Sampler, WorkerProcess

Launch = Callable[[Stage, LoadOptions, int], Callable[[int], WorkerProcess]]
"""`launch(stage, options, first_number)` gives what starts worker 0, 1, … of that stage."""

CALIBRATION = "calibration"


class Watcher(Protocol):
    """Who looks on: a terminal, a log, later a chat channel."""

    def begin(self, stage: Stage) -> None:
        """A stage starts; for the second time when it is repeated."""
        ...

    def update(self, tick: Tick, samples: Sequence[Sample] = ()) -> None:
        """One second of it."""
        ...

    def end(self, result: StageResult) -> None:
        """It is over."""
        ...


@dataclass(frozen=True, slots=True)
class CompanionLoad:
    """A flow that runs beside the one that is judged, in the same stage at its own rate."""

    name: str
    stage: Stage
    options: LoadOptions
    launch: Launch
    is_fixed: bool = False

    def after(self, before: StageResult | None) -> Companion:
        """What the coordinator starts; its checkouts are numbered on from an earlier try."""
        first_number = before.companions[self.name].next_number if before else 0
        start = self.launch(self.stage, self.options, first_number)
        return Companion(self.name, self.stage, self.options, start, self.is_fixed)


@dataclass(frozen=True, slots=True)
class StagePorts:
    """What a stage needs from the world. `gate` raises TargetRefused when a key is missing;
    `production` is watched where a plan asks for it; `companions` are loaded beside the stage;
    `stopping` says why a person or the system ends the load, and `end_statements` ends what such a
    load left running on the server."""

    launch: Launch
    sampler: Sampler
    gate: Callable[[], None]
    watcher: Watcher
    barrier: StartBarrier = ON_THIS_HOST
    production: ProductionWatch | None = None
    stopping: Stopping = never
    end_statements: Callable[[], None] = lambda: None
    companions: tuple[CompanionLoad, ...] = ()


@dataclass(frozen=True, slots=True)
class StageRules:
    """When to stop, and up to where a stage is believed."""

    abort: tuple[AbortRule, ...]
    validity: ValidityLimits


def calibrate(
    options: LoadOptions,
    launch: Launch,
    *,
    seconds: float,
    clients: int,
    production: ProductionWatch | None = None,
) -> StageResult:
    """What `clients` closed-loop clients do in `seconds`.

    Raises LoadError when production stopped it; MetricsError where it does not answer."""
    stage = Stage(CALIBRATION, rate_per_s=0.0, hold_s=seconds)
    closed = replace(options, closed_loop_clients=clients)
    with _watched(production, CALIBRATION):
        result = run_stage(
            stage,
            closed,
            launch=launch(stage, closed, 0),
            on_tick=lambda _tick: (production.look().stop or None) if production else None,
        )
    if production and result.aborted_by:
        raise LoadError(
            f"The calibration was stopped: {result.aborted_by}.",
            hint="Calibrate when production is at rest, or with a normal_rate_per_s of its own.",
        )
    return result


def run_believable_stage(
    stage: Stage, options: LoadOptions, ports: StagePorts, rules: StageRules, folder: RunFolder
) -> StageResult:
    """Runs a stage, once more when the host disturbed it, and adds it to the folder's results.

    Raises TargetRefused, WorkerLost, MetricsError; earlier stages stand in the folder."""
    once = _Once(stage, options, ports, rules, folder)
    result, samples = once.run(None)
    if _may_be_repeated(result) and is_invalid_by_host(result, samples, rules.validity):
        folder.append_event(
            time.time(),
            "stage_repeated",
            stage=stage.name,
            culprit="host",
            checkouts_ok=result.checkouts_ok,
            checkouts_begun=begun(result),
        )
        result, samples = once.run(result)
        note = f"{stage.name} was repeated once: other work on the host disturbed it"
        result = replace(result, notes=(*result.notes, note))
    folder.add_result(result, samples)
    folder.append_event(
        result.ended_at,
        "stage_ended",
        stage=stage.name,
        checkouts_ok=result.checkouts_ok,
        checkouts_failed=result.checkouts_failed,
        aborted_by=result.aborted_by,
    )
    ports.watcher.end(result)
    return result


def _may_be_repeated(result: StageResult) -> bool:
    """What a signal, a lost heartbeat or production itself stopped stays stopped; and a person is not
    asked to turn the same knobs again."""
    if result.stage.is_tuned:
        return False
    metric = aborting_metric(result.aborted_by)
    return not result.aborted_by or bool(metric and not metric.startswith(of_production("")))


class _Once:
    """One try of one stage."""

    def __init__(
        self,
        stage: Stage,
        options: LoadOptions,
        ports: StagePorts,
        rules: StageRules,
        folder: RunFolder,
    ) -> None:
        self._stage = stage
        self._options = options
        self._ports = ports
        self._rules = rules
        self._folder = folder

    def run(self, before: StageResult | None) -> tuple[StageResult, list[Sample]]:
        """The stage's result and samples, after an earlier try or none; the interlock is asked
        first."""
        stage, ports = self._stage, self._ports
        ports.gate()
        ports.watcher.begin(stage)
        ports.sampler.start_stage(stage.name)
        watch = AbortWatch(self._rules.abort)
        samples: list[Sample] = []

        def on_tick(tick: Tick) -> str | None:
            new = ports.sampler.sample(stage.name)
            samples.extend(new)
            ports.watcher.update(tick, new)
            # Production's own say comes first: it is why the load may run at all.
            return self._stop_of_production(samples) or watch.update(tick, new)

        with (
            _watched(ports.production, stage.name),
            Tuning(self._folder, stage) as tuning,
        ):
            result = self._load(before, on_tick, tuning)
        notes = (*result.notes, *tuned_notes(stage, result.rates))
        return replace(result, notes=notes), samples

    def _load(self, before: StageResult | None, on_tick: OnTick, tuning: Tuning) -> StageResult:
        ports, is_whole = self._ports, False
        first_number = before.next_number if before else 0
        try:
            result = run_stage(
                self._stage,
                self._options,
                launch=ports.launch(self._stage, self._options, first_number),
                on_tick=on_tick,
                outside=Outside(ports.barrier, ports.stopping, tuning.tune),
                companions=[companion.after(before) for companion in ports.companions],
            )
            is_whole = not result.aborted_by
        finally:
            if not is_whole:
                ports.end_statements()
        return result

    def _stop_of_production(self, samples: list[Sample]) -> str:
        """Why production stops the load, "" to go on; what it said of itself joins the samples."""
        if self._ports.production is None:
            return ""
        look = self._ports.production.look()
        samples.extend(look.samples)
        for trouble in look.troubles:
            self._folder.append_event(
                time.time(), "production_silent", stage=self._stage.name, trouble=trouble
            )
        return look.stop


@contextmanager
def _watched(production: ProductionWatch | None, stage: str) -> Iterator[None]:
    """Watches production, if it is to be watched. Raises MetricsError where it does not answer."""
    if production is None:
        yield
        return
    production.begin(stage)
    try:
        yield
    finally:
        production.end()

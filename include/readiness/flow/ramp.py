"""Runs a plan's stages one after the other, with the interlock before each and abort rules during.

What was measured is written after every stage, so a run that dies in stage four keeps three.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from readiness.analysis.abort import AbortWatch
from readiness.analysis.validity import is_invalid_by_host
from readiness.artifacts.run_folder import RunFolder
from readiness.load.calibrate import capacity
from readiness.load.coordinator import run_stage
from readiness.model.load import LoadOptions, Stage, StageResult, Tick
from readiness.model.metrics import Sample
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
class RampPorts:
    """What a ramp needs from the world. `gate` raises TargetRefused when a key is missing."""

    launch: Launch
    sampler: Sampler
    gate: Callable[[], None]
    watcher: Watcher


@dataclass(frozen=True, slots=True)
class RampRules:
    """When to stop, and when a stage is not to be believed and is repeated once."""

    abort: tuple[AbortRule, ...]
    validity: ValidityLimits


@dataclass(frozen=True, slots=True)
class Measured:
    """All that a ramp measured, in order; `notes` tell of repeated stages."""

    results: tuple[StageResult, ...]
    samples: tuple[Sample, ...]
    notes: tuple[str, ...] = ()


def calibrate(
    options: LoadOptions, launch: Launch, *, seconds: float, clients: int
) -> tuple[float, int]:
    """The checkouts per second that `clients` closed-loop clients reach in `seconds`, and the first
    checkout number that is free afterwards. Raises LoadError when nothing ended well."""
    stage = Stage(CALIBRATION, rate_per_s=0.0, hold_s=seconds)
    closed = replace(options, closed_loop_clients=clients)
    result = run_stage(stage, closed, launch=launch(stage, closed, 0), on_tick=lambda _tick: None)
    return capacity(result), result.next_number


def run_stages(
    stages: Sequence[Stage],
    options: LoadOptions,
    ports: RampPorts,
    *,
    rules: RampRules,
    folder: RunFolder,
    first_number: int = 0,
) -> Measured:
    """Runs the stages until the last, or until one is aborted; writes the folder after each.

    A stage that the host made unbelievable is repeated once; the second try counts. Raises
    TargetRefused, WorkerLost, MetricsError: what was measured until then stands in the folder."""
    measured = Measured((), ())
    for stage in stages:
        once = _Once(stage, options, ports, rules)
        result, samples = once.run(first_number)
        notes = measured.notes
        if is_invalid_by_host(result, samples, rules.validity):
            folder.append_event(time.time(), "stage_repeated", stage=stage.name, culprit="host")
            notes += (
                f"Stage {stage.name} was repeated once: other work on the host disturbed it.",
            )
            result, samples = once.run(result.next_number)
        first_number = result.next_number
        measured = Measured((*measured.results, result), (*measured.samples, *samples), notes)
        folder.write_results(measured.results, measured.samples)
        _tell(folder, result)
        ports.watcher.end(result)
        if result.aborted_by:
            break
    return measured


class _Once:
    """One try of one stage."""

    def __init__(
        self, stage: Stage, options: LoadOptions, ports: RampPorts, rules: RampRules
    ) -> None:
        self._stage = stage
        self._options = options
        self._ports = ports
        self._rules = rules

    def run(self, first_number: int) -> tuple[StageResult, list[Sample]]:
        """The stage's result and samples; the interlock is asked first."""
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
            return watch.update(tick, new)

        launch = ports.launch(stage, self._options, first_number)
        result = run_stage(stage, self._options, launch=launch, on_tick=on_tick)
        return result, samples


def _tell(folder: RunFolder, result: StageResult) -> None:
    folder.append_event(
        result.ended_at,
        "stage_ended",
        stage=result.stage.name,
        checkouts_ok=result.checkouts_ok,
        checkouts_failed=result.checkouts_failed,
        aborted_by=result.aborted_by,
    )

"""Finds what a target can do, and which way to make the load is most like production.

Capacity: a closed loop of ever more clients, until throughput no longer grows. Likeness: each way of
pacing and connecting is tried at the rate of a normal day, and what the server shows is compared with
what production shows.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from readiness.analysis.fidelity import likeness
from readiness.analysis.figures import SUPPORT, error_ratio, latency_ms, stage_figures
from readiness.analysis.validity import (
    FOREIGN_CPU,
    FSYNC_PROBE,
    GENERATOR_CPU,
    RUN_QUEUE,
    STEAL,
    validity,
)
from readiness.flow.ramp import Launch
from readiness.load.calibrate import SETTLE_S, Rung, capacity, clients_up_to, has_stopped_growing
from readiness.load.coordinator import run_stage
from readiness.model.fidelity import Trial
from readiness.model.histogram import Histogram, merged
from readiness.model.load import LoadOptions, Stage, StageResult, Tick
from readiness.model.metrics import Sample
from readiness.model.verdict import ValidityLimits
from readiness.ports import Progress, Sampler

SERVER, GENERATOR, HOST = "server", "generator", "host"
_HOSTS = (RUN_QUEUE, FOREIGN_CPU, STEAL, FSYNC_PROBE)
_FAILED_RATIO = 0.01  # of the checkouts: more, and it is another load
_LIMITS = ValidityLimits()


@dataclass(frozen=True, slots=True)
class CalibrationPorts:
    """What a calibration needs of the world. `gate` raises TargetRefused; `room(checkouts)` raises
    WorkloadError where so many more would repeat a value."""

    launch: Launch
    sampler: Sampler
    gate: Callable[[], None]
    room: Callable[[float], object]
    tell: Progress


@dataclass(frozen=True, slots=True)
class Way:
    """One way to make the load: captured gaps times `pacing`, and a connection mode."""

    pacing: float
    connections: str

    @property
    def text(self) -> str:
        """In the words of a plan."""
        named = {0.0: "none", 1.0: "captured"}.get(self.pacing, f"{self.pacing:g}")
        return f"pacing: {named}, connections: {self.connections}"


class Calibration:
    """Stages against one target; checkouts are numbered through, so that values stay new."""

    def __init__(self, options: LoadOptions, ports: CalibrationPorts) -> None:
        self._options = options
        self._ports = ports
        self._next_number = 0

    def ladder(self, *, most_clients: int, seconds: float) -> list[Rung]:
        """1, 2, 4, … clients for `seconds` each, until throughput no longer grows by 5 %.

        Raises TargetRefused, LoadError where nothing ends well, WorkloadError, MetricsError."""
        rungs: list[Rung] = []
        for clients in clients_up_to(most_clients):
            expected = 2 * rungs[-1].per_s * (seconds + SETTLE_S) if rungs else 0.0
            self._ports.tell(f"{clients} client{'s' * (clients > 1)} for {seconds:g} s")
            stage = Stage(f"{clients} clients", 0.0, seconds + SETTLE_S, warmup_s=SETTLE_S)
            options = replace(self._options, closed_loop_clients=clients)
            result, samples = self._run(stage, options, expected)
            rungs.append(_rung(clients, result, samples))
            if has_stopped_growing(rungs):
                break
        return rungs

    def trial(self, way: Way, stage: Stage, production: Mapping[str, float]) -> Trial:
        """One way at the rate of `stage`. Raises as `ladder`, and AnalysisError where too few metrics
        can be compared."""
        self._ports.tell(f"{way.text}: {stage.rate_per_s:g}/s for {stage.duration_s:g} s")
        options = replace(self._options, pacing=way.pacing, connections=way.connections)
        result, samples = self._run(stage, options, stage.rate_per_s * stage.duration_s)
        figures = stage_figures(result, samples)
        measured = {n: statistics.fmean(f.series) for n, f in figures.items() if f.series}
        doubt = _doubt(result, samples)
        return Trial(way.pacing, way.connections, likeness(production, measured), doubt)

    def _run(
        self, stage: Stage, options: LoadOptions, expected: float
    ) -> tuple[StageResult, list[Sample]]:
        ports, samples = self._ports, list[Sample]()
        ports.room(self._next_number + expected)
        ports.gate()
        ports.sampler.start_stage(stage.name)

        def on_tick(_tick: Tick) -> None:
            samples.extend(ports.sampler.sample(stage.name))

        launch = ports.launch(stage, options, self._next_number)
        result = run_stage(stage, options, launch=launch, on_tick=on_tick)
        self._next_number = result.next_number
        return result, samples


def _rung(clients: int, result: StageResult, samples: Sequence[Sample]) -> Rung:
    response = merged(tick.checkout for tick in result.measured)
    commit = merged(tick.commit for tick in result.measured)
    return Rung(
        clients=clients,
        per_s=capacity(result),
        response_p50_ms=_supported(response, "p50"),
        response_p99_ms=_supported(response, "p99"),
        commit_p99_ms=_supported(commit, "p99"),
        generator_cpu_ratio=statistics.fmean(t.generator_cpu_ratio for t in result.measured),
        failed_ratio=error_ratio(result.measured) or 0.0,
        limited_by=_limited_by(result, samples),
    )


def _supported(histogram: Histogram, statistic: str) -> float | None:
    enough = histogram.count >= SUPPORT[statistic]
    return latency_ms(histogram, statistic) if enough else None


def _limited_by(result: StageResult, samples: Sequence[Sample]) -> str:
    broken = {rule.name for rule in validity([result], samples, _LIMITS) if not rule.holds}
    if GENERATOR_CPU in broken:
        return GENERATOR
    return HOST if broken.intersection(_HOSTS) else SERVER


def _doubt(result: StageResult, samples: Sequence[Sample]) -> str:
    """Why a trial says nothing of the load that it was to make; "" where it does."""
    broken = [rule for rule in validity([result], samples, _LIMITS) if not rule.holds]
    told = [f"{rule.name} is {rule.value:.3g}: the {rule.culprit}" for rule in broken]
    failed = error_ratio(result.measured) or 0.0
    if failed > _FAILED_RATIO:
        told.append(f"{failed:.0%} of the checkouts failed")
    if any(tick.dropped for tick in result.measured):
        told.append("checkouts were dropped")
    return "; ".join(told)

"""A calibration against a target: the same interlock, limits and engine as a run, and no run folder."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from readiness.config.settings import Settings
from readiness.flow import preflight
from readiness.flow.asked import Asked
from readiness.flow.calibrate import Calibration, CalibrationPorts, Way
from readiness.flow.preflight import Crew
from readiness.load.calibrate import SETTLE_S, Rung
from readiness.model.fidelity import Fidelity
from readiness.model.load import LoadOptions, Stage
from readiness.ports import Progress
from readiness.wiring.preflights import Place
from readiness.wiring.targets import Target, gate, hold, launcher, sampler, source_at
from readiness.workload.make.budget import require_values

_LONGEST_WARMUP_S = 60.0


@dataclass(frozen=True, slots=True)
class CalibrationRequest:
    """What to calibrate: the target, the workload file, how, and for how many seconds each."""

    target: Target
    workload: Path
    options: LoadOptions
    seconds: float


def capacity_rungs(
    request: CalibrationRequest, settings: Settings, *, most_clients: int, tell: Progress
) -> list[Rung]:
    """The ladder of clients. Raises TargetRefused, LoadRefused, LoadError, WorkloadError."""
    with _calibrating(request, settings, tell) as (calibration, place):
        closed = replace(request.options, closed_loop_clients=most_clients)
        _require_room(place, [place.asked([], closed)], request, tell)
        return calibration.ladder(most_clients=most_clients, seconds=request.seconds)


def fidelity_of(
    request: CalibrationRequest,
    settings: Settings,
    ways: Sequence[Way],
    production: Mapping[str, float],
    *,
    rate_per_s: float,
    tell: Progress,
) -> Fidelity:
    """All ways, one after the other, against production's figures. Raises as `capacity_rungs`, and
    AnalysisError where too few metrics can be compared."""
    with _calibrating(request, settings, tell) as (calibration, place):
        stages = [_stage(place, way, request, rate_per_s) for way in ways]
        asked = [
            place.asked([stage], _options(way, request))
            for way, stage in zip(ways, stages, strict=True)
        ]
        _require_room(place, asked, request, tell)
        trials = [
            calibration.trial(way, stage, production)
            for way, stage in zip(ways, stages, strict=True)
        ]
        digest = hashlib.sha256(request.workload.read_bytes()).hexdigest()
        return Fidelity(rate_per_s, request.seconds, digest, tuple(trials))


def _options(way: Way, request: CalibrationRequest) -> LoadOptions:
    return replace(request.options, pacing=way.pacing, connections=way.connections)


def _stage(place: Place, way: Way, request: CalibrationRequest, rate_per_s: float) -> Stage:
    """As many checkouts are in flight as ever before anything is measured."""
    lasts_s = place.asked([], _options(way, request)).lasts_s
    warmup_s = min(math.ceil(lasts_s) + SETTLE_S, _LONGEST_WARMUP_S)
    return Stage(way.text, rate_per_s, warmup_s + request.seconds, warmup_s=warmup_s)


def _require_room(
    place: Place, asked: Sequence[Asked], request: CalibrationRequest, tell: Progress
) -> None:
    """One way at a time: each must fit by itself."""
    crew = Crew(request.options.workers)
    found = {finding.text: finding for one in asked for finding in place.findings(one, crew)}
    for note in preflight.require(list(found.values())):
        tell(note)


@contextmanager
def _calibrating(
    request: CalibrationRequest, settings: Settings, tell: Progress
) -> Iterator[tuple[Calibration, Place]]:
    gate(request.target, settings)()
    source = source_at(request.target, request.workload, settings.state / "calibrate")
    metrics = sampler(request.target)
    ports = CalibrationPorts(
        launch=launcher(request.target, source),
        sampler=metrics,
        gate=hold(request.target, settings, for_s=2 * request.seconds + _LONGEST_WARMUP_S),
        room=lambda checkouts: require_values(source.workload, source.pools, math.ceil(checkouts)),
        tell=tell,
    )
    try:
        yield Calibration(request.options, ports), Place.of(request.target, source)
    finally:
        metrics.close()

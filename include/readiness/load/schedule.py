"""When each checkout is due: open loop, striped over workers so that all make exactly one schedule.

The cumulated rate A(t) is the area under the stage's rate curve. Constant arrivals stand where A
reaches 1/2, 3/2, 5/2 …; Poisson arrivals where A reaches the running sum of unit exponentials.
Either way ramps and fractional rates come out right, and no rounding adds up. Where a person changes
the rate the curve goes on with another piece, and A is what it was up to there.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

from readiness.errors import ConfigError
from readiness.model.load import RateChange, Stage

KINDS = ("constant", "poisson")


def area(stage: Stage, seconds: float) -> float:
    """Checkouts due in the first `seconds` of the stage, as a real number."""
    begin, end = stage.from_rate_per_s, stage.rate_per_s
    if seconds >= stage.ramp_s:
        return (begin + end) / 2 * stage.ramp_s + end * (seconds - stage.ramp_s)
    slope = (end - begin) / stage.ramp_s
    return begin * seconds + slope * seconds * seconds / 2


def moment(stage: Stage, checkouts: float) -> float:
    """The inverse of `area`: seconds until `checkouts` are due; infinite when they never are."""
    if checkouts <= 0:
        return 0.0  # a ramp from rest has no slope to divide by there
    begin, end = stage.from_rate_per_s, stage.rate_per_s
    ramped = (begin + end) / 2 * stage.ramp_s
    if checkouts >= ramped:
        return stage.ramp_s + (checkouts - ramped) / end if end else math.inf
    slope = (end - begin) / stage.ramp_s
    # The root in the form that does not cancel when the slope is almost flat.
    return 2 * checkouts / (begin + math.sqrt(max(begin * begin + 2 * slope * checkouts, 0.0)))


class Schedule:
    """The due times of one worker in seconds since the stage began, ascending, below its duration.

    The k-th arrival of the whole schedule belongs to worker k mod `workers`. The same arguments and
    changes give the same times. Raises ConfigError for an unknown kind, or a rate or time that is
    negative or no number."""

    def __init__(
        self,
        stage: Stage,
        *,
        kind: str = "constant",
        seed: int = 1,
        worker: int = 0,
        workers: int = 1,
    ) -> None:
        _demand_sound(stage, kind)
        self._levels = itertools.islice(_levels(kind, seed), worker, None, workers)
        self._level = next(self._levels)
        self._pieces = [_Piece(0.0, 0.0, stage)]
        self.end_s = stage.duration_s

    def due_s(self) -> float:
        """The next arrival; infinite when none is left as things stand."""
        piece = next(p for p in reversed(self._pieces) if p.before <= self._level)
        due = piece.begins_s + moment(piece.curve, self._level - piece.before)
        return due if due < self.end_s else math.inf

    def advance(self) -> None:
        """The next arrival has been seen to; the one after it is next."""
        self._level = next(self._levels)

    def change(self, change: RateChange) -> None:
        """From then on the rate is another one, or the stage is over. Changes come in order; what was
        due before one stays."""
        if change.is_end:
            self.end_s = min(self.end_s, change.from_s)
            return
        last = self._pieces[-1]
        before = last.before + area(last.curve, change.from_s - last.begins_s)
        flat = Stage("changed", rate_per_s=change.rate_per_s, hold_s=math.inf)
        self._pieces.append(_Piece(float(change.from_s), before, flat))


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of the rate curve: when it begins, and how many checkouts are due `before`."""

    begins_s: float
    before: float
    curve: Stage


def arrivals(
    stage: Stage, *, kind: str = "constant", seed: int = 1, worker: int = 0, workers: int = 1
) -> Iterator[float]:
    """The times of a `Schedule` that nobody changes."""
    schedule = Schedule(stage, kind=kind, seed=seed, worker=worker, workers=workers)
    return itertools.takewhile(math.isfinite, _one_by_one(schedule))


def most(stage: Stage) -> float:
    """The checkouts of a stage, at most."""
    return max(area(stage, stage.duration_s), stage.tuned_max_per_s * stage.duration_s)


def _one_by_one(schedule: Schedule) -> Iterator[float]:
    while True:
        yield schedule.due_s()
        schedule.advance()


def _levels(kind: str, seed: int) -> Iterator[float]:
    if kind == "constant":
        return itertools.count(0.5)
    draw = random.Random(seed).expovariate
    return itertools.accumulate(draw(1.0) for _ in itertools.repeat(None))


def _demand_sound(stage: Stage, kind: str) -> None:
    if kind not in KINDS:
        raise ConfigError(
            f"Arrivals are {kind!r}; allowed: constant, poisson.",
            hint="Set `arrivals: constant` in the plan, or --arrivals constant.",
        )
    figures = {
        "rate_per_s": stage.rate_per_s,
        "from_rate_per_s": stage.from_rate_per_s,
        "ramp_s": stage.ramp_s,
        "hold_s": stage.hold_s,
    }
    for name, value in figures.items():
        if not (math.isfinite(value) and value >= 0):
            raise ConfigError(
                f"Stage {stage.name!r}: {name} is {value}; allowed: a number of 0 or more.",
                hint=f"Set {name} of the stage in the plan.",
            )

"""Invariants as checks: critical, and believed whatever the load was like; lost data has no excuse."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from readiness.model.invariant import Invariant, Reading
from readiness.model.load import StageResult
from readiness.model.verdict import INVARIANT, Check, Outcome, Severity


@dataclass(frozen=True, slots=True)
class Done:
    """What the load did to the data: `least` checkouts ended well, and no more than `most` may have
    left their rows: one that failed or was cut may have been committed all the same."""

    least: int
    most: int
    stage: str  # the last one that ran


def done_by(results: Sequence[StageResult], earlier: Sequence[tuple[int, int]] = ()) -> Done:
    """What the first flow did in all stages. `earlier` are tries of stages that were repeated, and so
    stand in no result: how many of their checkouts ended well, and how many were begun."""
    counted = [(r.checkouts_ok, begun(r)) for r in results] + list(earlier)
    least = sum(ok for ok, _ in counted)
    return Done(least, max(least, sum(n for _, n in counted)), results[-1].stage.name)


def begun(result: StageResult) -> int:
    """How many checkouts were let in: each of them may have changed the data."""
    return sum(tick.offered - tick.dropped - tick.expired for tick in result.ticks)


def invariant_checks(
    invariants: Sequence[Invariant], readings: Mapping[str, Reading], done: Done
) -> list[Check]:
    """One check for each; missing where the target gave no number."""
    unread = Reading("", None, why="nobody read it: the run ended before its last drain")
    return [_check(asked, readings.get(asked.name, unread), done) for asked in invariants]


def _check(asked: Invariant, reading: Reading, done: Done) -> Check:
    value, (least, most) = _value(asked, reading), _wanted(asked, done)
    outcome, why = Outcome.MISSING, reading.why or "the target was not asked after the last drain"
    if value is not None:
        outcome = Outcome.PASSED if least <= value <= most else Outcome.FAILED
        why = f"{value:,.10g} of {_span(least, most)}"
    return Check(
        expectation=asked.name,
        stage=done.stage,
        metric=f"{INVARIANT}{asked.name}",
        statistic="value",
        op="==" if least == most else ">=",
        limit=least,
        unit="",
        severity=Severity.CRITICAL,
        outcome=outcome,
        value=value,
        why=why,
        because="an invariant of the plan",
    )


def _value(asked: Invariant, reading: Reading) -> float | None:
    if reading.after is None or not asked.grows:
        return reading.after
    return None if reading.before is None else reading.after - reading.before


def _wanted(asked: Invariant, done: Done) -> tuple[float, float]:
    if asked.equals is not None:
        return asked.equals, asked.equals
    if asked.at_least is not None:
        return asked.at_least, math.inf
    return float(done.least), float(done.most)


def _span(least: float, most: float) -> str:
    if least == most:
        return f"{least:,.10g}"
    if math.isinf(most):
        return f"at least {least:,.10g}"
    return (
        f"{least:,.10g} to {most:,.10g}, as some checkouts failed, were cut or ran past the count"
    )

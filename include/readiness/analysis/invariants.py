"""Invariants as checks: critical, and believed whatever the load was like; lost data has no excuse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from readiness.model.invariant import Invariant, Reading
from readiness.model.verdict import Check, Outcome, Severity

INVARIANT = "native.invariant."


@dataclass(frozen=True, slots=True)
class Done:
    """What the load did to the data: `least` checkouts ended well, and no more than `most` may have
    reached the server whole: one that failed or was cut may have been committed all the same."""

    least: int
    most: int
    stage: str  # the last one that ran


def invariant_checks(
    invariants: Sequence[Invariant], readings: Mapping[str, Reading], done: Done
) -> list[Check]:
    """One check for each; missing where the target gave no number."""
    unread = Reading("", None, why="nobody read it: the run ended before its last drain")
    return [_check(asked, readings.get(asked.name, unread), done) for asked in invariants]


def _check(asked: Invariant, reading: Reading, done: Done) -> Check:
    value, wanted = _value(asked, reading), _wanted(asked, done)
    why = reading.why
    outcome = Outcome.MISSING
    if value is not None:
        outcome = Outcome.PASSED if wanted[0] <= value <= wanted[1] else Outcome.FAILED
        why = f"{value:,.10g} of {_span(wanted)}"
    return Check(
        expectation=asked.name,
        stage=done.stage,
        metric=f"{INVARIANT}{asked.name}",
        statistic="value",
        op="==",
        limit=wanted[0],
        unit="",
        severity=Severity.CRITICAL,
        outcome=outcome,
        value=value,
        why=why,
        because=_because(asked),
    )


def _value(asked: Invariant, reading: Reading) -> float | None:
    if asked.equals is not None or reading.after is None:
        return reading.after
    return None if reading.before is None else reading.after - reading.before


def _wanted(asked: Invariant, done: Done) -> tuple[float, float]:
    if asked.equals is not None:
        return asked.equals, asked.equals
    return float(done.least), float(done.most)


def _span(wanted: tuple[float, float]) -> str:
    least, most = wanted
    return f"{least:,.10g}" if least == most else f"{least:,.10g} to {most:,.10g}"


def _because(asked: Invariant) -> str:
    if asked.equals is not None:
        return "the plan's invariant"
    return "each checkout that ended well leaves its rows, and none leaves them twice"

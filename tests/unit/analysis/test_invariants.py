"""Invariants: what the data must say after a run, whatever the load was like."""

from __future__ import annotations

import pytest

from readiness.analysis.invariants import Done, invariant_checks
from readiness.model.invariant import Invariant, Reading
from readiness.model.verdict import Check, Outcome, Severity

ORDERS = Invariant("orders-written", "SELECT COUNT(*) FROM orders")
ORPHANS = Invariant("no-orphans", "SELECT COUNT(*) FROM orphans", equals=0)


def check_of(
    asked: Invariant, reading: Reading | None, *, least: int = 191, most: int = 191
) -> Check:
    readings = {asked.name: reading} if reading else {}
    (check,) = invariant_checks([asked], readings, Done(least, most, "peak"))
    return check


def test_rows_grow_by_the_checkouts_that_ended_well() -> None:
    check = check_of(ORDERS, Reading("orders-written", 1000, 1191))
    assert (check.outcome, check.why) == (Outcome.PASSED, "191 of 191")
    assert (check.severity, check.stage) == (Severity.CRITICAL, "peak")


@pytest.mark.parametrize("after", [1190, 1192])
def test_a_lost_row_and_one_too_many_are_failures(after: float) -> None:
    check = check_of(ORDERS, Reading("orders-written", 1000, after))
    assert (check.outcome, check.why) == (Outcome.FAILED, f"{after - 1000} of 191")


def test_what_was_cut_or_failed_may_have_been_committed_all_the_same() -> None:
    reading = Reading("orders-written", 0, 195)
    check = check_of(ORDERS, reading, least=191, most=197)
    assert (check.outcome, check.why) == (Outcome.PASSED, "195 of 191 to 197")
    assert check_of(ORDERS, Reading("x", 0, 198), least=191, most=197).outcome is Outcome.FAILED


def test_a_fixed_number_needs_no_reading_before() -> None:
    assert check_of(ORPHANS, Reading("no-orphans", None, 0)).outcome is Outcome.PASSED
    assert check_of(ORPHANS, Reading("no-orphans", None, 3)).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("reading", "why"),
    [
        (None, "nobody read it: the run ended before its last drain"),
        (Reading("x", 5, None, "the target answered it with error 1146"), "the target answered it with error 1146"),
        (Reading("x", None, 9, "it gave no number"), "it gave no number"),
    ],
)  # fmt: skip
def test_what_was_not_read_is_missing_and_says_why(reading: Reading | None, why: str) -> None:
    check = check_of(ORDERS, reading)
    assert (check.outcome, check.why) == (Outcome.MISSING, why)

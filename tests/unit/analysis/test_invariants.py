"""The plan's invariants: client count against rows, and what a broken one does to the verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.fakes.stages import stage_result
from tests.unit.analysis.test_verdict import check, doubt, evidence

from readiness.analysis.invariants import Done, done_by, invariant_checks
from readiness.analysis.verdict import decide
from readiness.model.invariant import Invariant, Reading
from readiness.model.verdict import Check, Outcome, VerdictWord

GROWS = Invariant("orders written", "SELECT 1")


def checked(asked: Invariant, before: float | None, after: float | None, done: Done) -> Check:
    reading = Reading(asked.name, before, after, why="" if after is not None else "error 1146")
    (made,) = invariant_checks([asked], {asked.name: reading}, done)
    return made


def of_rows(grown: int, *, least: int = 191, most: int = 191) -> Check:
    return checked(GROWS, 1000.0, 1000.0 + grown, Done(least, most, "5x"))


def test_each_checkout_that_ended_well_left_its_row() -> None:
    made = of_rows(191)
    assert made.outcome is Outcome.PASSED
    assert made.why == "191 of 191"


@pytest.mark.parametrize("rows", [190, 192])
def test_a_row_lost_or_doubled_fails(rows: int) -> None:
    assert of_rows(rows).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("rows", "is_kept"), [(190, False), (191, True), (194, True), (195, False)]
)
def test_what_failed_or_was_cut_may_have_left_a_row(rows: int, is_kept: bool) -> None:
    made = of_rows(rows, most=194)
    assert (made.outcome is Outcome.PASSED) == is_kept
    assert "191 to 194" in made.why


def test_a_failed_checkout_counts_as_possible_and_a_dropped_one_does_not() -> None:
    result = stage_result(offered=12, dropped=2, failed=1)
    assert done_by([result]) == Done(90, 100, "5x")


def test_the_first_try_of_a_repeated_stage_left_its_rows_too() -> None:
    assert done_by([stage_result()], earlier=[(40, 45)]) == Done(140, 145, "5x")


@pytest.mark.parametrize(
    ("asked", "after", "outcome"),
    [(Invariant("a", "SELECT 1", equals=0.0), 0.0, Outcome.PASSED),
     (Invariant("a", "SELECT 1", equals=0.0), 3.0, Outcome.FAILED),
     (Invariant("a", "SELECT 1", at_least=5.0), 5.0, Outcome.PASSED),
     (Invariant("a", "SELECT 1", at_least=5.0), 4.0, Outcome.FAILED)],
)  # fmt: skip
def test_a_number_of_its_own(asked: Invariant, after: float, outcome: Outcome) -> None:
    assert checked(asked, None, after, Done(9, 9, "5x")).outcome is outcome


def test_one_that_could_not_be_asked_is_missing_with_its_reason() -> None:
    made = checked(GROWS, 10.0, None, Done(9, 9, "5x"))
    assert made.outcome is Outcome.MISSING
    assert made.why == "error 1146"
    assert decide(evidence(check(), made)).verdict is VerdictWord.INVALID


def test_nobody_asked_is_missing_too() -> None:
    (made,) = invariant_checks([GROWS], {}, Done(9, 9, "5x"))
    assert made.outcome is Outcome.MISSING


def test_lost_data_outranks_a_busy_host_a_stop_and_a_passed_peak() -> None:
    checks = (*(check(stage) for stage in ("1x", "2x", "5x")), of_rows(190))
    busy = doubt("native.host.foreign_cpu_ratio", "host")
    stopped = replace(stage_result("5x"), aborted_by="SIGTERM")
    for case in (
        evidence(*checks),
        evidence(*checks, validity=(busy,)),
        evidence(*checks, results=(stopped,)),
    ):
        verdict = decide(case)
        assert verdict.verdict is VerdictWord.NOT_READY
        assert verdict.rate_held_per_s == 0.0
        assert verdict.reasons[0] == "orders written: 190 of 191."


def test_data_that_is_right_makes_no_stage_pass_by_itself() -> None:
    assert decide(evidence(of_rows(191))).verdict is not VerdictWord.READY

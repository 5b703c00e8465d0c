"""Bounds, close calls, recoveries and the data: what terminal and page say beside pass and fail."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.fakes import runs

from readiness.model.verdict import INVARIANT, Check, Outcome, Severity, VerdictWord
from readiness.report.page import render_page
from readiness.report.summary import summarize
from readiness.report.terminal import ramp_summary
from readiness.report.view import RunView

P99 = Check(
    "commit-p99", "5x", "commit_p99_ms", "value", "<=", 50.0, "ms", Severity.CRITICAL,
    Outcome.PASSED, 48.0, 3200, interval=(45.0, 52.0),
)  # fmt: skip
ROWS = Check(
    "orders written", "5x", f"{INVARIANT}orders written", "value", "==", 191.0, "", Severity.CRITICAL,
    Outcome.PASSED, 191.0, why="191 of 191", because="an invariant of the plan",
)  # fmt: skip


def run_with(*checks: Check, word: VerdictWord = VerdictWord.READY) -> RunView:
    run = runs.ready_run()
    return replace(run, verdict=replace(run.verdict, verdict=word, checks=checks))


def told(run: RunView) -> tuple[str, str]:
    """What the terminal and the page say, on one line each."""
    return " ".join(ramp_summary(summarize(run)).split()), " ".join(render_page(run).split())


def test_a_passed_check_near_its_limit_is_told_as_close() -> None:
    terminal, page = told(run_with(P99))
    assert "close commit p99 at 5x: 48.0 ms (with 95 %: 45.0 ms to 52.0 ms)" in plain(terminal)
    assert "close: within the bounds" in page


def test_a_limit_outside_the_bounds_is_not_close() -> None:
    terminal, page = told(run_with(replace(P99, limit=90.0)))
    assert " close " not in terminal
    assert "45.0 ms to 52.0 ms" in plain(page)


def test_a_failed_check_near_its_limit_says_so_too() -> None:
    failed = replace(P99, outcome=Outcome.FAILED, value=51.0)
    terminal, page = told(run_with(failed, word=VerdictWord.NOT_READY))
    assert "(with 95 %: 45.0 ms to 52.0 ms)" in plain(terminal)
    assert "another run may end otherwise" in page


@pytest.mark.parametrize("outcome", [Outcome.PASSED, Outcome.FAILED, Outcome.MISSING])
def test_the_count_of_rows_stands_in_terminal_and_page(outcome: Outcome) -> None:
    word = VerdictWord.READY if outcome is Outcome.PASSED else VerdictWord.NOT_READY
    for text in told(run_with(P99, replace(ROWS, outcome=outcome), word=word)):
        assert "orders written: 191 of 191" in text.replace("Orders", "orders")
        assert "native.invariant" not in text


def test_lost_rows_are_the_sentence_under_the_verdict() -> None:
    lost = replace(ROWS, outcome=Outcome.FAILED, value=190.0, why="190 of 191")
    run = run_with(P99, lost, word=VerdictWord.NOT_READY)
    run = replace(run, verdict=replace(run.verdict, limited_by="orders written at 5x"))
    assert summarize(run).sentence == (
        "The data is not what the load made of it: orders written: 190 of 191."
    )


def test_a_recovery_is_a_line_of_its_own() -> None:
    assert "recovery 1x recover: back to normal" in told(runs.not_ready_run())[0]


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")

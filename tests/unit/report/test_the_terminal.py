from __future__ import annotations

import re

import pytest
from tests.fakes import runs

from readiness.model.verdict import VerdictWord
from readiness.report.summary import summarize
from readiness.report.terminal import DemoEnd, demo_tail, ramp_summary, step_line

END = DemoEnd(
    safety='the same load against "production" was refused: no marker row',
    left="nothing: 0 servers, 0 workers, 0 clones of ours still run",
    took_s=108.0,
    report=".local/runs/demo/report.html",
    is_cached=True,
    tries=(("make demo PLAN=demo-overload", "a run that fails"),),
)


@pytest.mark.parametrize("word", list(VerdictWord))
def test_the_last_line_is_the_verdict_for_machines(word: VerdictWord) -> None:
    summary = summarize(runs.invented_run(word))
    assert ramp_summary(summary).splitlines()[-1] == f"verdict: {word.value}"
    assert demo_tail(summary, END).splitlines()[-1] == f"verdict: {word.value}"


@pytest.mark.parametrize("word", list(VerdictWord))
def test_nothing_is_coloured_and_no_space_is_odd_unless_asked(word: VerdictWord) -> None:
    text = ramp_summary(summarize(runs.invented_run(word)))
    assert "\x1b" not in text
    assert "\u00a0" not in text
    assert [line for line in text.splitlines() if line != line.rstrip()] == []


def test_colour_changes_no_word() -> None:
    summary = summarize(runs.not_ready_run())
    coloured = ramp_summary(summary, colour=True)
    assert re.sub(r"\x1b\[\d+m", "", coloured) == ramp_summary(summary)
    assert coloured != ramp_summary(summary)


def test_a_ramp_that_failed_shows_stages_failures_and_where_to_read_on() -> None:
    text = ramp_summary(summarize(runs.not_ready_run()))
    assert re.search(r"^ ✕ 5x peak +59\.\d of 60 +\d\d\.\d ms", text, re.MULTILINE)
    assert re.search(
        r"^ failed +✕ commit_p99_peak +commit p99 at 5x: 9\d.* limit 50 ms", text, re.MULTILINE
    )
    assert re.search(r"^ +▲ sessions_peak +active sessions at 5x: ", text, re.MULTILINE)
    assert " report   runs/checkout-peak-20261130t021800z/report.html" in text
    assert " valid    yes, 12 of 12 rules hold" in text


def test_columns_of_the_stage_table_stand_under_each_other() -> None:
    lines = ramp_summary(summarize(runs.not_ready_run())).splitlines()
    head = next(line for line in lines if line.startswith("   stage"))
    rows = [line for line in lines if re.match(r" . (0\.5|\d)x ", line)]
    assert {len(row) for row in rows} == {len(head)}


@pytest.mark.parametrize("word", list(VerdictWord))
def test_no_line_is_wider_than_a_plain_terminal(word: VerdictWord) -> None:
    text = ramp_summary(summarize(runs.invented_run(word)))
    assert [line for line in text.splitlines() if len(line) > 84] == []


def test_a_stage_that_never_began_shows_no_figures() -> None:
    text = ramp_summary(summarize(runs.aborted_run()))
    assert re.search(r"^ ○ 1x recover +of 12$", text, re.MULTILINE)


def test_the_demo_ends_with_what_was_built_refused_and_left() -> None:
    text = demo_tail(summarize(runs.ready_run()), END)
    assert " workload 383 literals → 100 groups of equal values → 31 generated" in text
    assert ' safety   the same load against "production" was refused: no marker row' in text
    assert " left     nothing: 0 servers" in text
    assert " took     1 min 48 s (set-up was cached)" in text
    assert "no evidence about any real database" in text
    assert " try      make demo PLAN=demo-overload    a run that fails" in text


def test_steps_stand_in_columns() -> None:
    assert step_line("judge", 7.0, "5 of 5 checks passed") == (
        "  ✓ judge                          7 s   5 of 5 checks passed"
    )
    assert step_line("judge", 7.0, is_done=False).startswith("  ✕ judge")

"""A run with flows beside the one that is judged shows what they did; one without shows nothing."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.fakes import runs

from readiness.model.load import StageResult
from readiness.model.verdict import Check, Outcome, Severity
from readiness.report.companions import companion_rows
from readiness.report.page import render_page
from readiness.report.summary import summarize
from readiness.report.terminal import ramp_summary
from readiness.report.view import RunView


def slower(result: StageResult) -> StageResult:
    """A repayment beside a stage: at 2/s, two of its seconds without any."""
    stage = replace(result.stage, rate_per_s=2.0, from_rate_per_s=2.0)
    ticks = tuple(replace(t, offered=2, finished=2, failed=t.second % 2) for t in result.ticks)
    return replace(result, stage=stage, ticks=ticks)


@pytest.fixture
def run() -> RunView:
    made = runs.ready_run()
    results = tuple(replace(r, companions={"repayment": slower(r)}) for r in made.results)
    return replace(made, results=results)


def test_each_flow_has_a_row_at_each_stage(run: RunView) -> None:
    rows = companion_rows(run)
    assert [(r.flow, r.stage) for r in rows] == [
        ("repayment", run.label(s.name)) for s in run.stages
    ]
    first = rows[0]
    assert (first.asked_per_s, first.achieved_per_s, first.error_ratio) == (2.0, 2.0, 0.25)
    assert first.p50_ms == pytest.approx(2.4 * 30, rel=0.5)
    assert not first.is_p99_supported


def test_page_and_terminal_show_them(run: RunView) -> None:
    page, text = render_page(run), ramp_summary(summarize(run))
    assert "Flows beside checkout" in page
    assert "<td>repayment</td>" in page
    assert re.search(
        r"^   repayment at 5x +2\.00 of 2 +\d.* ms +\d.* ms +25 %$", text, re.MULTILINE
    )
    assert "only checkout and repayment were loaded" in page


def test_columns_of_the_table_stand_under_each_other(run: RunView) -> None:
    lines = ramp_summary(summarize(run)).splitlines()
    head = next(line for line in lines if line.startswith("   beside it"))
    rows = [line for line in lines if line.startswith("   repayment at")]
    assert {len(row) for row in rows} == {len(head)}


def test_the_rerun_names_the_workload_of_each_flow(run: RunView) -> None:
    folder = run.folder
    assert f"--workload repayment={folder}/workload-repayment.sql" in summarize(run).rerun[-1]


def test_a_check_of_such_a_flow_names_it_and_marks_no_panel_of_the_first(run: RunView) -> None:
    failed = Check(
        "repayments-wait", "5x", "commit_p99_ms", "value", "<=", 1.0, "ms", Severity.CRITICAL,
        Outcome.FAILED, 5.5, 900, flow="repayment",
    )  # fmt: skip
    page = render_page(replace(run, verdict=replace(run.verdict, checks=(failed,))))
    assert "Commit p99 of repayment at 5x: 5.50\u00a0ms, limit 1\u00a0ms" in page
    assert "limit 1\u00a0ms</span>" not in page
    assert 'class="broke"' not in page


def test_a_run_of_one_flow_has_no_such_table() -> None:
    run = runs.ready_run()
    assert companion_rows(run) == ()
    assert "Flows beside" not in render_page(run)
    assert "beside it" not in ramp_summary(summarize(run))

"""What a person held in a tuned stage stands in the report, rate by rate."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes import runs
from tests.fakes.stages import histogram, stage_result, tick

from readiness.model.load import RateChange, Stage, StageResult
from readiness.report.live import LiveRamp
from readiness.report.page import render_page
from readiness.report.summary import summarize
from readiness.report.view import RunView

TUNED = Stage("5x", 10.0, 600.0, warmup_s=2.0, tuned_max_per_s=90.0)


def held(*rates: RateChange) -> StageResult:
    """Ten seconds: fast in the first six, slow in the others."""
    ticks = tuple(
        tick(s, checkout=histogram(20.0 if s < 6 else 900.0, 200), commit=histogram(5.0, 400))
        for s in range(10)
    )
    return replace(stage_result("5x"), stage=TUNED, ticks=ticks, rates=rates)


def run_of(result: StageResult) -> RunView:
    run = runs.ready_run()
    return replace(run, results=(*run.results[:-1], result))


def test_each_rate_says_how_long_it_was_held_and_what_it_showed() -> None:
    result = held(RateChange(4, 40.0), RateChange(6, 90.0), RateChange(10, 0.0))
    rows = summarize(run_of(result)).tuned
    assert [(r.rate_per_s, r.from_s, r.held_s) for r in rows] == [
        (10, 0, 4),
        (40, 4, 2),
        (90, 6, 4),
    ]
    assert [round(r.response_p99_ms or 0, -1) for r in rows] == [20, 20, 900]
    assert [r.is_p99_supported for r in rows] == [True, True, True]


def test_a_rate_that_was_held_in_the_warm_up_alone_has_no_figures() -> None:
    rows = summarize(run_of(held(RateChange(2, 40.0)))).tuned
    assert (rows[0].rate_per_s, rows[0].response_p99_ms, rows[0].achieved_per_s) == (10, None, None)
    assert rows[1].held_s == 8


def test_a_rate_that_was_replaced_before_it_held_is_left_out() -> None:
    rows = summarize(
        run_of(held(RateChange(4, 40.0), RateChange(4, 50.0), RateChange(99, 60.0)))
    ).tuned
    assert [(r.rate_per_s, r.held_s) for r in rows] == [(10, 4), (50, 6)]


def test_the_page_has_the_table_where_a_stage_was_tuned_and_only_there() -> None:
    assert "Rates by hand" in render_page(run_of(held(RateChange(4, 40.0))))
    assert "Rates by hand" not in render_page(runs.ready_run())


def test_the_live_picture_shows_the_rate_that_is_held_now() -> None:
    live = LiveRamp("p", [TUNED])
    live.begin(TUNED)
    live.update(tick(0, offered=10))
    live.update(tick(1, offered=40))
    assert "of 40/s now" in live.line(0.0)
    assert "of 40/s now" in live.frame(0.0)

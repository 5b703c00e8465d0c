"""A stage's figures: of its measured seconds, and only where enough operations stand behind them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.fakes.stages import BEGAN, histogram, samples, stage_result, tick

from readiness.analysis.figures import stage_figures
from readiness.model.load import StageResult


def test_ramp_and_warm_up_do_not_count() -> None:
    slow = replace(tick(0), commit=histogram(900.0, 100))
    result = stage_result()
    result = replace(result, ticks=(slow, *result.ticks[1:]))
    figure = stage_figures(result, [])["commit_max_ms"]
    assert figure.series == (5.0,)
    assert figure.count == 800


def test_percentiles_come_from_merged_seconds_not_from_their_percentiles() -> None:
    """99 fast seconds and a slow one: the p99 of all is fast, the mean of p99s is not."""
    fast = [replace(tick(s), commit=histogram(1.0, 100)) for s in range(2, 101)]
    slow = replace(tick(101), commit=histogram(1000.0, 100))
    result = replace(stage_result(), ticks=(*fast, slow))
    p99 = stage_figures(result, [])["commit_p99_ms"].series[0]
    assert p99 == pytest.approx(1.0, rel=0.01)


@pytest.mark.parametrize(
    ("statistic", "count", "is_given"),
    [("p99", 367, False), ("p99", 368, True), ("p95", 71, False), ("p95", 72, True),
     ("mean", 1, True), ("max", 0, False)],
)  # fmt: skip
def test_a_percentile_without_support_is_refused(
    statistic: str, count: int, is_given: bool
) -> None:
    result = replace(
        stage_result(seconds=1, measured_from_s=0, commit=histogram(3.0, count)), statements={}
    )
    figure = stage_figures(result, [])[f"commit_{statistic}_ms"]
    assert bool(figure.series) == is_given
    assert figure.count == count
    assert ("needs" in figure.why) != is_given


def test_every_second_stands_in_a_rate() -> None:
    figure = stage_figures(stage_result(dropped=3), [])["dropped_per_s"]
    assert figure.series == (3.0,) * 8


def test_errors_are_a_share_of_what_finished() -> None:
    assert stage_figures(stage_result(failed=2), [])["error_ratio"].series == (0.2,)


def test_without_a_finished_checkout_there_is_no_error_ratio() -> None:
    figure = stage_figures(stage_result(finished=0), [])["error_ratio"]
    assert figure.series == ()
    assert figure.why == "no checkout finished"


@pytest.mark.parametrize(
    ("offered", "finished", "ratio"),
    [(10, 10, 1.0), (10, 12, 1.0), (10, 5, 1 - 39 / 80), (10, 0, 0.0)],
)
def test_the_achieved_share_is_of_what_was_due(offered: int, finished: int, ratio: float) -> None:
    figure = stage_figures(stage_result(offered=offered, finished=finished), [])["achieved_ratio"]
    assert figure.series[0] == pytest.approx(ratio)


def test_one_checkout_under_way_at_the_edge_is_no_shortfall() -> None:
    last = replace(tick(9), finished=9)
    result = stage_result()
    result = replace(result, ticks=(*result.ticks[:-1], last))
    assert stage_figures(result, [])["achieved_ratio"].series == (1.0,)


def test_samples_of_the_measured_seconds_become_a_series() -> None:
    taken = samples(aas=1.5) + samples("1x", aas=99.0)
    figure = stage_figures(stage_result(), taken)["aas"]
    assert figure.series == (1.5,) * 8


def test_samples_of_the_drain_do_not_count() -> None:
    late = [replace(s, ts=BEGAN + 12.5, value=0.0) for s in samples(seconds=[0])]
    assert stage_figures(stage_result(), [*samples(), *late])["aas"].series == (1.5,) * 8


def test_a_stage_without_seconds_has_no_rates_and_says_why() -> None:
    result: StageResult = stage_result(seconds=0)
    figures = stage_figures(result, samples())
    assert "dropped_per_s" not in figures
    assert "aas" not in figures
    assert figures["achieved_ratio"].why == "no checkout was due"


def test_statements_and_service_are_of_the_whole_stage() -> None:
    result = replace(stage_result(), service=histogram(60.0, 100))
    figures = stage_figures(result, [])
    assert figures["statement_mean_ms"].series == (3.5,)
    assert figures["checkout_service_mean_ms"].series == (60.0,)


def test_retries_and_those_who_left_are_counted_each_second() -> None:
    figures = stage_figures(stage_result(retried=3, expired=2), [])
    assert figures["retries_per_s"].series == (3.0,) * 8
    assert figures["expired_per_s"].series == (2.0,) * 8


def test_the_wait_at_a_gate_is_a_figure_only_where_there_is_a_gate() -> None:
    assert "gate_wait_p50_ms" not in stage_figures(stage_result(), [])
    waited = stage_figures(stage_result(queue=histogram(40.0, 100)), [])
    assert waited["gate_wait_p50_ms"].series[0] == pytest.approx(40.0, rel=0.01)

"""A rule stops the load after so many seconds on end, and not before."""

from __future__ import annotations

import pytest
from tests.fakes.stages import histogram, samples, tick

from readiness.analysis.abort import AbortWatch, aborting_metric, second_value
from readiness.model.verdict import AbortRule

ERRORS = AbortRule("error_ratio", ">", 0.05, 3)


def test_a_breach_of_the_whole_time_stops_the_load() -> None:
    watch = AbortWatch([ERRORS])
    said = [watch.update(tick(s, failed=1), []) for s in range(3)]
    assert said == [None, None, "error_ratio > 0.05 for 3 s (0.1)"]


def test_one_good_second_begins_anew() -> None:
    watch = AbortWatch([ERRORS])
    said = [watch.update(tick(s, failed=int(s != 2)), []) for s in range(5)]
    assert said == [None] * 5


def test_a_second_that_cannot_say_neither_adds_nor_ends() -> None:
    watch = AbortWatch([ERRORS])
    finished = [10, 10, 0, 0, 10]
    seconds = [tick(s, failed=min(1, n), finished=n) for s, n in enumerate(finished)]
    said = [watch.update(second, []) for second in seconds]
    assert said[:4] == [None] * 4
    assert said[4] is not None


def test_a_rule_of_the_server_reads_the_latest_sample() -> None:
    watch = AbortWatch([AbortRule("aas", ">", 8, 1)])
    assert watch.update(tick(), samples(aas=3.0)) is None
    assert watch.update(tick(), samples(aas=9.0)) == "aas > 8 for 1 s (9)"


def test_a_metric_nobody_measures_stops_nothing() -> None:
    watch = AbortWatch([AbortRule("aas", ">", 0, 1)])
    assert watch.update(tick(), []) is None


@pytest.mark.parametrize(
    ("metric", "value"),
    [("commit_p99_ms", 5.0), ("commit_mean_ms", 5.0), ("checkout_response_max_ms", 80.0),
     ("schedule_lag_p99_ms", 0.3), ("in_flight", 2.0), ("achieved_ratio", 1.0),
     ("generator_cpu_ratio", 0.2), ("goodput_per_s", 10.0), ("connect_p95_ms", 1.0)],
)  # fmt: skip
def test_every_metric_of_the_engine_has_a_value_each_second(metric: str, value: float) -> None:
    assert second_value(metric, tick(), []) == pytest.approx(value, rel=0.01)


def test_a_second_without_a_commit_has_no_commit_latency() -> None:
    assert second_value("commit_p99_ms", tick(commit=histogram(1.0, 0)), []) is None


@pytest.mark.parametrize(
    ("aborted_by", "metric"),
    [(f"{ERRORS.text} (0.1)", "error_ratio"), ("native.x.y >= 1 for 2 s (3)", "native.x.y"),
     ("SIGINT", ""), ("stopped by Ctrl-C", ""), ("", "")],
)  # fmt: skip
def test_the_rule_is_told_from_a_signal(aborted_by: str, metric: str) -> None:
    assert aborting_metric(aborted_by) == metric

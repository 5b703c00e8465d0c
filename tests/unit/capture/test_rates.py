"""The normal rate of a log is that of its median minute, not of its average."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

import pytest
from tests.fakes.captures import alone

from readiness.capture.rates import Clock

SECOND = 1_000_000_000
START = 1_796_000_000 * SECOND


def clock_of(*seconds: float) -> Clock:
    clock = Clock()
    for second in seconds:
        clock.note(replace(alone("x"), began_ns=START + round(second * SECOND)))
    return clock


def test_a_burst_moves_the_peak_and_not_the_normal_rate() -> None:
    calm = [minute * 60 + second for minute in range(5) for second in range(0, 60, 10)]
    burst = [130 + n / 100 for n in range(594)]
    rate = clock_of(*calm, *burst, 300).rate()
    assert rate is not None
    assert (rate.minutes, rate.normal_per_s) == (5, pytest.approx(0.1))
    assert rate.peak_minute_per_s == pytest.approx(10)


def test_minutes_without_any_count_as_zero() -> None:
    rate = clock_of(0, 1, 2, 599, 600).rate()
    assert rate is not None
    assert rate.normal_per_s == 0


@pytest.mark.parametrize("minutes", [3, 4, 7, 8])
def test_the_normal_rate_is_the_median_over_full_and_empty_minutes(minutes: int) -> None:
    for full in range(minutes + 1):
        begins = [at * 60 + n for at in range(full) for n in range(at + 1)]
        rate = clock_of(0, *begins, minutes * 60).rate()
        counts = [at + 1 for at in range(full)] + [0] * (minutes - full)
        counts[0] += 1
        assert rate is not None
        assert rate.normal_per_s == pytest.approx(median(counts) / 60)


def test_a_clock_that_was_set_thirty_years_back_costs_no_time() -> None:
    rate = clock_of(0, 1, 30 * 365 * 86_400).rate()  # 15 million empty minutes
    assert rate is not None
    assert (rate.normal_per_s, rate.minutes) == (0, 30 * 365 * 1440)


def test_a_short_log_has_a_mean_and_no_peak_minute() -> None:
    rate = clock_of(0, 1, 2, 3, 4, 10).rate()
    assert rate is not None
    assert (rate.normal_per_s, rate.peak_minute_per_s) == (pytest.approx(0.6), None)


@pytest.mark.parametrize("seconds", [(), (5,), (5, 5.4)])
def test_a_log_without_time_between_its_ends_has_no_rate(seconds: tuple[float, ...]) -> None:
    assert clock_of(*seconds).rate() is None


def test_flows_are_counted_over_the_time_of_the_log_or_of_the_window() -> None:
    clock = clock_of(0, 100)
    begins = [START + n * 10 * SECOND for n in range(5)]
    whole = clock.rate_of(begins)
    window = clock.rate_of(begins, from_ns=START, to_ns=START + 50 * SECOND)
    assert whole is not None
    assert window is not None
    assert (whole.normal_per_s, window.normal_per_s) == (0.05, 0.1)


def test_transactions_without_a_time_are_no_evidence() -> None:
    clock = Clock()
    clock.note(alone("x"))
    assert clock.rate() is None
    assert clock.rate_of([START]) is None

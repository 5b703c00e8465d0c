"""The interval of a percentile: never without support, and right as often as it says."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readiness.analysis.intervals import interval, needed, ranks
from readiness.model.histogram import Histogram

QUANTILES = st.sampled_from([0.5, 0.95, 0.99])


def chance_below(count: int, q: float, rank: int) -> float:
    """How likely it is that fewer than `rank` of `count` values lie below the quantile."""
    terms = (
        math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1)
        + k * math.log(q) + (count - k) * math.log(1 - q)
        for k in range(rank)
    )  # fmt: skip
    return math.fsum(map(math.exp, terms))


@pytest.mark.parametrize(("q", "least"), [(0.5, 6), (0.95, 72), (0.99, 368)])
def test_below_the_needed_count_a_percentile_has_no_interval(q: float, least: int) -> None:
    assert needed(q) == least
    assert ranks(least - 1, q) is None
    assert ranks(least, q) is not None


@given(st.integers(6, 3000), QUANTILES)
def test_the_ranks_enclose_the_quantile_with_95_percent(count: int, q: float) -> None:
    found = ranks(count, q)
    if found is None:
        assert count < needed(q)
        return
    low, high = found
    assert 1 <= low <= math.ceil(q * count) <= high <= count
    covered = chance_below(count, q, high) - chance_below(count, q, low)
    assert covered >= 0.949


@given(QUANTILES, st.integers(400, 200_000))
def test_more_values_never_make_the_interval_much_wider(q: float, count: int) -> None:
    def width(n: int) -> float:
        low, high = ranks(n, q) or (1, n)
        return (high - low) / n

    assert width(4 * count) <= width(count)


@given(st.lists(st.integers(1, 10**11), min_size=400, max_size=600), QUANTILES)
def test_the_bounds_lie_around_the_percentile(numbers: list[int], q: float) -> None:
    made = Histogram()
    for number in numbers:
        made.record(number)
    low, high = interval(made, q) or (0.0, 0.0)
    assert low <= (made.percentile(q) or 0.0) <= high


def test_of_many_stages_the_true_p99_lies_inside_nineteen_of_twenty_times() -> None:
    drawn = random.Random(8)
    true, held = -math.log(0.01) * 1e6, 0
    for _ in range(200):
        made = Histogram()
        for _ in range(500):
            made.record(round(drawn.expovariate(1e-6)))
        low, high = interval(made, 0.99) or (0.0, 0.0)
        held += low <= true * 1.01 and high >= true * 0.99
    assert held >= 186

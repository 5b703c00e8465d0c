"""Bounds of a percentile: by counting alone, whatever the distribution."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readiness.analysis.figures import SUPPORT
from readiness.analysis.intervals import interval, needed, ranks
from readiness.model.histogram import Histogram

QUANTILES = st.sampled_from([0.5, 0.95, 0.99])


def binomial_below(count: int, q: float, rank: int) -> float:
    """P(K < rank) of a binomial K with `count` and `q`, term by term."""
    logs = (
        math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1)
        + k * math.log(q) + (count - k) * math.log(1 - q)
        for k in range(rank)
    )  # fmt: skip
    return math.fsum(map(math.exp, logs))


@given(QUANTILES, st.integers(1, 3000))
def test_the_bounds_hold_the_quantile_with_95_percent(q: float, count: int) -> None:
    found = ranks(count, q)
    if count < needed(q):
        assert found is None
        return
    assert found is not None
    low, high = found
    assert 1 <= low < high <= count
    inside = binomial_below(count, q, high) - binomial_below(count, q, low)
    assert inside >= 0.95 - 0.002  # the normal curve, where it is used, is off by less


@given(QUANTILES, st.integers(1, 3000))
def test_the_percentile_lies_between_its_bounds(q: float, count: int) -> None:
    rng, histogram = random.Random(count), Histogram()
    for _ in range(count):
        histogram.record(int(rng.expovariate(1e-6)))
    bounds, value = interval(histogram, q), histogram.percentile(q)
    assert (bounds is None) == (count < needed(q))
    if bounds and value is not None:
        assert bounds[0] <= value <= bounds[1]


@pytest.mark.parametrize(("q", "count"), [(0.5, 6), (0.95, 72), (0.99, 368)])
def test_one_value_less_leaves_no_upper_bound(q: float, count: int) -> None:
    assert needed(q) == count
    assert ranks(count, q) is not None
    assert ranks(count - 1, q) is None


def test_what_a_percentile_needs_is_one_rule() -> None:
    assert SUPPORT == {"p50": 6, "p95": 72, "p99": 368}


def test_more_values_narrow_the_bounds() -> None:
    shares = []
    for count in (400, 4_000, 40_000, 400_000):
        low, high = ranks(count, 0.99) or (0, 0)
        shares.append((high - low) / count)
    assert shares == sorted(shares, reverse=True)

"""Laws of the latency histogram: merging is free of order, percentiles are within 1/128."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readiness.model.histogram import Histogram, bucket_middle, bucket_of, merged

values = st.integers(0, 10**12)
samples = st.lists(values, max_size=60)


def histogram_of(numbers: list[int]) -> Histogram:
    made = Histogram()
    for number in numbers:
        made.record(number)
    return made


@given(st.lists(samples, min_size=1, max_size=5), st.data())
def test_merging_in_any_order_is_recording_all(parts: list[list[int]], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(parts))
    everything = histogram_of([number for part in parts for number in part])
    assert merged(map(histogram_of, parts)) == merged(map(histogram_of, shuffled)) == everything


@given(st.lists(values, min_size=1, max_size=200), st.floats(0, 1))
def test_a_percentile_is_within_a_128th_of_the_true_one(numbers: list[int], q: float) -> None:
    true = sorted(numbers)[max(1, math.ceil(q * len(numbers))) - 1]
    assert histogram_of(numbers).percentile(q) == pytest.approx(true, rel=1 / 128, abs=0.5)


@given(samples)
def test_count_sum_minimum_and_maximum_are_exact(numbers: list[int]) -> None:
    made = histogram_of(numbers)
    assert (made.count, made.total) == (len(numbers), sum(numbers))
    assert (made.minimum, made.maximum) == (min(numbers, default=0), max(numbers, default=0))
    assert made.mean() == (pytest.approx(sum(numbers) / len(numbers)) if numbers else None)


@given(samples)
def test_the_file_form_gives_the_same_histogram_back(numbers: list[int]) -> None:
    made = histogram_of(numbers)
    assert Histogram.from_json(made.to_json()) == made


@given(values)
def test_the_middle_of_a_bucket_lies_in_it(value: int) -> None:
    middle = bucket_middle(bucket_of(value))
    assert bucket_of(int(middle)) == bucket_of(value)
    assert middle == pytest.approx(value, rel=1 / 128, abs=0.5)


@given(values)
def test_recording_counts_in_the_bucket_of_the_value(value: int) -> None:
    assert histogram_of([value]).counts == {bucket_of(value): 1}


def test_an_empty_histogram_has_no_percentile_and_no_mean() -> None:
    assert (Histogram().percentile(0.5), Histogram().mean()) == (None, None)


def test_counts_that_do_not_add_up_are_refused() -> None:
    data = histogram_of([1, 2, 3]).to_json() | {"count": 4}
    with pytest.raises(ValueError, match="add up"):
        Histogram.from_json(data)

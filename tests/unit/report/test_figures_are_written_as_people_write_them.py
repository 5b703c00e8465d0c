from __future__ import annotations

import math

import pytest

from readiness.report import numbers


@pytest.mark.parametrize(
    ("value", "text"),
    [(94.12, "94.1"), (7.4, "7.40"), (0.58, "0.58"), (2204.4, "2,200"), (401_234.0, "401,000"),
     (9.996, "10.0"), (999.6, "1,000"), (0.0, "0"), (-3.25, "−3.25"), (0.001, "<\u00a00.01")],
)  # fmt: skip
def test_three_significant_digits_and_at_most_two_decimals(value: float, text: str) -> None:
    assert numbers.significant(value) == text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(0.35, "35"), (0.354, "35"), (0.995, "99.5"), (0.9999, "99.9"), (1.0, "100"),
     (0.0021, "0.21"), (0.0, "0"), (0.07, "7.0"), (0.0999, "10"), (1.25, "125")],
)  # fmt: skip
def test_shares_are_whole_except_where_a_decimal_tells_something(ratio: float, text: str) -> None:
    assert numbers.share(ratio) == f"{text}\u00a0%"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(50.0, "ms", "50 ms"), (0.05, "ratio", "5 %"), (3000.0, "/s", "3,000/s"), (0.5, "s", "0.5 s"),
     (24.0, "sessions", "24 sessions")],
)  # fmt: skip
def test_a_limit_is_written_as_the_person_set_it(value: float, unit: str, text: str) -> None:
    assert numbers.plain(numbers.quantity(value, unit, as_set=True)) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.4, "0.4 s"),
        (40.0, "40 s"),
        (108.0, "1 min 48 s"),
        (11_400.0, "3 h 10 min"),
        (60, "1 min"),
    ],
)
def test_durations_use_two_units_at_most(seconds: float, text: str) -> None:
    assert numbers.plain(numbers.duration(seconds)) == text


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_what_is_no_number_is_a_dash(value: float | None) -> None:
    assert numbers.quantity(value, "ms") == "–"


def test_times_name_day_and_zone() -> None:
    assert numbers.plain(numbers.moment(1796005080.0)) == "Mon 30 Nov 2026, 02:18 UTC"


@pytest.mark.parametrize(
    ("bytes_", "text"), [(512, "512 bytes"), (412_000_000, "412 MB"), (1_500, "1.50 kB")]
)
def test_bytes_take_the_unit_that_keeps_them_short(bytes_: int, text: str) -> None:
    assert numbers.plain(numbers.size(bytes_)) == text

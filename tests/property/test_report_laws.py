"""What holds for any figure and any series that a report may meet."""

from __future__ import annotations

import math
import re

from hypothesis import given
from hypothesis import strategies as st

from readiness.report.figures import axis, path
from readiness.report.live import sparkline
from readiness.report.numbers import duration, quantity, share, significant

FINITE = st.floats(-1e12, 1e12, allow_nan=False)
VALUES = st.lists(st.none() | st.floats(0, 1e9, allow_nan=False), max_size=80)


@given(st.floats(0.005, 1e9, allow_nan=False))
def test_a_written_figure_is_within_half_a_percent_or_a_hundredth(value: float) -> None:
    read = float(significant(value).replace(",", ""))
    assert abs(read - value) <= max(value * 0.00501, 0.005001)


@given(st.floats(0, 1, exclude_max=True))
def test_less_than_all_is_never_written_as_all(ratio: float) -> None:
    assert not share(ratio).startswith("100")


@given(
    st.none() | st.sampled_from([math.nan, math.inf, -math.inf]) | FINITE,
    st.sampled_from(["ms", "ratio", "/s", "bytes", "s", ""]),
)
def test_no_figure_is_ever_written_as_nan(value: float | None, unit: str) -> None:
    text = quantity(value, unit) + quantity(value, unit, as_set=True)
    assert "nan" not in text
    assert "inf" not in text


@given(st.floats(0, 1e7))
def test_a_duration_never_shows_sixty_of_a_unit(seconds: float) -> None:
    assert not re.search(r"\b60\b (?:s|min)", duration(seconds).replace("\u00a0", " "))


@given(st.lists(st.floats(0, 1e9), max_size=5), st.sampled_from([56, 96, 130]))
def test_an_axis_holds_every_value_and_has_few_ticks(values: list[float], height: int) -> None:
    top, ticks = axis(values, height)
    assert top > max(values, default=0.0) * 1.07
    assert 2 <= len(ticks) <= 5
    assert ticks[0] == 0
    assert ticks[-1] <= top


@given(VALUES)
def test_a_path_draws_every_value_once_and_breaks_at_each_gap(values: list[float | None]) -> None:
    text = path([float(i) for i in range(len(values))], tuple(values), 1e9)
    known = [v is not None for v in values]
    runs = sum(now and not before for now, before in zip(known, [False, *known], strict=False))
    assert text.count("M") == runs
    assert len(re.findall(r"[\d.]+ [\d.]+", text)) == sum(known)


@given(VALUES, st.integers(1, 60))
def test_a_trace_is_never_wider_than_asked(values: list[float | None], width: int) -> None:
    assert len(sparkline(values, width)) == min(len(values), width)

"""What holds for any figure and any series that a report may meet."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from readiness.report.figures import axis, outlines, path, stacked, strokes
from readiness.report.live import sparkline
from readiness.report.numbers import duration, exact, quantity, share, significant
from readiness.report.timeline import Timeline, Values
from readiness.report.view import multiple

FINITE = st.floats(-1e12, 1e12, allow_nan=False)
VALUES = st.lists(st.none() | st.floats(0, 1e9, allow_nan=False), max_size=80)
MAYBE = st.none() | st.floats(0, 1e3)
STACKS = st.lists(st.tuples(MAYBE, MAYBE), min_size=1, max_size=20)


def columns(values: Sequence[float | None], rows: Mapping[str, Values] | None = None) -> Timeline:
    """A timeline of one-second columns, as many as there are values."""
    edges = tuple((float(i), i + 1.0) for i in range(len(values)))
    return Timeline((), len(values), 1, edges, rows or {})


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


@given(FINITE)
def test_a_number_as_set_reads_back(value: float) -> None:
    text = exact(value)
    assert text != "−0"
    assert math.isclose(float(text.replace(",", "").replace("−", "-")), value, abs_tol=1e-6)


@given(st.floats(0, allow_infinity=True), st.floats(0, 1e9, exclude_min=True))
def test_a_multiple_is_a_number_or_nothing(rate: float, normal: float) -> None:
    assert re.fullmatch(r"([\d.e+-]+x)?", multiple(rate / normal))


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
def test_a_drawing_shows_every_value_and_breaks_at_each_gap(values: list[float | None]) -> None:
    time = columns(values)
    known = [v is not None for v in values]
    runs = sum(now and not before for now, before in zip(known, [False, *known], strict=False))
    for drawn in (outlines(time, tuple(values)), strokes(time, tuple(values))):
        assert len(drawn) == runs
        heights = [{y for _, y in points} for points in drawn]
        assert set().union(*heights) == {v for v in values if v is not None}


@given(VALUES)
def test_an_outline_covers_the_columns_that_have_a_value_and_no_other(
    values: list[float | None],
) -> None:
    drawn = outlines(columns(values), tuple(values))
    covered = {s for points in drawn for s in range(int(points[0][0]), int(points[-1][0]))}
    assert covered == {second for second, v in enumerate(values) if v is not None}


@given(st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e9)), max_size=20))
def test_a_path_stays_in_its_drawing(points: list[tuple[float, float]]) -> None:
    drawn = [float(y) for y in re.findall(r" (-?[\d.]+)", path(points, 1e6))][::2]
    assert all(0 <= y <= 100 for y in drawn)


@given(STACKS)
def test_layers_never_cross_and_leave_gaps_where_nothing_was_measured(
    rows: list[tuple[float | None, float | None]],
) -> None:
    whole, commit = tuple(a for a, _ in rows), tuple(b for _, b in rows)
    layers = stacked(columns(whole, {"aas": whole, "aas_commit": commit}))
    for column, (a, b) in enumerate(rows):
        edges = [high[column] for _, high in layers]
        if a is None and b is None:
            assert set(edges) <= {None}
        else:
            assert edges == sorted(v for v in edges if v is not None)


@given(VALUES, st.integers(1, 60))
def test_a_trace_is_never_wider_than_asked(values: list[float | None], width: int) -> None:
    assert len(sparkline(values, width)) == min(len(values), width)

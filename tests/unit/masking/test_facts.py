"""What a figure of a masked clone must be, and how it is told."""

from __future__ import annotations

import math

import pytest

from readiness.masking.prove.facts import KINDS, Law, excess, holds, told
from readiness.masking.prove.originals import chance_limit, needed_room
from readiness.model.masking import MaskFact


def fact(name: str, before: float, after: float, tolerance: float = 0.0) -> MaskFact:
    return MaskFact(name, "users.email", before, after, tolerance)


@pytest.mark.parametrize(
    ("name", "before", "after", "tolerance", "expected"),
    [
        ("rows", 10, 10, 0, True),
        ("rows", 10, 11, 0, False),
        ("null_share", 0, 1e-6, 0, False),
        ("distinct", 100, 99, 0.01, True),
        ("distinct", 100, 98, 0.01, False),
        ("index_bytes", 100, 85, 0.15, True),
        ("index_bytes", 100, 116, 0.15, False),
        ("survivors", 0, 1, 0, False),
        ("unchanged", 2, 1, 0, True),
        ("unchanged", 2, 3, 0, False),
    ],
)
def test_a_figure_holds_within_its_law(
    name: str, before: float, after: float, tolerance: float, expected: bool
) -> None:
    made = fact(name, before, after, tolerance)
    assert holds(made) is expected
    assert (excess(made) <= 0) is expected


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("missing", [math.nan, math.inf, -math.inf])
def test_a_missing_figure_never_holds(name: str, missing: float) -> None:
    assert not holds(fact(name, missing, 0))
    assert not holds(fact(name, 0, missing))
    assert not holds(fact(name, missing, missing))


def test_a_figure_is_told_with_its_place_and_its_limit() -> None:
    assert (
        told(fact("survivors", 0, 3))
        == "users.email: 3 rows with a value that a row had before masking (at most 0)"
    )
    assert told(fact("distinct", 10, 7, 0.05)) == "users.email: 7 distinct values (10 before, ± 5%)"


def test_limits_are_of_what_is_counted_to_find_something() -> None:
    assert {name for name, kind in KINDS.items() if kind.law is Law.AT_MOST} == {
        *("orphans", "survivors", "skipped", "unchanged", "copies", "emptied"),
        *("email", "phone", "card"),
    }


@pytest.mark.parametrize(
    ("expected", "limit"), [(0.0, 0), (1e-7, 0), (1e-4, 1), (0.1, 3), (1.0, 8), (100.0, 145)]
)
def test_chance_may_leave_as_many_values_as_it_does_once_in_100_000(
    expected: float, limit: int
) -> None:
    assert chance_limit(expected) == limit


@pytest.mark.parametrize("expected", [699.0, 701.0, 9_999.0, 1e9])
def test_many_values_may_stay_by_chance_and_a_few_deviations(expected: float) -> None:
    assert expected < chance_limit(expected) < expected + 6 * math.sqrt(expected)


def test_the_more_values_the_wider_a_look_must_be() -> None:
    """10 000 masked values and 10 000 originals of 11 digits: 1e8 pairs, 1e-3 of them meet."""
    assert needed_room(10_000) == 11
    assert needed_room(0) == 5

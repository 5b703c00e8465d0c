"""Each table gets a range that no other table has ids in, and keeps it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from readiness.workload.prove.salt import RANGE, Counted, Salting, plan, to_text


def counted(table: str, following: int = 1, type: str = "bigint unsigned") -> Counted:
    return Counted(table, "id", type, following)


def by_table(saltings: list[Salting]) -> dict[str, tuple[str, int]]:
    return {s.counted.table: (s.action, s.start // RANGE) for s in saltings}


def after(saltings: list[Salting]) -> list[Counted]:
    return [
        replace(s.counted, following=s.start) if s.action == "salt" else s.counted for s in saltings
    ]


def test_fresh_tables_get_one_range_each() -> None:
    found = by_table(plan([counted("loans"), counted("orders", 41)]))
    assert found == {"loans": ("salt", 1), "orders": ("salt", 2)}


def test_ranges_lie_above_every_id_that_is_there() -> None:
    """Rows of a big table may hold any id up to its counter."""
    found = by_table(plan([counted("big", 35_000_000), counted("small", 7)]))
    assert found == {"big": ("stays", 3), "small": ("salt", 4)}


def test_tables_that_share_a_range_are_parted() -> None:
    found = by_table(plan([counted("a", RANGE + 5), counted("b", RANGE + 9)]))
    assert found == {"a": ("salt", 2), "b": ("salt", 3)}


def test_a_table_near_the_end_of_its_range_gets_another() -> None:
    """Eight more of its rows would have the ids of the next range."""
    found = by_table(plan([counted("a", 2 * RANGE - 8), counted("b", 1)]))
    assert found == {"a": ("salt", 2), "b": ("salt", 3)}


def test_a_float_has_no_room_for_exact_ids() -> None:
    assert [s.action for s in plan([counted("odd", 2, "float")])] == ["left"]


def test_small_types_are_left() -> None:
    made = plan([counted("flags", 3, "tinyint"), counted("tags", 3, "mediumint unsigned")])
    assert [s.action for s in made] == ["left", "left"]
    assert "left as it is: tinyint has no room for a range" in to_text(made)


def test_an_int_gets_a_range_below_a_table_of_huge_ids() -> None:
    huge = counted("events", 7_000_000_000_000_000_000)
    assert by_table(plan([huge, counted("orders", 1, "int")]))["orders"] == ("salt", 1)


def test_a_database_without_counters_has_nothing_to_do() -> None:
    assert to_text(plan([])) == "no table has an AUTO_INCREMENT column"


types = st.sampled_from(["int", "int unsigned", "bigint", "bigint unsigned"])
tables = st.lists(st.tuples(st.integers(1, 1_500_000_000), types), min_size=1, max_size=30).map(
    lambda found: [counted(f"t{k:02d}", at, kind) for k, (at, kind) in enumerate(found)]
)


@given(tables)
def test_salting_twice_is_salting_once(counters: list[Counted]) -> None:
    again = plan(after(plan(counters)))
    assert {s.action for s in again} <= {"stays", "left"}


@given(tables)
def test_no_two_tables_share_a_range_and_ids_only_rise(counters: list[Counted]) -> None:
    made = plan(counters)
    ranges = [s.start // RANGE for s in made if s.action != "left"]
    assert len(set(ranges)) == len(ranges)
    for salting in (s for s in made if s.action == "salt"):
        assert salting.counted.following <= salting.start < salting.counted.highest

"""Pools of existing rows: skewed, grouped by their parent, never empty when picked from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from tests.fakes.checkouts import TableSession, small_pools, small_workload

from readiness.errors import WorkloadError
from readiness.ports import Row
from readiness.workload.make.free import Free, Order
from readiness.workload.make.pools import Group, Pools, read_pools
from readiness.workload.make.rows import field_bytes

PRODUCTS: list[Row] = [(1, "A-1"), (1, "A-2"), (2, "B-1"), (2, "B-2"), (3, "C-1")]


def pools(merchants: list[Row], products: list[Row] = PRODUCTS) -> Pools:
    session = TableSession({"merchants": merchants, "products": products}, offset_s=3600)
    return read_pools(small_workload(), session)


def weights(read: Pools, table: int, *key: bytes) -> dict[tuple[bytes, ...], int]:
    return read.pools[table].groups[key].weights()


def test_parents_weigh_what_their_children_count() -> None:
    read = pools([(1,), (2,), (2,), (2,)])
    assert weights(read, 0) == {(b"1",): 1, (b"2",): 3}


def test_children_are_grouped_by_their_parent() -> None:
    assert set(weights(pools([(1,), (2,)]), 1, b"1")) == {(b"A-1",), (b"A-2",)}


def test_a_parent_with_too_few_children_is_left_out() -> None:
    read = pools([(1,), (3,)])
    assert set(weights(read, 0)) == {(b"1",)}


class CuttingSession(TableSession):
    """Gives no more rows than the query's LIMIT."""

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        rows = super().query(sql, parameters)
        return rows[: int(str(parameters[-1]))] if sql.endswith("LIMIT %s") else rows


def test_a_parent_with_many_children_pushes_no_other_out() -> None:
    many: list[Row] = [(1, f"A-{k}") for k in range(30_000)]
    merchants: list[Row] = [(k,) for k in range(1, 300)]
    others: list[Row] = [(k, f"{k}-{n}") for k in range(2, 300) for n in range(2)]
    read = read_pools(
        small_workload(), CuttingSession({"merchants": merchants, "products": many + others})
    )
    assert set(read.pools[1].groups) == {(b"%d" % k,) for k in range(1, 300)}
    assert len(read.pools[1].groups[b"1",].rows) == 5000


def test_what_the_largest_basket_takes_is_told() -> None:
    with pytest.raises(WorkloadError) as caught:
        pools([(3,)])
    assert "2 different rows" in caught.value.message
    assert "largest takes 2" in caught.value.hint


def test_a_table_without_rows_is_named() -> None:
    with pytest.raises(WorkloadError, match="merchants") as caught:
        pools([])
    assert "--target" in caught.value.hint


def test_children_of_no_parent_are_named() -> None:
    with pytest.raises(WorkloadError, match="products"):
        pools([(1,)], [(9, "Z-1"), (9, "Z-2")])


def test_a_missing_table_is_named_without_its_sql() -> None:
    with pytest.raises(WorkloadError, match="merchants") as caught:
        read_pools(small_workload(), TableSession({}))
    assert "SELECT" not in caught.value.message


def test_the_servers_time_zone_is_kept() -> None:
    assert pools([(1,)]).offset_s == 3600


def test_pools_travel_as_json() -> None:
    free = {
        "orders.ref pattern(999)": Free(700, 300, Order.UP),
        "orders.code hex2": Free(0, 5, Order.STRIPS, strip=8, every=8, taken=b"\x07"),
    }
    read = replace(small_pools(), unique={"orders.ref": ("shop",)}, free=free)
    assert Pools.from_json(json.loads(json.dumps(read.to_json()))) == read


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"pools": 3},
        {"pools": [3], "offset_s": 0},
        {"pools": [], "offset_s": 0, "unique": [], "free": {}},
        {"pools": [], "offset_s": 0, "unique": {}, "free": {"a": {"start": "x"}}},
        {"pools": [], "offset_s": 0, "unique": {}, "free": {"a": 3}},
    ],
)
def test_broken_json_is_refused(broken: dict[str, object]) -> None:
    with pytest.raises(WorkloadError, match="pools"):
        Pools.from_json(broken)


def test_weights_come_back_from_their_sums() -> None:
    given = {(b"a",): 2, (b"b",): 5}
    assert Group.of(given).weights() == given


@pytest.mark.parametrize(
    ("value", "raw"),
    [
        (17, b"17"),
        (Decimal("12.50"), b"12.50"),
        (b"\x00\xff", b"\x00\xff"),
        (timedelta(hours=26, seconds=5), b"26:00:05"),
        (-timedelta(minutes=1, microseconds=20), b"-00:01:00.000020"),
    ],
)
def test_fields_become_raw_values(value: object, raw: bytes) -> None:
    assert field_bytes(value) == raw

"""What changed since the capture is told by statement and table, and only what changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.fakes.basket_flow import basket_workload
from tests.fakes.captures import shop_schema

from readiness.model.workload import Workload
from readiness.workload.prove.drift import drift_of, listed, table_fingerprint, table_fingerprints
from readiness.workload.schema import Column, ForeignKey, Index, Schema, Table

NUMBER = Column("bigint", nullable=False, full_type="bigint")
TEXT = Column("varchar", full_type="varchar(40)")
PRIMARY = Index("PRIMARY", unique=True, columns=("id",))
ORDERS = Table(
    {"id": replace(NUMBER, auto_increment=True), "shop_id": NUMBER, "note": TEXT},
    (PRIMARY, Index("by_shop", unique=False, columns=("shop_id",))),
    (ForeignKey(("shop_id",), "shops", ("id",)),),
)


def schema_of(tables: Mapping[str, Table]) -> Schema:
    return Schema("shop", "utf8mb4_general_ci", tables)


TABLES = {
    "orders": ORDERS,
    "lines": Table({"order_id": NUMBER, "product_id": NUMBER}),
    "products": Table({"id": NUMBER, "price": NUMBER}, (PRIMARY,)),
    "unused": Table({"id": NUMBER}, (PRIMARY,)),
}


def built() -> Workload:
    workload = basket_workload()
    return replace(workload, tables=table_fingerprints(workload, schema_of(TABLES)))


def test_the_tables_that_statements_use_are_known() -> None:
    assert sorted(built().tables) == ["lines", "orders", "products"]


def test_nothing_changed_is_no_drift() -> None:
    drift = drift_of(built(), schema_of(TABLES))
    assert not drift
    assert drift.to_text() == ""


def test_a_changed_table_names_the_statements_that_use_it() -> None:
    changed = replace(TABLES["lines"], columns={**TABLES["lines"].columns, "qty": NUMBER})
    drift = drift_of(built(), schema_of({**TABLES, "lines": changed}))
    assert drift.to_text() == (
        "2 statements changed since capture: s006, s008 (table lines: its definition is another)"
    )


def test_a_table_that_is_gone_is_said() -> None:
    left = {name: table for name, table in TABLES.items() if name != "orders"}
    assert "table orders: it is gone" in drift_of(built(), schema_of(left)).to_text()


def test_a_table_that_the_flow_does_not_use_may_change() -> None:
    changed = {**TABLES, "unused": Table({"id": TEXT})}
    assert not drift_of(built(), schema_of(changed))


def test_a_statement_edited_by_hand_is_told() -> None:
    workload = built()
    edited = replace(workload.steps[4], pieces=(b"INSERT INTO orders () VALUES ()",))
    steps = (*workload.steps[:4], edited, *workload.steps[5:])
    drift = drift_of(replace(workload, steps=steps), schema_of(TABLES))
    assert drift.edited == ("s005",)
    assert drift.to_text() == ("1 statement changed since capture: s005 (edited in the file: s005)")


def test_other_values_are_no_edit() -> None:
    """A constant that a person changed leaves the shape as it was."""
    workload = built()
    step = replace(workload.steps[4], pieces=(b"INSERT INTO orders (shop_id) VALUES (77)",))
    steps = (*workload.steps[:4], step, *workload.steps[5:])
    assert not drift_of(replace(workload, steps=steps), schema_of(TABLES))


def test_a_schema_file_without_types_gives_no_fingerprints() -> None:
    assert table_fingerprints(basket_workload(), shop_schema()) == {}


CHANGES = {
    "a longer column": {"note": replace(TEXT, full_type="varchar(80)")},
    "a column that may be NULL": {"shop_id": replace(NUMBER, nullable=True)},
    "a counter that is gone": {"id": NUMBER},
    "another default": {"note": replace(TEXT, filled="default x")},
    "one more column": {"more": NUMBER},
}


@pytest.mark.parametrize("columns", CHANGES.values(), ids=CHANGES)
def test_a_change_of_a_column_is_seen(columns: dict[str, Column]) -> None:
    changed = replace(ORDERS, columns={**ORDERS.columns, **columns})
    assert table_fingerprint(changed) != table_fingerprint(ORDERS)


def test_the_order_of_columns_counts() -> None:
    """An INSERT without a column list depends on it."""
    turned = replace(ORDERS, columns=dict(reversed(ORDERS.columns.items())))
    assert table_fingerprint(turned) != table_fingerprint(ORDERS)


def test_the_order_and_the_names_of_indexes_do_not() -> None:
    renamed = Index("shop_id", unique=False, columns=("shop_id",))
    assert table_fingerprint(replace(ORDERS, indexes=(renamed, PRIMARY))) == table_fingerprint(
        ORDERS
    )


def test_an_index_or_key_that_is_gone_is_seen() -> None:
    fingerprint = table_fingerprint(ORDERS)
    assert table_fingerprint(replace(ORDERS, indexes=(PRIMARY,))) != fingerprint
    assert table_fingerprint(replace(ORDERS, foreign_keys=())) != fingerprint


def test_long_lists_are_cut() -> None:
    assert listed(f"s{k}" for k in range(10)).endswith("s7 and 2 more")

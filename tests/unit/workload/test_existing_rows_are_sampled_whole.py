"""Variables that come from one existing row are sampled together, as the source's rows say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tests.fakes.captures import shop_schema, statements, text_of, variables

from readiness.model.draft import RawDraft
from readiness.model.workload import Sample, VariableKind
from readiness.ports import Row
from readiness.workload.find.parameterize import parameterize
from readiness.workload.find.source import source_exists, source_rows
from readiness.workload.schema import Column, ForeignKey, Index, Table

FLOW = (
    "SELECT name FROM shops WHERE id = {shop}",
    "SELECT id FROM products WHERE sku = '{sku}'",
    "INSERT INTO order_lines (product_id, price_cents) VALUES ({product}, {price})",
)
PERSONAS: tuple[dict[str, object], ...] = (
    {"shop": 17, "sku": "SKU-A-100", "product": 901, "price": 61285},
    {"shop": 23, "sku": "SKU-D-200", "product": 955, "price": 16435},
)


def rows(table: str, column: str, value: bytes) -> Mapping[str, bytes] | None:
    """A source with one product and one shop for each persona."""
    for persona in PERSONAS:
        product = {
            "id": str(persona["product"]).encode(),
            "shop_id": str(persona["shop"]).encode(),
            "sku": str(persona["sku"]).encode(),
            "price_cents": str(persona["price"]).encode(),
        }
        shop = {"id": product["shop_id"], "name": b"a shop"}
        found = {"products": product, "shops": shop}.get(table, {})
        if found.get(column) == value:
            return found
    return None


def draft(**asked: object) -> RawDraft:
    captures = [statements(*(t.format(**p) for t in FLOW)) for p in PERSONAS]
    return parameterize(captures, schema=shop_schema(), name="order", **asked)  # type: ignore[arg-type]


def samples(found: RawDraft) -> dict[str, Sample]:
    return {s.table: s for s in found.samples}


def test_the_source_shows_which_values_are_one_row() -> None:
    product = samples(draft(rows=rows))["products"]
    assert dict(zip(product.columns, product.variables, strict=True)) == {
        "id": "product_id_0",
        "sku": "product_sku_0",
        "price_cents": "product_price_cents_0",
    }


def test_a_column_of_the_row_exists_as_the_row_does() -> None:
    found = draft(rows=rows).explanation.variables
    price = next(v for v in found if v.name == "product_price_cents_0")
    assert "exists at the source in every capture" in price.facts


def test_the_row_of_the_sampled_parent_is_drawn() -> None:
    found = draft(rows=rows)
    assert [s.table for s in found.samples] == ["shops", "products"]
    assert samples(found)["products"].where == (("shop_id", "shop_id_0"),)


def test_a_column_of_the_row_that_stood_in_place_becomes_a_variable() -> None:
    found = draft(rows=rows)
    assert variables(found)["product_price_cents_0"].kind is VariableKind.EXISTING
    assert text_of(found.steps[2]).endswith("(@product_id_0, @product_price_cents_0)")


def test_without_the_source_only_the_statements_speak() -> None:
    found = draft()
    assert {s.columns for s in found.samples if s.table == "products"} == {("id",), ("sku",)}
    assert "product_price_cents_0" not in variables(found)


class OneTable:
    """A session whose every query finds the given rows; remembers what was asked."""

    def __init__(self, found: list[Row]) -> None:
        self.found = found
        self.asked: list[tuple[str, Sequence[object]]] = []

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        self.asked.append((sql, parameters))
        return self.found

    def close(self) -> None:
        """Nothing to end."""


def test_rows_are_asked_once_and_given_as_bytes() -> None:
    session = OneTable([(901, 17, "SKU-A-100", None)])
    look_up = source_rows(session, shop_schema())
    assert look_up("products", "sku", b"SKU-A-100") == look_up("products", "sku", b"SKU-A-100")
    assert look_up("products", "sku", b"SKU-A-100") == {
        "id": b"901",
        "shop_id": b"17",
        "sku": b"SKU-A-100",
    }
    assert [p for _, p in session.asked] == [("SKU-A-100",)]


def test_a_column_without_index_is_never_searched() -> None:
    session = OneTable([])
    assert source_rows(session, shop_schema())("orders", "note", b"x") is None
    assert source_exists(session, shop_schema())("orders", "note", b"x")
    assert not session.asked


def test_existence_is_one_look_up() -> None:
    session = OneTable([])
    assert not source_exists(session, shop_schema())("users", "email", b"a@b.test")
    assert session.asked[0][0] == "SELECT 1 FROM `users` WHERE `email` = %s LIMIT 1"


def test_a_row_that_the_flow_takes_is_not_drawn_among_those_it_took() -> None:
    """The source is asked after the captures: its vouchers say by then who used them."""
    schema = shop_schema()
    taken = Table(
        {"code": Column("varchar"), "used_by": Column("bigint")},
        (Index("PRIMARY", unique=True, columns=("code",)),),
        (ForeignKey(("used_by",), "shops", ("id",)),),
    )
    schema = replace(schema, tables={**schema.tables, "vouchers": taken})
    found = {b"WELCOME-1": b"17", b"WELCOME-2": b"23"}

    def left(table: str, column: str, value: bytes) -> Mapping[str, bytes] | None:
        if table == "vouchers":
            return {"code": value, "used_by": found[value]}
        return {"id": value}

    captures = [
        statements(
            f"SELECT name FROM shops WHERE id = {shop.decode()}",
            f"UPDATE vouchers SET used_by = {shop.decode()} WHERE code = '{code.decode()}'",
        )
        for code, shop in found.items()
    ]
    made = samples(parameterize(captures, schema=schema, name="order", rows=left))
    assert made["vouchers"].where == ()

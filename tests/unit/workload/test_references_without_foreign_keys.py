"""An application without foreign keys: the names of its columns say what they refer to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.fakes.captures import shop_schema, statements, text_of, variables

from readiness.model.draft import RawDraft
from readiness.model.workload import VariableKind
from readiness.workload.find.implied import with_implied
from readiness.workload.find.parameterize import parameterize
from readiness.workload.schema import Column, Index, Schema, Table

ID = Column("int", nullable=False, auto_increment=True)
NUMBER = Column("int", nullable=False)


def _key(column: str) -> tuple[Index, ...]:
    return (Index("PRIMARY", unique=True, columns=(column,)),)


def php_shop() -> Schema:
    """As OpenCart has it: a prefix, keys named after their rows, and no foreign key."""
    product = Index("PRIMARY", unique=True, columns=("product_id", "language_id"))
    return Schema(
        "shop",
        "",
        {
            "oc_customer": Table(
                {"customer_id": ID, "email": Column("varchar")}, _key("customer_id")
            ),
            "oc_product": Table({"product_id": ID, "price": Column("decimal")}, _key("product_id")),
            "oc_product_description": Table(
                {"product_id": NUMBER, "language_id": NUMBER, "name": Column("varchar")}, (product,)
            ),
            "oc_cart": Table(
                {"cart_id": ID, "customer_id": NUMBER, "product_id": NUMBER, "quantity": NUMBER},
                (
                    *_key("cart_id"),
                    Index("met", unique=False, columns=("customer_id", "product_id")),
                ),
            ),
            "oc_order": Table({"order_id": ID, "customer_id": NUMBER}, _key("order_id")),
            "oc_order_product": Table(
                {"order_product_id": ID, "order_id": NUMBER, "product_id": NUMBER},
                _key("order_product_id"),
            ),
        },
    )


def _bought() -> RawDraft:
    """Three customers; customer, order and cart have the same number each time."""
    captures = [
        statements(
            f"SELECT price FROM oc_product WHERE product_id = '{product}'",
            f"INSERT INTO oc_customer SET email = 'p{row}@mail.test'",
            f"INSERT INTO oc_cart SET customer_id = '{row}', product_id = '{product}', quantity = '1'",
            f"INSERT INTO oc_order SET customer_id = '{row}'",
            f"INSERT INTO oc_order_product SET order_id = '{row}', product_id = '{product}'",
        )
        for row, product in ((4, 17), (5, 101), (6, 33))
    ]
    return parameterize(captures, schema=php_shop(), name="order")


def test_ids_that_no_key_declares_come_from_the_insert_that_their_name_says() -> None:
    found = variables(_bought())
    assert found["customer_id_0"].kind is VariableKind.SERVER
    assert found["order_id_0"].kind is VariableKind.SERVER
    assert found["product_id_0"].kind is VariableKind.EXISTING
    assert set(found) == {"customer_id_0", "order_id_0", "product_id_0"} | {
        name for name in found if "email" in name
    }


def test_every_statement_has_the_row_that_was_looked_up() -> None:
    found = _bought()
    assert text_of(found.steps[2]).endswith(
        "customer_id = @customer_id_0, product_id = @product_id_0, quantity = '1'"
    )
    assert text_of(found.steps[4]).endswith("order_id = @order_id_0, product_id = @product_id_0")
    assert [(s.table, s.weight_by) for s in found.samples] == [("oc_product", "oc_cart.product_id")]


def test_the_reader_is_told_that_a_name_was_believed() -> None:
    found = _bought()
    assert any("no foreign key says what oc_cart.customer_id" in w for w in found.warnings)
    keys = {k for v in found.explanation.variables for k in v.foreign_keys}
    assert (
        "oc_order.customer_id → oc_customer.customer_id (by its name; no foreign key says so)"
        in keys
    )


@pytest.mark.parametrize("column", ["user_id", "userId", "USER_ID"])
@pytest.mark.parametrize("table", ["users", "user", "wp_users"])
def test_a_bare_id_is_named_after_its_table(table: str, column: str) -> None:
    prefix = "wp_" if table.startswith("wp_") else ""
    posts = Table({"id": ID, column: NUMBER}, _key("id"))
    schema = with_implied(
        Schema("s", "", {table: Table({"id": ID}, _key("id")), f"{prefix}posts": posts})
    )
    assert schema.root(f"{prefix}posts", column) == (table, "id")


def test_a_name_that_could_mean_two_tables_means_none() -> None:
    tables = {t: Table({"shop_id": NUMBER}, _key("shop_id")) for t in ("shops", "old_shops")}
    orders = Table({"id": ID, "shop_id": NUMBER}, _key("id"))
    assert not with_implied(Schema("s", "", {**tables, "orders": orders})).implied


def test_another_type_is_another_thing() -> None:
    users = Table({"id": ID}, _key("id"))
    logins = Table({"id": ID, "user_id": Column("varchar")}, _key("id"))
    assert not with_implied(Schema("s", "", {"users": users, "logins": logins})).implied


def test_a_declared_foreign_key_wins() -> None:
    schema = shop_schema()
    assert not with_implied(schema).implied
    parents = {t: replace(k, foreign_keys=()) for t, k in schema.tables.items()}
    bare = with_implied(replace(schema, tables=parents))
    columns = [(t, c) for t, k in schema.tables.items() for c in k.columns]
    assert [bare.root(*c) for c in columns] == [schema.root(*c) for c in columns]

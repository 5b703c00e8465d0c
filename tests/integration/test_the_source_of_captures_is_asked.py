"""Schema and rows of a real server, as the parameterizer reads them."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from readiness.adapters.local_server import LocalServer
from readiness.errors import WorkloadError
from readiness.ports import Session
from readiness.workload.find.source import source_exists, source_rows
from readiness.workload.schema import Column, ForeignKey, Index, Schema, read_schema

pytestmark = pytest.mark.mysql
DATABASE = "asked"
STATEMENTS = (
    "CREATE TABLE shops (id BINARY(16) NOT NULL PRIMARY KEY, Name VARCHAR(40) UNIQUE)",
    "CREATE TABLE orders (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,"
    " shop_id BINARY(16) NOT NULL, seq INT, price DECIMAL(8,2), made_at DATETIME(6), doc JSON,"
    " UNIQUE KEY one (shop_id, seq), KEY by_price (price),"
    " CONSTRAINT fk FOREIGN KEY (shop_id) REFERENCES shops (id))",
    "CREATE VIEW seen AS SELECT id FROM orders",
    "INSERT INTO shops VALUES (x'000102030405060708090a0b0c0d0eff', 'Zoë’s')",
    "INSERT INTO orders (shop_id, seq, price, made_at, doc) SELECT id, n, 12.50,"
    " '2026-11-30 11:07:56.979264', '{\"a\": 1}' FROM shops, (SELECT 1 AS n UNION SELECT 2) AS two",
)


@pytest.fixture(scope="module")
def session(private_server: LocalServer) -> Iterator[Session]:
    root = private_server.root_session()
    root.query(f"CREATE DATABASE {DATABASE} COLLATE utf8mb4_unicode_ci")
    root.close()
    opened = private_server.root_session(DATABASE)
    for statement in STATEMENTS:
        opened.query(statement)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def schema(session: Session) -> Schema:
    return read_schema(session, DATABASE)


def test_tables_columns_and_keys_are_read(schema: Schema) -> None:
    orders = schema.tables["orders"]
    assert (schema.name, schema.collation) == (DATABASE, "utf8mb4_unicode_ci")
    assert sorted(schema.tables) == ["orders", "shops"]
    assert list(orders.columns)[:2] == ["id", "shop_id"]
    assert orders.columns["id"] == Column(
        "bigint", nullable=False, auto_increment=True, full_type="bigint unsigned"
    )
    assert orders.columns["price"] == Column("decimal", full_type="decimal(8,2)")
    assert orders.primary_key == ("id",)
    assert Index("one", unique=True, columns=("shop_id", "seq")) in orders.indexes
    assert orders.foreign_keys == (ForeignKey(("shop_id",), "shops", ("id",)),)
    assert schema.root("orders", "shop_id") == ("shops", "id")


def test_what_was_read_is_kept_as_json(schema: Schema) -> None:
    assert Schema.from_json(json.loads(json.dumps(schema.to_json()))) == schema


def test_a_database_without_tables_is_refused(session: Session) -> None:
    with pytest.raises(WorkloadError, match="'nowhere' holds no table"):
        read_schema(session, "nowhere")


def test_a_row_is_found_by_text_and_by_bytes(session: Session, schema: Schema) -> None:
    rows = source_rows(session, schema)
    key = bytes.fromhex("000102030405060708090a0b0c0d0eff")
    assert rows("shops", "id", key) == rows("shops", "Name", "Zoë’s".encode())
    assert rows("shops", "id", key) == {"id": key, "Name": "Zoë’s".encode()}


def test_fields_are_bytes_as_a_statement_would_hold_them(session: Session, schema: Schema) -> None:
    row = source_rows(session, schema)("orders", "id", b"1")
    assert row is not None
    assert (row["price"], row["made_at"]) == (b"12.50", b"2026-11-30 11:07:56.979264")


def test_several_rows_are_no_row(session: Session, schema: Schema) -> None:
    assert source_rows(session, schema)("orders", "price", b"12.50") is None


def test_existence(session: Session, schema: Schema) -> None:
    exists = source_exists(session, schema)
    assert exists("orders", "price", b"12.50")
    assert not exists("orders", "id", b"999")

"""The generator's name follows from the values seen."""

from __future__ import annotations

import pytest

from readiness.model.workload import Form
from readiness.workload.names import singular, stem
from readiness.workload.recognize import generator_for


@pytest.mark.parametrize(
    ("values", "column", "generator"),
    [
        ([b"6ba7b810-9dad-11d1-80b4-00c04fd430c8"], "id", "uuid1"),
        ([b"2F0C1E5A-0C6B-4F0E-9D38-3F9B1D3A0001"], "id", "uuid4"),
        ([b"018f2f6e-7c1b-7c3e-9d38-3f9b1d3a0001"], "id", "uuid7"),
        ([b"2f0c1e5a0c6b4f0e9d383f9b1d3a0001"], "id", "uuid4_hex"),
        ([b"2f0c1e5a0c6b9f0e9d383f9b1d3a0001"], "id", "hex32"),
        ([b"2F0C1E5A0C6B9F0E"], "id", "HEX16"),
        ([b"01M8P15GPGY1QNTXDBS7P3GHRS"], "id", "ulid"),
        ([b"a@b.test", b"c.d@e.test"], "login", "email"),
        ([b"+12935556603", b"+13125550178"], "x", "phone"),
        ([b"203.0.113.51"], "ip", "ipv4"),
        ([b"1984-02-29"], "x", "date"),
        ([b"2026-11-30 11:07:56.979264"], "x", "datetime"),
        ([b"Ann", b"Zo\xc3\xab"], "first_name", "first_name"),
        ([b"4111111111111111"], "card_number", "pan"),
        ([b"0.3038"], "apr", "decimal"),
        ([b"ORD-2026-884238"], "order_ref", "pattern"),
        ([b"75116", b"02134"], "zip", "pattern"),
        ([b"12", b"345"], "note", "integer"),
        ([b"leave at the door"], "note", "text"),
    ],
)
def test_texts(values: list[bytes], column: str, generator: str) -> None:
    assert generator_for(values, column, Form.TEXT) == generator


@pytest.mark.parametrize(
    ("value", "generator"), [(b"915197455677413650", "snowflake"), (b"12345", "integer")]
)
def test_numbers(value: bytes, generator: str) -> None:
    assert generator_for([value], "id", Form.NUMBER) == generator


def test_bytes() -> None:
    assert generator_for([bytes(16)], "id", Form.HEX) == "binary16"


@pytest.mark.parametrize(
    ("table", "row"),
    [("users", "user"), ("addresses", "address"), ("categories", "category"), ("glass", "glass")],
)
def test_tables_are_named_in_the_plural(table: str, row: str) -> None:
    assert singular(table) == row


@pytest.mark.parametrize(
    ("column", "name"),
    [
        ("id", "user_id"),
        ("email", "user_email"),
        ("user_agent", "user_agent"),
        ("shop_id", "shop_id"),
    ],
)
def test_variables_are_named_after_their_column(column: str, name: str) -> None:
    assert stem("users", column) == name

"""The generator's name follows from the values seen."""

from __future__ import annotations

import pytest

from readiness.model.workload import Form
from readiness.workload.find.names import singular, stem
from readiness.workload.find.recognize import generator_for


@pytest.mark.parametrize(
    ("values", "column", "generator"),
    [
        ([b"6ba7b810-9dad-11d1-80b4-00c04fd430c8"], "id", "uuid1"),
        ([b"2F0C1E5A-0C6B-4F0E-9D38-3F9B1D3A0001"], "id", "uuid4"),
        ([b"018f2f6e-7c1b-7c3e-9d38-3f9b1d3a0001"], "id", "uuid7"),
        ([b"2f0c1e5a0c6b4f0e9d383f9b1d3a0001"], "id", "uuid4_hex"),
        ([b"2F0C1E5A0C6B4F0E9D383F9B1D3A0001"], "id", "uuid4_hex"),
        ([b"4591c200ed0311f1a7e002fc00000001"], "id", "uuid1_hex"),
        ([b"4591c200000011f1a7e002fc00000001"], "id", "uuid1_hex"),
        ([b"4591c200000010f1a7e002fc00000001"], "id", "hex32"),  # version 1 of the year 1600
        ([b"018f2f6e7c1b7c3e9d383f9b1d3a0001"], "id", "uuid7_hex"),
        ([b"d18f2f6e7c1b7c3e9d383f9b1d3a0001"], "id", "hex32"),  # version 7 of the year 9000
        ([b"d41d8cd98f00b204e9800998ecf8427e"], "x", "hex32"),
        ([b"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"], "x", "hex64"),
        ([b"DEADBEEFDEADBEEF0"], "x", "HEX17"),
        ([b"20260101", b"20261130"], "x", "pattern"),  # a code of digits is no hex
        ([b"1621", b"0034"], "ssn_last4", "pattern"),
        ([b"4111111111111111"], "note", "pattern"),
        ([b"5500005555555559", b"4111111111111111"], "pan", "pan"),
        ([b"2026-11-30T11:07:56Z"], "x", "datetime"),
        ([b"1621", b"-34"], "x", "integer"),
        ([b"-0.50", b"12.25"], "x", "decimal"),
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


@pytest.mark.parametrize(
    ("value", "generator"),
    [
        ("00" * 16, "binary16"),
        ("ab" * 20, "binary20"),
        ("11f1ed034591c200a7e002fc00000001", "uuid1_swapped"),  # UUID_TO_BIN(UUID(), 1)
        ("4591c200ed0311f1a7e002fc00000001", "binary16"),
        ("018f2f6e7c1b7c3e9d383f9b1d3a0001", "binary16"),
    ],
)
def test_bytes(value: str, generator: str) -> None:
    assert generator_for([bytes.fromhex(value)] * 2, "id", Form.HEX) == generator


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


def test_a_number_in_quotes_is_a_number_where_the_column_holds_numbers() -> None:
    """PHP quotes all values: quantity = '2' is no code of one digit, which might be '0'."""
    assert generator_for([b"2", b"3"], "quantity", Form.TEXT) == "pattern"
    assert generator_for([b"2", b"3"], "quantity", Form.TEXT, is_whole=True) == "integer"

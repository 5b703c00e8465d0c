"""What is learned of captured values: shape and coarse range, and no value."""

from __future__ import annotations

import pytest
from tests.fakes.checkouts import fresh

from readiness.anonymize.learn import specification_of
from readiness.errors import WorkloadError
from readiness.model.generator import parse_specification
from readiness.model.workload import Form
from readiness.workload.make.generators import Lane, generator

NOW_MS = 1_796_000_000_000


def learned(name: str, *values: bytes, form: Form = Form.TEXT) -> str:
    return specification_of(fresh("x", name, *values, form=form), NOW_MS)


@pytest.mark.parametrize(
    ("name", "values", "text"),
    [
        ("uuid4", (b"808a88e1-0f6e-4a7c-9d0e-4d5a5cbd8a11",), "uuid4"),
        ("uuid4", (b"808A88E1-0F6E-4A7C-9D0E-4D5A5CBD8A11",), "uuid4(upper)"),
        ("uuid4_hex", (b"808A88E10F6E4A7C9D0E4D5A5CBD8A11",), "uuid4_hex(upper)"),
        ("uuid7_hex", (b"018f2f6e7c1b7c3e9d383f9b1d3a0001",), "uuid7_hex"),
        ("hex", (b"0aff0", b"1bcde"), "hex5"),
        ("pan", (b"5500005555555559",), "pan(16)"),
        ("pattern", (b"1621", b"0034"), "pattern(9999)"),
        ("pattern", (b"aB3", b"Zz9"), "pattern(www)"),
        ("decimal", (b"-0.50", b"12.25"), "decimal(-99.99..99.99)"),
        ("email", (b"ada@shop.test", b"bo.longer@shop.test"), "email(20)"),
        ("phone", (b"+49 151-2345678",), "phone(+40 999-9999999)"),
        ("date", (b"1987-05-01", b"1993-02-03"), "date(1985-01-01..1994-12-31)"),
        ("date", (b"1985-01-01", b"1993-02-03"), "date(1984-01-01..1994-12-31)"),
        ("datetime", (b"2026-01-02 03:04:05.123",), "datetime(2025-01-01..2029-12-31,3)"),
        ("decimal", (b"12.50", b"480.00"), "decimal(10.00..999.99)"),
        ("decimal", (b"0.0999", b"0.2500"), "decimal(0.0001..0.9999)"),
        ("pattern", (b"ORD-2026-123456", b"ORD-2026-654321"), "pattern(ORD-2026-AXXXXX)"),
        ("pattern", (b"usr_8fk2zzz01pq", b"usr_zz91abcd0q7"), "pattern(usr_xxxxxxxxxxx)"),
        ("pattern", (b"123456", b"654321"), "pattern(999999)"),
        ("text", (b"some words",), "text(10)"),
        ("no such generator", (b"A-1", b"B-2"), "pattern(A-A)"),
    ],
)
def test_texts(name: str, values: tuple[bytes, ...], text: str) -> None:
    assert learned(name, *values) == text


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ((b"412", b"87"), "integer(10..999)"),
        ((b"100", b"120"), "integer(99..127)"),
        ((b"20000", b"30000"), "integer(10000..32767)"),
        ((b"999", b"500"), "integer(100..1000)"),
        ((b"-5", b"40"), "integer(-99..99)"),
    ],
)
def test_ranges_are_coarse_and_fit_the_column(values: tuple[bytes, ...], text: str) -> None:
    assert learned("integer", *values, form=Form.NUMBER) == text


def test_no_captured_value_ends_a_range() -> None:
    text = learned("integer", b"1000", b"9999", form=Form.NUMBER)
    assert not {"1000", "9999"} & set(parse_specification(text).bounds())


def test_ids_ordered_by_time_go_on_from_now() -> None:
    captured = (NOW_MS - 3_600_000 - 1_577_836_800_000) << 22
    text = learned("snowflake", str(captured).encode(), form=Form.NUMBER)
    made = generator(text, Form.NUMBER, Lane(b"run")).make(0, bytes(16), NOW_MS)
    assert text == "snowflake(1577836800000)"
    assert captured < int(made) < captured + (2 * 3_600_000 << 22)


def test_an_unknown_epoch_is_learned_from_the_age() -> None:
    text = learned("snowflake", str(5_000_000 << 22).encode(), form=Form.NUMBER)
    made = generator(text, Form.NUMBER, Lane(b"run")).make(0, bytes(16), NOW_MS)
    assert 5_000_000 <= int(made) >> 22 <= 5_000_000 + 3_600_000


@pytest.mark.parametrize(("nibble", "name"), [("7", "uuid7"), ("4", "uuid4"), ("0", "binary16")])
def test_binary_ids_keep_their_version(nibble: str, name: str) -> None:
    value = bytes.fromhex(f"0190163d8694{nibble}7399d000000000000ab")
    assert (
        learned("binary16", value, value[::-1] if nibble == "0" else value, form=Form.HEX) == name
    )


def test_the_swapped_form_of_a_uuid_is_kept() -> None:
    value = bytes.fromhex("11f1ed034591c200a7e002fc00000001")
    assert learned("uuid1_swapped", value, form=Form.HEX) == "uuid1_swapped"


def test_a_variable_seen_nowhere_is_refused() -> None:
    with pytest.raises(WorkloadError, match="@x"):
        specification_of(fresh("x", "uuid4", None, None), NOW_MS)


@pytest.mark.parametrize("name", ["hex", "uuid1", "ulid", "integer", "ipv4", "first_name", "pan"])
def test_whatever_is_learned_generates(name: str) -> None:
    text = learned(name, b"4111111111111111", b"4242424242424242")
    assert generator(text, Form.TEXT, Lane(b"run")).entropy >= 0


def test_no_range_ends_in_a_number_that_another_column_captured() -> None:
    made = fresh("x", "date", b"1987-05-01", b"1993-02-03")
    captured = (b"1985", b"1994", b"1995", b"no number")
    assert specification_of(made, NOW_MS, captured) == "date(1984-01-01..1996-12-31)"
    counted = fresh("x", "integer", b"1200", b"8000", form=Form.NUMBER)
    assert specification_of(counted, NOW_MS, (b"1000", b"9999")) == "integer(999..10000)"
    priced = fresh("x", "decimal", b"12.50", b"480.00", form=Form.NUMBER)
    assert specification_of(priced, NOW_MS, (b"999",)) == "decimal(10.00..1000.99)"

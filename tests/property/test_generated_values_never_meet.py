"""Law: no two checkouts of a run make the same unique value, on whatever worker they run."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readiness.model.generator import Pattern, escaped, is_luhn, luhn_digit
from readiness.model.workload import Form
from readiness.workload.generators import Generator, Lane, generator

NOW_MS = 1_796_000_000_000
UNIQUE = (
    "uuid1",
    "uuid4",
    "uuid7",
    "uuid4_hex",
    "ulid",
    "snowflake(1577836800000)",
    "binary4",
    "binary16",
    "hex8",
    "hex64",
    "HEX40",
    "email(20)",
    "phone(+10999999999)",
    "integer(1000..9999)",
    "decimal(10.00..99.99)",
    "pan(16)",
    "ipv4",
    "pattern(ORD-AXXX)",
    "pattern(usr_xxxxxxxxxxxxxxxx)",
    "text(20)",
)


def value(made: Generator, number: int, lane: int) -> bytes:
    entropy = hashlib.shake_128(f"{number}/{lane}".encode()).hexdigest(made.nibbles // 2 + 1)
    return made.make(number, entropy[: made.nibbles], NOW_MS)


@pytest.mark.parametrize("text", UNIQUE)
def test_two_variables_of_a_thousand_checkouts_differ(text: str) -> None:
    lanes = [generator(text, Form.TEXT, Lane(b"run", lane, 2)) for lane in (0, 1)]
    made = [value(g, n, lane) for n in range(1000) for lane, g in enumerate(lanes)]
    assert len(set(made)) == 2000


def test_a_snowflake_fits_a_signed_column() -> None:
    made = generator("snowflake(0)", Form.NUMBER, Lane(b"run"))
    assert int(value(made, 10**6, 0)).bit_length() < 64


@given(st.integers(1, 10**12), st.binary(max_size=8), st.integers(1, 5))
def test_numbering_is_a_permutation(space: int, salt: bytes, stride: int) -> None:
    numbered = Lane(salt, 0, stride).permuted(space)
    count = min(space // stride, 200)
    assert len({numbered(n) for n in range(count)}) == count


@given(st.text(alphabet="9aAhHxXwZ-/.()\\", min_size=1, max_size=12))
def test_escaped_text_is_a_pattern_of_itself(text: str) -> None:
    assert Pattern.parse(escaped(text)).fill(0) == text


@given(st.integers(0, 10**6 - 1))
def test_a_pattern_numbers_its_texts(number: int) -> None:
    assert Pattern.parse("N-999999").fill(number) == f"N-{number:06d}"


@given(st.text(alphabet="0123456789", min_size=12, max_size=18).filter(lambda t: len(set(t)) > 1))
def test_the_check_digit_passes_its_own_check(digits: str) -> None:
    assert is_luhn(digits + luhn_digit(digits))

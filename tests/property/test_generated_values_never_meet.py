"""Law: no two checkouts of a run make the same unique value, on whatever worker they run."""

from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readiness.model.generator import Pattern, escaped, is_luhn, luhn_digit
from readiness.model.workload import Form
from readiness.workload.make.code import Code
from readiness.workload.make.free import BLOCK, Free, Lane, Order
from readiness.workload.make.generators import Generator, generator
from readiness.workload.make.spelling import word_source

NOW_MS = 1_796_000_000_000
UNIQUE = (
    "uuid1",
    "uuid4",
    "uuid7",
    "uuid4(upper)",
    "uuid1_hex",
    "uuid4_hex",
    "uuid7_hex(upper)",
    "uuid1_swapped",
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
    "date(1900-01-01..2004-12-31)",
    "pattern(wwww)",
    "hex13",
    "HEX14",
    "decimal(-500.00..500.00)",
    "pattern(ORD-AXXX)",
    "pattern(usr_xxxxxxxxxxxxxxxx)",
    "text(20)",
)


def value(made: Generator, number: int, lane: int) -> bytes:
    entropy = hashlib.shake_128(f"{number}/{lane}".encode()).digest(made.entropy + 1)
    return made.make(number, entropy, NOW_MS)


@pytest.mark.parametrize("text", UNIQUE)
def test_two_variables_of_a_thousand_checkouts_differ(text: str) -> None:
    lanes = [generator(text, Form.TEXT, Lane(b"run", lane, 2)) for lane in (0, 1)]
    made = [value(g, n, lane) for n in range(1000) for lane, g in enumerate(lanes)]
    assert len(set(made)) == 2000


@pytest.mark.parametrize("text", ["pattern(wwww)", "pattern(www-www)", "pattern(usr_wwwwwwwwwwww)"])
def test_no_two_texts_differ_by_case_alone(text: str) -> None:
    made = generator(text, Form.TEXT, Lane(b"run"))
    values = [value(made, n, 0) for n in range(1000)]
    assert len({v.lower() for v in values}) == 1000
    assert any(v != v.lower() for v in values)
    assert any(v != v.upper() for v in values)


def test_a_snowflake_fits_a_signed_column() -> None:
    made = generator("snowflake(0)", Form.NUMBER, Lane(b"run"))
    assert int(value(made, 10**6, 0)).bit_length() < 64


_HEX = "[0-9a-f]"
_SHAPES = {
    "uuid1": rf"{_HEX}{{8}}-{_HEX}{{4}}-1{_HEX}{{3}}-[89ab]{_HEX}{{3}}-{_HEX}{{12}}",
    "uuid4": rf"{_HEX}{{8}}-{_HEX}{{4}}-4{_HEX}{{3}}-[89ab]{_HEX}{{3}}-{_HEX}{{12}}",
    "uuid7": rf"{_HEX}{{8}}-{_HEX}{{4}}-7{_HEX}{{3}}-[89ab]{_HEX}{{3}}-{_HEX}{{12}}",
    "uuid4(upper)": r"[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}",
    "uuid1_hex": rf"{_HEX}{{12}}1{_HEX}{{3}}[89ab]{_HEX}{{15}}",
    "uuid4_hex": rf"{_HEX}{{12}}4{_HEX}{{3}}[89ab]{_HEX}{{15}}",
    "uuid7_hex(upper)": r"[0-9A-F]{12}7[0-9A-F]{3}[89AB][0-9A-F]{15}",
    "ulid": r"[0-7][0-9A-HJKMNP-TV-Z]{25}",
    "snowflake(1577836800000)": r"[1-9]\d{17}",
    "hex8": rf"{_HEX}{{8}}",
    "hex13": rf"{_HEX}{{13}}",
    "hex64": rf"{_HEX}{{64}}",
    "HEX40": r"[0-9A-F]{40}",
    "email(20)": rf"{_HEX}{{14}}@mail\.example",
    "email(40)": rf"{_HEX}{{27}}@mail\.example",
    "phone(+40 999-9999999)": r"\+40 \d{3}-\d{7}",
    "first_name": r"[A-Z][a-z]+",
    "last_name": r"[A-Z][a-z]+",
    "date(1980-01-01..1984-12-31)": r"198[0-4]-\d\d-\d\d",
    "datetime(2025-01-01..2025-12-31,3)": r"2025-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}",
    "datetime(2025-01-01..2025-12-31)": r"2025-\d\d-\d\d \d\d:\d\d:\d\d",
    "integer(-9..9)": r"-?\d",
    "decimal(10.00..99.99)": r"[1-9]\d\.\d\d",
    "decimal(-9.99..9.99)": r"-?\d\.\d\d",
    "pan(16)": r"400000\d{10}",
    "ipv4": r"198\.(18|19)\.\d{1,3}\.\d{1,3}",
    r"pattern(\ORD-2026-AXXXXX)": r"ORD-2026-[A-Z][0-9A-Z]{5}",
    "pattern(usr_xxxxxxxxxxxxxxxx)": r"usr_[0-9a-z]{16}",
    "pattern(9999)": r"\d{4}",
    "text(10)": r"[a-z]{10}",
    "text(40)": r"[a-z]{40}",
}


@pytest.mark.parametrize("text", _SHAPES)
def test_a_value_has_the_shape_of_its_generator(text: str) -> None:
    made = generator(text, Form.TEXT, Lane(b"run"))
    wrong = [
        v for n in range(300) if not re.fullmatch(_SHAPES[text], v := value(made, n, 0).decode())
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("ulid", Form.TEXT),
        ("uuid7", Form.TEXT),
        ("uuid7_hex", Form.TEXT),
        ("uuid7", Form.HEX),
        ("uuid1_swapped", Form.HEX),
        ("snowflake(1577836800000)", Form.NUMBER),
    ],
)
def test_what_is_ordered_by_time_goes_on_rising(text: str, form: Form) -> None:
    made = generator(text, form, Lane(b"run"))
    entropy = hashlib.shake_128(b"any").digest(made.entropy + 1)
    times = (NOW_MS, NOW_MS + 1, NOW_MS + 1000, NOW_MS + 86_400_000)
    values = [made.make(0, entropy, ms) for ms in times]
    ordered = sorted(values, key=int) if form is Form.NUMBER else sorted(values)
    assert values == ordered


@pytest.mark.parametrize("name", ["uuid1", "uuid4", "uuid7", "uuid1_swapped", "binary16"])
def test_a_binary_id_has_its_bytes(name: str) -> None:
    made = value(generator(name, Form.HEX, Lane(b"run")), 1, 0)
    assert len(made) == 16


def test_the_swapped_form_is_that_of_the_server() -> None:
    """UUID_TO_BIN(x, 1): time_high and time_mid stand before time_low."""
    entropy = hashlib.shake_128(b"any").digest(32)
    text = generator("uuid1", Form.TEXT, Lane(b"run")).make(0, entropy, NOW_MS).decode()
    low, mid, high, clock, node = text.split("-")
    swapped = generator("uuid1_swapped", Form.HEX, Lane(b"run")).make(0, entropy, NOW_MS)
    assert swapped.hex() == high + mid + low + clock + node


@given(st.integers(0, 10**9 - 1))
def test_a_card_number_passes_its_check(number: int) -> None:
    made = value(generator("pan(16)", Form.TEXT, Lane(b"run")), number, 0).decode()
    assert is_luhn(made)


@given(st.text(alphabet="9aAhHxXw-", min_size=1, max_size=9).filter(lambda t: set(t) - {"-"}))
def test_a_pattern_is_written_as_its_numbers_say(text: str) -> None:
    pattern, code = Pattern.parse(text), Code()
    written = code.function("n", word_source(code, "n", pattern).source)
    numbers = {0, 1, pattern.space // 2, pattern.space - 1} - {pattern.space}
    assert [written(n) for n in numbers] == [pattern.fill(n) for n in numbers]


@given(st.integers(1, 10**12), st.binary(max_size=8), st.integers(1, 5))
def test_numbering_is_a_permutation(space: int, salt: bytes, stride: int) -> None:
    count = min(space // stride, 200)
    made = {position(Lane(salt, k, stride), n, space) for n in range(count) for k in range(stride)}
    assert len(made) == count * stride
    assert min(made, default=0) >= 0
    assert max(made, default=0) < space


def position(lane: Lane, number: int, space: int) -> int:
    code = Code()
    source = lane.position(code, "n", space)
    return int(code.function("n", source)(number))


@given(
    st.integers(0, 10**9),
    st.integers(1, 30_000),
    st.sampled_from([Order.EVERYWHERE, Order.UP, Order.DOWN]),
    st.binary(max_size=8),
    st.integers(1, 3),
)
def test_a_free_part_is_used_once_and_never_left(
    start: int, length: int, order: Order, salt: bytes, stride: int
) -> None:
    lanes = [Lane(salt, k, stride, Free(start, length, order)) for k in range(stride)]
    count = min(_usable(length, order) // stride, 100)
    made = [position(lane, n, 10**12) for n in range(count) for lane in lanes]
    assert len(set(made)) == len(made)
    assert all(start <= at < start + length for at in made)


def _usable(length: int, order: Order) -> int:
    """What grows is used in whole blocks."""
    block = min(BLOCK, length)
    return length if order is Order.EVERYWHERE else length // block * block


def test_a_column_that_grows_is_filled_without_a_hole() -> None:
    """So that the next run finds everything above free."""
    made = {position(Lane(b"s", 0, 1, Free(500, 10**6, Order.UP)), n, 10**7) for n in range(8192)}
    assert made == set(range(500, 500 + 8192))
    down = {position(Lane(b"s", 0, 1, Free(0, 10**6, Order.DOWN)), n, 10**7) for n in range(4096)}
    assert down == set(range(10**6 - 4096, 10**6))


@given(st.sets(st.integers(0, 63)), st.binary(max_size=4))
def test_what_is_taken_between_is_left_out(taken: set[int], salt: bytes) -> None:
    bits = bytearray(8)
    for number in taken:
        bits[number // 8] |= 1 << number % 8
    free = Free(1000, 64 - len(taken), Order.STRIPS, strip=16, every=100, taken=bytes(bits))
    expected = {1000 + n // 16 * 100 + n % 16 for n in range(64) if n not in taken}
    made = {position(Lane(salt, 0, 1, free), n, 2000) for n in range(free.length)}
    assert made == expected
    assert Free.from_json(free.to_json()) == free


@given(st.text(alphabet="9aAhHxXwZ-/.()\\", min_size=1, max_size=12))
def test_escaped_text_is_a_pattern_of_itself(text: str) -> None:
    assert Pattern.parse(escaped(text)).fill(0) == text


@given(st.integers(0, 10**6 - 1))
def test_a_pattern_numbers_its_texts(number: int) -> None:
    assert Pattern.parse("N-999999").fill(number) == f"N-{number:06d}"


@given(st.text(alphabet="0123456789", min_size=12, max_size=18).filter(lambda t: len(set(t)) > 1))
def test_the_check_digit_passes_its_own_check(digits: str) -> None:
    assert is_luhn(digits + luhn_digit(digits))

"""Law: a pseudonym keeps equality, length, classes of characters and case, and is not the value."""

from __future__ import annotations

import json
import uuid

from hypothesis import given
from hypothesis import strategies as st

from readiness.anonymize.classes import is_card
from readiness.anonymize.pseudonym import Pseudonyms
from readiness.model.workload import Form

KEY = b"k" * 32
words = st.text(alphabet="ghiXYZ 0189-_.'äÉ", min_size=6, max_size=40)


def of(value: bytes, form: Form = Form.TEXT) -> bytes:
    return Pseudonyms(KEY).of(value, form)


def classes(text: str) -> str:
    return "".join(
        "9" if c.isdigit() else "A" if c.isupper() else "a" if c.islower() else c for c in text
    )


@given(words)
def test_words_keep_their_classes(text: str) -> None:
    assert classes(of(text.encode()).decode()) == classes(text)


@given(words)
def test_text_keeps_its_length_in_bytes(text: str) -> None:
    assert len(of(text.encode())) == len(text.encode())


@given(words.filter(lambda t: sum(c.isalnum() for c in t) >= 6))
def test_the_value_is_gone(text: str) -> None:
    assert of(text.encode()) != text.encode()


@given(st.sets(st.text(alphabet="ghi", min_size=12, max_size=20), min_size=2, max_size=2))
def test_equal_values_stay_equal_and_long_ones_different(pair: set[str]) -> None:
    one, other = (value.encode() for value in pair)
    assert of(one) == of(one)
    assert of(one) != of(other)


@given(st.integers(0, 2**63 - 1))
def test_a_number_keeps_its_digits_and_its_column_type(number: int) -> None:
    made = of(str(number).encode(), Form.NUMBER)
    assert len(made) == len(str(number))
    most = 2**63 - 1 if is_card(str(number)) else max(number, 10 ** (len(made) - 1) * 3 // 2)
    assert int(made) <= most


@given(st.uuids(version=4))
def test_a_uuid_stays_one_of_its_version(value: uuid.UUID) -> None:
    assert uuid.UUID(of(str(value).encode()).decode()).version == 4


@given(st.dates(), st.booleans())
def test_a_date_stays_a_date(day: object, with_time: bool) -> None:
    text = f"{day} 12:34:56.5" if with_time else str(day)
    made = of(text.encode()).decode()
    assert len(made) == len(text)
    assert made[:3] == text[:3]


@given(st.dictionaries(st.text("abc", min_size=1), st.text("xyz'\"\\", min_size=1), min_size=1))
def test_json_keeps_its_keys(data: dict[str, str]) -> None:
    assert list(json.loads(of(json.dumps(data).encode()))) == list(data)


@given(st.binary(min_size=8, max_size=40))
def test_binary_keeps_its_length(value: bytes) -> None:
    assert len(of(value, Form.HEX)) == len(value)

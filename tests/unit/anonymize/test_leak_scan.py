"""A planted value is found in every usual encoding, and told without being shown."""

from __future__ import annotations

import base64
import hashlib
import json
import pickle
from dataclasses import replace
from urllib.parse import quote

import pytest
from tests.fakes.checkouts import draft, fresh, literal, step

from readiness.anonymize.encodings import writings
from readiness.anonymize.needles import needles_of
from readiness.anonymize.originals import Originals, originals
from readiness.anonymize.scan import Leak, scan
from readiness.model.draft import RawLiteral
from readiness.model.workload import Form
from readiness.sql.lexer import encode

VALUE = 'Ana "Zoë" O\'Brannigan'
RAW = VALUE.encode()
ENCODINGS = {
    "plain": RAW,
    "folded": VALUE.upper().encode(),
    "hex": RAW.hex().encode(),
    "HEX": RAW.hex().upper().encode(),
    "SQL": encode(Form.TEXT, RAW),
    "doubled quotes": RAW.replace(b"'", b"''"),
    "JSON in SQL": encode(Form.TEXT, json.dumps(VALUE).encode()),
    "url": quote(VALUE).encode(),
    "json": json.dumps(VALUE).encode(),
    "reversed": RAW[::-1],
    "base64": base64.b64encode(RAW),
    "base64 after 1": base64.b64encode(b"x" + RAW + b"y"),
    "base64 after 2": base64.b64encode(b"xy" + RAW + b"z"),
    "md5": hashlib.md5(RAW).hexdigest().encode(),
    "sha1": hashlib.sha1(RAW).hexdigest().encode(),
    "sha256": hashlib.sha256(RAW).hexdigest().upper().encode(),
    "sha256 of lower case": hashlib.sha256(RAW.lower()).hexdigest().encode(),
}


def found(data: bytes, value: bytes = RAW) -> list[Leak]:
    return scan({"checkout.sql": data}, Originals({"name_0/1": value}))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_planted_value_is_found(encoding: str) -> None:
    leaks = found(b"SELECT 1;\nSELECT '" + ENCODINGS[encoding] + b"';\n")
    assert leaks
    assert {(leak.file, leak.line, leak.value_id) for leak in leaks} == {
        ("checkout.sql", 2, "name_0/1")
    }


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_what_only_another_capture_held_is_found(encoding: str) -> None:
    kept = replace(literal(b"'first'"), others=(None, RAW))
    leaks = scan({"f": ENCODINGS[encoding]}, originals(draft(step(b"SELECT ", kept))))
    assert {leak.value_id for leak in leaks} == {"s001/1/3"}


def test_adjacent_strings_are_searched_as_the_one_value_they_are() -> None:
    found = originals(draft(step(literal(b"'Ada ' 'Weiss'"))))
    assert dict(found.values) == {"s001/1/1": b"Ada Weiss"}


def test_of_structure_only_numbers_are_not_searched() -> None:
    limit = RawLiteral(b"4711", Form.NUMBER, "", "", True, True, (b"4712",))
    path = RawLiteral(b"'$.ada'", Form.TEXT, "", "", True, True, (b"$.zoe",))
    found = originals(draft(step(limit, path)))
    assert dict(found.values) == {"s001/2/1": b"$.ada", "s001/2/2": b"$.zoe"}


def test_a_clean_output_has_no_hit() -> None:
    assert found(b"SELECT 'Ona Brennegan', 'QW5h';\n") == []


def test_a_hit_shows_no_value() -> None:
    assert "Ana" not in repr(found(RAW))


@pytest.mark.parametrize(("data", "hits"), [(b"a 4242 b", 1), (b"x'84242f'", 0), (b"42424", 0)])
def test_a_short_value_counts_as_a_whole_word_only(data: bytes, hits: int) -> None:
    assert len(found(data, b"4242")) == hits


def test_originals_are_what_differs_and_can_be_searched_for() -> None:
    raw = draft(
        step(b"SELECT 'shared word', ", literal(b"'Ada Weiss'"), literal(b"'abc'")),
        step(literal(b"'constant'", varies=False), statement_id="s002"),
        variables=[fresh("a", "text", b"Berlin", b"shared"), fresh("b", "text", b"Berlin", None)],
    )
    assert dict(originals(raw).values) == {"a/1": b"Berlin", "s001/1/1": b"Ada Weiss"}


def test_originals_neither_show_nor_travel() -> None:
    held = Originals({"name_0/1": RAW})
    assert "Ana" not in repr(held)
    assert "Ana" not in f"{writings(RAW)} {needles_of(held)} {needles_of(held).needles}"
    with pytest.raises(TypeError):
        pickle.dumps(needles_of(held).needles[0])
    with pytest.raises(TypeError):
        pickle.dumps(held)

"""Any value, in any encoding, at any place of a text is found; a text without it gives no hit."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readiness.anonymize import hunt
from readiness.anonymize.encodings import fold
from readiness.anonymize.filter import filter_of, read_filter
from readiness.anonymize.hunt import Hunter
from readiness.anonymize.needles import needles_of
from readiness.anonymize.originals import Originals
from readiness.model.workload import Form
from readiness.sql.lexer import encode

KEY = b"k" * 32
Encoding = Callable[[str], bytes]


def _hash(name: str, change: Callable[[str], str] = str) -> Encoding:
    return lambda v: hashlib.new(name, change(v).encode()).hexdigest().encode()


def _base64(before: str, after: str, encoder: Callable[[bytes], bytes]) -> Encoding:
    return lambda v: encoder((before + v + after).encode())


ENCODINGS: dict[str, Encoding] = {
    "plain": str.encode,
    "upper": lambda v: v.upper().encode(),
    "lower": lambda v: v.lower().encode(),
    "title": lambda v: v.title().encode(),
    "hex": lambda v: v.encode().hex().encode(),
    "HEX": lambda v: v.encode().hex().upper().encode(),
    "hex of lower case": lambda v: v.lower().encode().hex().encode(),
    "url": lambda v: quote(v, safe="").encode(),
    "url path": lambda v: quote(v).encode(),
    "form": lambda v: quote_plus(v).encode(),
    "json": lambda v: json.dumps(v).encode(),
    "json in UTF-8": lambda v: json.dumps(v, ensure_ascii=False).encode(),
    "html": lambda v: html.escape(v).encode(),
    "html of Jinja": lambda v: html.escape(v).replace("&#x27;", "&#39;").replace("&quot;", "&#34;").encode(),
    "html in ASCII": lambda v: html.escape(v).encode("ascii", "xmlcharrefreplace"),
    "Slack": lambda v: json.dumps(html.escape(v, quote=False)).encode(),
    "SQL": lambda v: encode(Form.TEXT, v.encode()),
    "SQL in JSON": lambda v: json.dumps(encode(Form.TEXT, v.encode()).decode()).encode(),
    "reversed": lambda v: v[::-1].encode(),
    "reversed bytes": lambda v: v.encode()[::-1],
    "base64": _base64("", "", base64.b64encode),
    "base64 after 1": _base64("x", "y", base64.b64encode),
    "base64 after 2": _base64("xy", "", base64.b64encode),
    "base64 url": _base64("", "zz", base64.urlsafe_b64encode),
    "base64 url after 1": _base64("x", "", base64.urlsafe_b64encode),
    **{name: _hash(name) for name in ("md5", "sha1", "sha256", "sha512")},
    **{f"{n} of lower case": _hash(n, str.lower) for n in ("md5", "sha1", "sha256", "sha512")},
}  # fmt: skip

letters = st.characters(blacklist_categories=("Cs", "Cc"))
values = st.text(letters, min_size=8, max_size=40)
surroundings = st.binary(max_size=60)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks and chunks so small that a value meets all their borders."""
    monkeypatch.setattr(hunt, "_BLOCK", 16)
    monkeypatch.setattr(hunt, "_CHUNK", 64)


def hunters(value: bytes) -> list[Hunter]:
    """In memory, and from a filter file that was written and read."""
    held = Originals({"v/1": value})
    kept = read_filter(filter_of(held, KEY), KEY, path=Path("w.filter"))
    return [Hunter(needles_of(held)), Hunter(kept.needles)]


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(value=values, before=surroundings, after=surroundings)
def test_a_value_is_found_wherever_it_stands(
    encoding: str, value: str, before: bytes, after: bytes
) -> None:
    text = before + b"\n'" + ENCODINGS[encoding](value) + b"'" + after
    for hunter in hunters(value.encode()):
        assert any(hit.value_id == "v/1" for hit in hunter.hits(text))
        assert hunter.finds(text)


@given(value=st.binary(min_size=8, max_size=200), before=surroundings, after=surroundings)
def test_any_bytes_are_found_between_any_others(value: bytes, before: bytes, after: bytes) -> None:
    gap = b" " if value.isdigit() else b""  # a number within a longer one is another number
    for hunter in hunters(value):
        assert hunter.hits(before + gap + value + gap + after)
        assert hunter.hits(before + value.hex().encode() + after)
        assert hunter.hits(before + quote(value, safe="").encode() + after)


@given(value=st.text("abcdefghij0123456789", min_size=4, max_size=7), around=st.text(" ,;'\"\n=()", max_size=90), at=st.integers(0, 90))  # fmt: skip
def test_a_short_value_is_found_as_a_word(value: str, around: str, at: int) -> None:
    text = (around[:at] + value + around[at:]).encode()
    inside = (around[:at] + "z" + value + around[at:]).encode()
    for hunter in hunters(value.encode()):
        assert hunter.hits(text)
        assert not hunter.hits(inside)


@given(
    value=st.text("0123456789", min_size=8, max_size=11),
    before=st.text("0123456789", min_size=1, max_size=9),
    after=st.text("0123456789", min_size=1, max_size=9),
    around=st.sampled_from(["", " ", "id", "x.", "\n", "é"]),
)
def test_a_number_does_not_count_within_a_longer_one(
    value: str, before: str, after: str, around: str
) -> None:
    for hunter in hunters(value.encode()):
        assert hunter.hits(f"{before}{around or '-'}{value}{around or ','}{after}".encode())
        longer = f"{before}{value}{after}"
        if longer.count(value) == 1 and value[::-1] not in longer:
            assert not hunter.hits(f"{around}{longer}{around}".encode())


@given(value=values, text=st.binary(max_size=300))
def test_a_text_without_the_value_gives_no_hit(value: str, text: bytes) -> None:
    held = value.encode()
    if fold(held) not in fold(text) and len(held) >= 12:
        for hunter in hunters(held):
            assert [h for h in hunter.hits(text) if h.encoding == "plain"] == []


@given(value=values, before=st.lists(st.binary(max_size=30), max_size=6))
def test_the_line_is_that_of_the_first_place(value: str, before: list[bytes]) -> None:
    head = b"".join(line.replace(b"\n", b"") + b"\n" for line in before)
    held = value.encode()
    if fold(held) in fold(head):
        return
    text = head + b" " + held + b"\n" + held
    for hunter in hunters(held):
        plain = [hit for hit in hunter.hits(text) if hit.encoding == "plain"]
        assert [hit.line for hit in plain] == [len(before) + 1]


@given(text=st.text(), other=st.text())
def test_folding_looks_at_each_character_alone(text: str, other: str) -> None:
    once = fold((text + other).encode("utf-8", "surrogatepass"))
    assert once == fold(text.encode("utf-8", "surrogatepass")) + fold(
        other.encode("utf-8", "surrogatepass")
    )
    if text.isprintable():
        assert fold(text.upper().encode()) == fold(text.lower().encode()) == fold(text.encode())


@given(cuts=st.lists(st.integers(1, 50), min_size=1, max_size=20), value=values)
def test_how_a_text_arrives_changes_nothing(cuts: list[int], value: str) -> None:
    text = b"\n".join([b"x" * 37, value.encode(), b"y" * 64, value.upper().encode().hex().encode()])
    pieces, at = [], 0
    while at < len(text):
        size = cuts[len(pieces) % len(cuts)]
        pieces.append(text[at : at + size])
        at += size
    hunter = Hunter(needles_of(Originals({"v/1": value.encode()})))
    assert hunter.hits_in(pieces) == hunter.hits(text)


@given(noise=st.binary(min_size=16, max_size=64), value=st.text("abc123", min_size=4, max_size=7))
def test_a_short_value_does_not_count_in_binary_data(noise: bytes, value: str) -> None:
    text = noise.replace(b"\n", b"\0") + b"\xff" + value.encode() + b"\xff" + noise
    assert not Hunter(needles_of(Originals({"v/1": value.encode()}))).finds(text)

"""The ways in which a captured value is usually written: as text of several kinds, encoded, hashed.

Case is folded by `fold`, which looks at each character alone: a folded value stands in the folded
text wherever the value stands in the text, in upper, lower or mixed case of any script.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import unicodedata
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from readiness.model.workload import Form
from readiness.sql.lexer import encode

_WORD_BELOW = 8  # bytes; shorter texts count as whole words only: digits meet digits by chance
_NUMBER_BELOW = 12  # digits; shorter ones do not count within longer numbers
_NUMBER = re.compile(rb"[-+]?\d[\d.,:/ -]*")
_DAY = re.compile(rb"20[1-9]\d-[01]\d-[0-3]\d")
_BASE64_SHORTEST = 6  # characters; case counts, so fewer do than for a word
_REVERSED_SHORTEST = 6
_LONG = 2000  # bytes; of longer values only the plain text is looked for inside other texts
_HASHES = ("md5", "sha1", "sha256", "sha512")
_URL_KEPT = ("", "/", "!'()*", "!'()*;/?:@&=+$,#")  # by Python and by JavaScript
_URL_ALPHABET = bytes.maketrans(b"+/", b"-_")


class Edge(IntEnum):
    """What may stand beside a text, so that it does not meet by chance."""

    ANY = 0
    NUMBER = 1  # no digit
    WORD = 2  # no letter, no digit


class Writing(NamedTuple):
    """One way a value may stand in a text. `is_folded`: to be compared with the folded text."""

    encoding: str
    text: bytes
    is_folded: bool
    edge: Edge

    def __repr__(self) -> str:
        """Without the text, which is a captured one."""
        return f"<Writing: {self.encoding}>"


def fold(data: bytes) -> bytes:
    """Without case, letters beyond ASCII included; bytes that are no UTF-8 stay."""
    if data.isascii():
        return data.lower()
    text = data.decode("utf-8", "surrogateescape")
    return text.upper().casefold().encode("utf-8", "surrogateescape")


def writings(value: bytes) -> list[Writing]:
    """All ways, each text once, by the first name that it has."""
    made: dict[tuple[bytes, bool], Writing] = {}
    for writing in _all(value):
        made.setdefault((writing.text, writing.is_folded), writing)
    return list(made.values())


def _all(value: bytes) -> Iterator[Writing]:
    if not value.isascii():  # bytes that are no text may merge with the letter before them
        yield _exact("plain", value)
    for name, text in _texts(value):
        yield folded(name, text)
    yield from _reversed(value)
    for variant in dict.fromkeys((value, _lower(value))):
        yield folded("hex", variant.hex().encode())
        yield from _base64(variant)
        for name in _HASHES:
            digest = hashlib.new(name, variant, usedforsecurity=False).hexdigest()
            yield folded(name, digest.encode())


def folded(encoding: str, text: bytes) -> Writing:
    """A text in any case."""
    made = fold(text)
    return Writing(encoding, made, is_folded=True, edge=_edge(made))


def _exact(encoding: str, text: bytes) -> Writing:
    return Writing(encoding, text, is_folded=False, edge=_edge(text))


def _edge(text: bytes) -> Edge:
    if len(text) < _WORD_BELOW:
        return Edge.WORD
    return Edge.NUMBER if len(text) < _NUMBER_BELOW and text.isdigit() else Edge.ANY


def is_small_number(text: bytes) -> bool:
    """Whether reports are full of such texts: numbers of less than 8 digits, and days of our time."""
    digits = sum(48 <= byte <= 57 for byte in text)
    return bool(_DAY.fullmatch(text) or (digits < _WORD_BELOW and _NUMBER.fullmatch(text)))


def _lower(value: bytes) -> bytes:
    """In lower case as a program or SQL's LOWER() makes it before it hashes."""
    return value.decode("utf-8", "surrogateescape").lower().encode("utf-8", "surrogateescape")


def _texts(value: bytes) -> Iterator[tuple[str, bytes]]:
    """(name, text): the value as text of each kind, and each of these inside texts of others: a
    message is JSON around HTML around whatever the sentence quotes."""
    kinds = dict.fromkeys([("plain", value), *_kinds(value)])
    yield from kinds
    for name, text in kinds if len(value) <= _LONG else [("plain", value)]:
        for outer, written in _within(text):
            yield f"{name} in {outer}", written


def _kinds(value: bytes) -> Iterator[tuple[str, bytes]]:
    for kept in _URL_KEPT:
        yield "url", quote(value, safe=kept).encode()
    yield "url", quote_plus(value).encode()
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return
    yield "plain (NFC)", unicodedata.normalize("NFC", text).encode()
    yield "plain (NFD)", unicodedata.normalize("NFD", text).encode()
    yield from (("json", made) for made in _json(text))
    yield from (("html", made) for made in _html(text))


def _within(text: bytes) -> Iterator[tuple[str, bytes]]:
    """A text as it is written in SQL, JSON, HTML, and in two of them."""
    for sql in (encode(Form.TEXT, text)[1:-1], text.replace(b"'", b"''")):
        yield "SQL", sql
        yield from _shown(sql, "SQL in ")
    yield from _shown(text)


def _shown(text: bytes, what: str = "") -> Iterator[tuple[str, bytes]]:
    """In a page, in JSON, and in a page's words in JSON, as Slack takes them."""
    try:
        held = text.decode()
    except UnicodeDecodeError:
        return
    yield from ((f"{what}JSON", made) for made in _json(held))
    for made in _html(held):
        yield f"{what}HTML", made
        yield from ((f"{what}HTML in JSON", again) for again in _json(made.decode()))


def _json(text: str) -> Iterator[bytes]:
    for is_ascii in (True, False):
        yield json.dumps(text, ensure_ascii=is_ascii)[1:-1].encode()


def _html(text: str) -> Iterator[bytes]:
    """As Python, Jinja, Slack and XML writers escape it."""
    python = html.escape(text)
    jinja = python.replace("&#x27;", "&#39;").replace("&quot;", "&#34;")
    for made in dict.fromkeys((python, jinja, html.escape(text, quote=False))):
        yield made.encode()
        yield made.encode("ascii", "xmlcharrefreplace")


def _reversed(value: bytes) -> Iterator[Writing]:
    """By characters as a program turns it, by bytes as a binary column is turned."""
    made = fold(value)
    if len(value) < _REVERSED_SHORTEST or made == made[::-1]:
        return
    backwards = value.decode("utf-8", "surrogateescape")[::-1].encode("utf-8", "surrogateescape")
    yield folded("reversed", backwards)
    yield from (folded(f"reversed in {outer}", text) for outer, text in _within(backwards))
    if not value.isascii():
        yield _exact("reversed", value[::-1])


def _base64(value: bytes) -> Iterator[Writing]:
    """At each of the three places where it may begin, in both alphabets; of 4 bytes only alone."""
    inner = [_aligned(value, shift) for shift in range(3)]
    is_short = min(map(len, inner)) < _BASE64_SHORTEST
    edge = Edge.WORD if is_short else Edge.ANY
    for text in [base64.b64encode(value).rstrip(b"=")] if is_short else inner:
        for written in (text, text.translate(_URL_ALPHABET)):
            yield Writing("base64", written, is_folded=False, edge=edge)


def _aligned(value: bytes, shift: int) -> bytes:
    """What of the base64 text does not depend on the neighbours, `shift` bytes standing before."""
    text = base64.b64encode(b"\0" * shift + value).rstrip(b"=")
    spare = (shift + len(value)) % 3
    return text[(0, 2, 3)[shift] : len(text) - (1 if spare else 0)]

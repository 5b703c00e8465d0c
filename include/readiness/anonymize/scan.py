"""Searches outputs for captured values, in the encodings in which they usually escape.

A hit tells where, in which encoding, and which value by its id; never the value.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from urllib.parse import quote

from readiness.anonymize.originals import Originals
from readiness.model.workload import Form
from readiness.sql.lexer import encode

_SHORT = 8  # below, only a whole word counts: digits meet digits by chance
_BASE64_SHORTEST = 6
_HASHES = ("md5", "sha1", "sha256", "sha512")


@dataclass(frozen=True, slots=True)
class Leak:
    """One hit: the file, its line (from 1), the encoding, and the id of the value."""

    file: str
    line: int
    encoding: str
    value_id: str


def scan(outputs: Mapping[str, bytes], originals: Originals) -> list[Leak]:
    """Every first place of every value in every output (by file name), in the order found."""
    searcher = Searcher(originals)
    return list(chain.from_iterable(searcher.leaks(f, data) for f, data in outputs.items()))


class Searcher:
    """Looks for the same values in many texts; what it looks for is worked out once."""

    def __init__(self, originals: Originals) -> None:
        self._needles = [
            (value_id, encoding, needle, is_folded)
            for value_id, value in originals.values.items()
            for encoding, needle, is_folded in _encodings(value)
        ]

    def leaks(self, file: str, data: bytes) -> Iterator[Leak]:
        """The first place of each value and encoding in one output."""
        folded = _folded(data)
        for value_id, encoding, needle, is_folded in self._needles:
            searched = folded if is_folded else data
            at = _find(searched, needle)
            if at >= 0:
                yield Leak(file, searched.count(b"\n", 0, at) + 1, encoding, value_id)

    def finds(self, text: bytes) -> bool:
        """Whether a text holds any of the values in any encoding."""
        return any(True for _ in self.leaks("", text))


def _folded(data: bytes) -> bytes:
    """In lower case, letters beyond ASCII included."""
    return data.decode("utf-8", "surrogateescape").lower().encode("utf-8", "surrogateescape")


def _find(data: bytes, needle: bytes) -> int:
    """Where a needle stands (-1: nowhere); short ones only as whole words."""
    if len(needle) >= _SHORT:
        return data.find(needle)
    if needle not in data:
        return -1
    found = re.search(rb"(?<![A-Za-z0-9])" + re.escape(needle) + rb"(?![A-Za-z0-9])", data)
    return found.start() if found else -1


def _encodings(value: bytes) -> Iterator[tuple[str, bytes, bool]]:
    """(name, needle, whether to search in lower case) for each way a value may be written."""
    folded = _folded(value)
    for needle, name in _texts(value).items():
        yield name, needle, True
    yield "hex", value.hex().encode(), True
    if len(value) >= _BASE64_SHORTEST and folded != folded[::-1]:
        yield "reversed", folded[::-1], True
    for shift in range(3):
        needle = _base64(value, shift)
        if len(needle) >= _BASE64_SHORTEST:
            yield "base64", needle, False
    for name in _HASHES:
        for variant in dict.fromkeys((value, folded)):
            yield name, hashlib.new(name, variant, usedforsecurity=False).hexdigest().encode(), True


def _texts(value: bytes) -> dict[bytes, str]:
    """The value as text of several kinds, in lower case; each also as it stands in a literal."""
    text = value.decode("utf-8", "replace")
    kinds = {
        "plain": value,
        "json": json.dumps(text)[1:-1].encode(),
        "json in UTF-8": json.dumps(text, ensure_ascii=False)[1:-1].encode(),
        "url": quote(value, safe="").encode(),
    }
    made: dict[bytes, str] = {}
    for name, written in kinds.items():
        made.setdefault(_folded(written), name)
        made.setdefault(_folded(encode(Form.TEXT, written)[1:-1]), f"{name} in SQL")
        made.setdefault(_folded(written.replace(b"'", b"''")), f"{name} in SQL")
    return made


def _base64(value: bytes, shift: int) -> bytes:
    """What of the base64 text does not depend on the neighbours, `shift` bytes standing before."""
    text = base64.b64encode(b"\0" * shift + value).rstrip(b"=")
    spare = (shift + len(value)) % 3
    return text[(0, 2, 3)[shift] : len(text) - (1 if spare else 0)]

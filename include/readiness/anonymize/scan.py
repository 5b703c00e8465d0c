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
from urllib.parse import quote

from readiness.anonymize.originals import Originals

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
    leaks: list[Leak] = []
    for file, data in outputs.items():
        folded = data.lower()
        for value_id, value in originals.values.items():
            for encoding, needle, is_folded in _encodings(value):
                at = _find(folded if is_folded else data, needle)
                if at >= 0:
                    leaks.append(Leak(file, data.count(b"\n", 0, at) + 1, encoding, value_id))
    return leaks


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
    folded = value.lower()
    yield "plain", folded, True
    yield "hex", value.hex().encode(), True
    for name, needle in (("url", _url(value)), ("json", _json(value))):
        if needle != folded:
            yield name, needle, True
    if len(value) >= _BASE64_SHORTEST and folded != folded[::-1]:
        yield "reversed", folded[::-1], True
    for shift in range(3):
        needle = _base64(value, shift)
        if len(needle) >= _BASE64_SHORTEST:
            yield "base64", needle, False
    for name in _HASHES:
        for variant in {value, folded}:
            yield name, hashlib.new(name, variant, usedforsecurity=False).hexdigest().encode(), True


def _url(value: bytes) -> bytes:
    return quote(value, safe="").lower().encode()


def _json(value: bytes) -> bytes:
    text = json.dumps(value.decode("utf-8", "replace"))
    return text[1:-1].lower().encode()


def _base64(value: bytes, shift: int) -> bytes:
    """What of the base64 text does not depend on the neighbours, `shift` bytes standing before."""
    text = base64.b64encode(b"\0" * shift + value).rstrip(b"=")
    spare = (shift + len(value)) % 3
    return text[(0, 2, 3)[shift] : len(text) - (1 if spare else 0)]

"""Searches outputs for captured values, in the encodings in which they usually escape.

A hit tells where, in which encoding, and which value by its id; never the value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from readiness.anonymize.hunt import Hunter
from readiness.anonymize.needles import needles_of
from readiness.anonymize.originals import Originals


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
        self._hunter = Hunter(needles_of(originals))

    def leaks(self, file: str, data: bytes) -> Iterator[Leak]:
        """The first place of each value and encoding in one output."""
        return (Leak(file, *hit) for hit in self._hunter.hits(data))

    def finds(self, text: bytes) -> bool:
        """Whether a text holds any of the values in any encoding."""
        return self._hunter.finds(text)

"""What the leak scan looks for: for each value and encoding one needle, known by a fingerprint of a
few of its bytes and by a proof of all of them.

Fingerprint and proof are made by a `Marking`: in memory the proof is the text itself, in a filter
file a keyed hash of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from readiness.anonymize.encodings import Edge, Writing, folded, is_small_number, writings
from readiness.anonymize.originals import Originals
from readiness.model.transactions import Raw

PART = "part"  # the encoding's name of a piece of a value
FINGERPRINT_BITS = 28
_WIDE, _NARROW = 8, 4
_TRIED = 16  # windows around the middle among which the most telling one is chosen
_WORD = (1 << 64) - 1


class Needle(NamedTuple):
    """One text to find; `length` in bytes, `at` is where its window of `width` bytes begins."""

    value_id: str
    encoding: str
    is_folded: bool
    edge: Edge
    is_small_number: bool
    length: int
    width: int
    at: int
    fingerprint: int
    proof: bytes

    def __repr__(self) -> str:
        """Without the proof, which may be the captured text."""
        return f"<Needle: {self.encoding} of {self.value_id}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("Needle may hold a captured value and is never pickled")


def _itself(text: bytes) -> bytes:
    return text


@dataclass(frozen=True, slots=True, repr=False)
class Marking:
    """How windows and texts are marked: two secret numbers of 64 bits (the second one odd), and
    what proves a text. The numbers below serve where nothing is kept secret."""

    mask: int = 0
    multiplier: int = 0x9E3779B97F4A7C15
    prove: Callable[[bytes], bytes] = _itself

    def fingerprint(self, window: bytes) -> int:
        """28 bits of 4 or 8 bytes."""
        mixed = (int.from_bytes(window, "little") ^ self.mask) * self.multiplier & _WORD
        return mixed >> (64 - FINGERPRINT_BITS)


@dataclass(frozen=True, slots=True, repr=False)
class Needles(Raw):
    """All needles of one search, and how they were marked."""

    marking: Marking
    needles: tuple[Needle, ...]


def needles_of(originals: Originals, marking: Marking | None = None) -> Needles:
    """A needle for each value and encoding."""
    marking = marking or Marking()
    texts = _texts(originals)
    return Needles(marking, tuple(_needle(name, text, marking) for name, text in texts))


def _texts(originals: Originals) -> Iterator[tuple[str, Writing]]:
    for value_id, value in originals.values.items():
        yield from ((value_id, w) for w in writings(value) if len(w.text) >= _NARROW)
    for value_id, pieces in originals.parts.items():
        yield from ((value_id, _piece(piece)) for piece in pieces)


def _piece(text: bytes) -> Writing:
    """Digits of a number count where they stand alone: the pieces are of all lengths."""
    made = folded(PART, text)
    return made._replace(edge=Edge.NUMBER) if text.isdigit() else made


def _needle(value_id: str, writing: Writing, marking: Marking) -> Needle:
    text = writing.text
    width = _WIDE if len(text) >= _WIDE else _NARROW
    at = 0 if writing.edge is Edge.WORD else _most_telling(text, width)
    return Needle(
        value_id,
        writing.encoding,
        writing.is_folded,
        writing.edge,
        is_small_number(text),
        len(text),
        width,
        at,
        marking.fingerprint(text[at : at + width]),
        marking.prove(text),
    )


def _most_telling(text: bytes, width: int) -> int:
    """The window near the middle with the most different bytes: one of zeros is everywhere."""
    last = len(text) - width
    first = max(0, last // 2 - _TRIED // 2)
    tried: Iterable[int] = range(first, min(first + _TRIED, last) + 1)
    return max(tried, key=lambda at: len(set(text[at : at + width])))

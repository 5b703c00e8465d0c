"""Finds thousands of needles in a text at the speed of a few passes over it.

All windows of 4 or 8 bytes are marked by one multiplication each and looked up in a table of bits;
what stands there is compared by its fingerprint, and only what agrees by its proof.
"""

from __future__ import annotations

import codecs
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from readiness.anonymize.encodings import Edge, fold
from readiness.anonymize.needles import FINGERPRINT_BITS, PART, Needle, Needles

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.uint64]
    Places: TypeAlias = NDArray[np.int64]
    Bits: TypeAlias = NDArray[np.bool_]

_MOST_TABLE_BITS = 20  # a table of bytes that fits into the processor's cache
_SPARSE_BITS = 5  # one place in 32 of the table is taken
_BLOCK = 1 << 16  # windows marked at once: their numbers stay in the processor's cache
_CHUNK = 1 << 20  # bytes folded at once
_NEAR = 8  # bytes beside a word that tell whether it stands in a text
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_CONTINUATION = bytes(range(0x80, 0xC0))
_UTF8 = codecs.getincrementaldecoder("utf-8")
_MOST_SHRUNK = 3  # a letter of 3 bytes may be folded to one


class Hit(NamedTuple):
    """Where a needle begins: the line (from 1) of the text, and whose it is."""

    line: int
    encoding: str
    value_id: str


class Hunter:
    """Searches any number of texts for the same needles."""

    def __init__(self, needles: Needles) -> None:
        self._prove = needles.marking.prove
        kinds: dict[tuple[bool, int, bool], list[Needle]] = defaultdict(list)
        for needle in needles.needles:
            kinds[needle.is_folded, needle.width, needle.edge is Edge.WORD].append(needle)
        self._groups = [_Group(needles, kind, group) for kind, group in kinds.items()]
        self._longest = max((n.length for n in needles.needles), default=0)

    def hits(self, text: bytes, *, has_measures: bool = False) -> list[Hit]:
        """The first place of each value and encoding in one text. With `has_measures` it is full of
        small numbers of its own: those of a capture do not count."""
        return self.hits_in(_cut(text), has_measures=has_measures)

    def hits_in(self, chunks: Iterable[bytes], *, has_measures: bool = False) -> list[Hit]:
        """As `hits`, of a text that comes in pieces and need not fit into memory."""
        found: dict[tuple[str, str], int] = {}
        for piece in _pieces(chunks, self._longest * _MOST_SHRUNK + 2 * _NEAR):
            for line, needle in self._found_in(piece, found):
                if has_measures and needle.is_small_number:
                    continue
                key = (needle.value_id, needle.encoding)
                found[key] = min(found.get(key, line), line)
        hits = (Hit(line, encoding, value_id) for (value_id, encoding), line in found.items())
        whole = {value_id for value_id, encoding in found if encoding != PART}
        return sorted(h for h in hits if h.encoding != PART or h.value_id not in whole)

    def finds(self, text: bytes) -> bool:
        """Whether a text holds any of the values in any encoding."""
        return any(True for _ in self._found_in(_Piece(text, 0, True, True), {}))

    def _found_in(
        self, piece: _Piece, known: dict[tuple[str, str], int]
    ) -> Iterator[tuple[int, Needle]]:
        folded = piece._replace(data=fold(piece.data))
        for group in self._groups:
            searched = folded if group.is_folded else piece
            for start, needle in group.candidates(searched.data):
                if (needle.value_id, needle.encoding) in known:
                    continue
                if self._stands(needle, searched, start):
                    yield searched.line_at(start), needle

    def _stands(self, needle: Needle, piece: _Piece, start: int) -> bool:
        end = start + needle.length
        if start < 0 or end > len(piece.data):
            return False
        if needle.edge is Edge.WORD and not piece.is_word(start, end):
            return False
        if needle.edge is Edge.NUMBER and not piece.is_number(start, end):
            return False
        return self._prove(piece.data[start:end]) == needle.proof


class _Piece(NamedTuple):
    """A stretch of a text; `lines` stand before it."""

    data: bytes
    lines: int
    is_first: bool
    is_last: bool

    def line_at(self, start: int) -> int:
        return self.lines + self.data.count(b"\n", 0, start) + 1

    def is_word(self, start: int, end: int) -> bool:
        """Whether this is a whole word of a text: in a picture, any four letters come by chance.

        Not where the stretch is cut: the stretch beside holds that place, too."""
        before, after = self._beside(start, end)
        meets = before[-1:].isalnum() or after[:1].isalnum()
        return self._is_within(start, end) and not meets and _is_text(before) and _is_text(after)

    def is_number(self, start: int, end: int) -> bool:
        """Whether no further digit stands beside these."""
        before, after = self._beside(start, end)
        meets = before[-1:].isdigit() or after[:1].isdigit()
        return self._is_within(start, end) and not meets

    def _beside(self, start: int, end: int) -> tuple[bytes, bytes]:
        return self.data[max(start - _NEAR, 0) : start], self.data[end : end + _NEAR]

    def _is_within(self, start: int, end: int) -> bool:
        """Whether both neighbours are known."""
        return (start > 0 or self.is_first) and (end < len(self.data) or self.is_last)


def _is_text(data: bytes) -> bool:
    """Whether it is UTF-8 without control characters; letters may be cut at its ends."""
    if _CONTROL.search(data):
        return False
    if data.isascii():
        return True
    whole = data.lstrip(_CONTINUATION) if data[0] in _CONTINUATION else data
    try:
        _UTF8().decode(whole, final=False)
    except UnicodeDecodeError:
        return False
    return len(data) - len(whole) < 4


def _cut(text: bytes) -> Iterator[bytes]:
    return (text[at : at + _CHUNK] for at in range(0, len(text), _CHUNK))


def _pieces(chunks: Iterable[bytes], overlap: int) -> Iterator[_Piece]:
    """The text in stretches that overlap: what is no longer than that stands whole in one."""
    held, lines, is_first = b"", 0, True
    fresh = 0
    for chunk in chunks:
        if fresh >= max(_CHUNK, overlap):
            yield _Piece(held, lines, is_first, is_last=False)
            spent = max(0, len(held) - overlap)
            lines, held, is_first, fresh = (
                lines + held.count(b"\n", 0, spent),
                held[spent:],
                False,
                0,
            )
        held += chunk
        fresh += len(chunk)
    yield _Piece(held, lines, is_first, is_last=True)


class _Group:
    """The needles of one kind: folded or not, by windows of 4 or 8 bytes, whole words or not."""

    def __init__(
        self, needles: Needles, kind: tuple[bool, int, bool], group: Iterable[Needle]
    ) -> None:
        import numpy as np

        self.is_folded, self._width, self._is_word = kind
        self._by_fingerprint: dict[int, list[Needle]] = defaultdict(list)
        for needle in group:
            self._by_fingerprint[needle.fingerprint].append(needle)
        self._known = np.array(sorted(self._by_fingerprint), dtype=np.int64)
        bits = min(len(self._known).bit_length() + _SPARSE_BITS, _MOST_TABLE_BITS)
        self._table = np.zeros(1 << bits, dtype=np.bool_)
        self._table[self._known >> (FINGERPRINT_BITS - bits)] = True
        self._table_bits = bits
        self._mask = np.uint64(needles.marking.mask)
        self._multiplier = np.uint64(needles.marking.multiplier)

    def candidates(self, data: bytes) -> Iterator[tuple[int, Needle]]:
        """(where it would begin, needle) for each window whose fingerprint is a needle's."""
        for block in range(0, len(data) - self._width + 1, _BLOCK):
            for place, fingerprint in self._known_in(data, block):
                for needle in self._by_fingerprint[fingerprint]:
                    yield place - needle.at, needle

    def _known_in(self, data: bytes, block: int) -> Iterator[tuple[int, int]]:
        windows, places = self._windows(data, block)
        passed = self._table[self._marks(windows, self._table_bits)].nonzero()[0]
        if not len(passed):
            return
        fingerprints = self._marks(windows[passed], FINGERPRINT_BITS)
        places = passed if places is None else places[passed]
        known = self._known.searchsorted(fingerprints).clip(max=len(self._known) - 1)
        is_known = self._known[known] == fingerprints
        found = (places[is_known] + block).tolist(), fingerprints[is_known].tolist()
        yield from zip(*found, strict=True)

    def _windows(self, data: bytes, block: int) -> tuple[Numbers, Places | None]:
        """The windows that begin in the block as numbers, and where (None: everywhere)."""
        import numpy as np

        count = min(_BLOCK, len(data) - self._width + 1 - block)
        windows = np.ndarray(
            (count,), dtype=f"<u{self._width}", buffer=data, offset=block, strides=(1,)
        )
        if not self._is_word:
            return windows, None
        places = self._word_starts(data, block, count)
        return windows[places], places

    def _word_starts(self, data: bytes, block: int, count: int) -> Places:
        """Where the byte before is no letter and no digit."""
        import numpy as np

        is_inside = _is_alphanumeric()[
            np.frombuffer(data, dtype=np.uint8, offset=max(block - 1, 0), count=count - (not block))
        ]
        starts: Places = (~is_inside).nonzero()[0]
        return starts if block else np.concatenate(([0], starts + 1))

    def _marks(self, windows: Numbers, bits: int) -> Places:
        """The highest bits of the product: the same as `Marking.fingerprint`, as far as they go."""
        marks: Numbers = (windows ^ self._mask) * self._multiplier
        marks >>= marks.dtype.type(64 - bits)
        return marks.view("i8")


@cache
def _is_alphanumeric() -> Bits:
    import numpy as np

    return np.array([bytes((code,)).isalnum() for code in range(256)])

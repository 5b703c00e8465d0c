"""A table as `mysql --batch` prints it: one row a line, tabs between, each byte kept.

The client writes a newline as `\\n`, a tab as `\\t`, NUL as `\\0` and a backslash as `\\\\`; a dump
made with --raw has none of these, so that its rows cannot be told apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from readiness.errors import LogFormatError

Row = tuple[int, list[bytes]]

_ESCAPE = re.compile(rb"\\(.?)", re.DOTALL)
_MEANS = {b"n": b"\n", b"t": b"\t", b"0": b"\0", b"\\": b"\\"}
_WRITTEN = re.compile(rb"[\n\t\0\\]")
_AS_WRITTEN = {b"\n": b"\\n", b"\t": b"\\t", b"\0": b"\\0", b"\\": b"\\\\"}
_HEX = re.compile(rb"0x(?:[0-9A-F]{2})*", re.IGNORECASE)
_DUMP_AGAIN = 'Dump it as text, without --raw:  mysql --batch -e "SELECT * FROM {table}" > {file}'


@dataclass(frozen=True, slots=True)
class _Layout:
    """How the rows of a dump look: its header (b"" for none), line end, and where columns stand."""

    header: bytes
    end: bytes
    width: int
    places: Sequence[int]


@dataclass(slots=True)
class BatchDump:
    """The rows of one dump, with the columns `wanted` in that order.

    `usual` are the table's own columns, for a dump without a header. `blob` is the column that a
    client with --binary-as-hex prints as 0x…. `warnings` are final at the end. Iterating raises
    LogFormatError for a line that is no row."""

    path: Path
    table: str
    usual: Sequence[str]
    wanted: Sequence[str]
    blob: str = ""
    warnings: list[str] = field(default_factory=list)

    def rows(self, lines: Iterable[bytes]) -> Iterator[Row]:
        """Each row with its line, counted from 1; escapes are taken back."""
        numbered = enumerate(lines, start=1)
        for _, first in numbered:
            layout = self._layout(first)
            rest = numbered if layout.header else chain([(1, first)], numbered)
            yield from self._unhexed(self._fields(rest, layout))

    def _layout(self, first: bytes) -> _Layout:
        names = _names(first)
        if not set(names) & set(self.wanted):
            return _Layout(b"", b"\n", len(self.usual), self._places(self.usual))
        end = b"\r\n" if first.endswith(b"\r\n") else b"\n"
        return _Layout(first, end, len(names), self._places(names))

    def _fields(self, numbered: Iterable[tuple[int, bytes]], layout: _Layout) -> Iterator[Row]:
        for number, line in numbered:
            if line == layout.header:  # dumps put one behind the other have it again
                continue
            if not line.endswith(b"\n"):
                self.warnings.append(f"line {number}: the last row has no end and was left out")
                return
            fields = line.removesuffix(layout.end).split(b"\t")
            if len(fields) != layout.width:
                expected = f"a row of {layout.width} columns, and this has {len(fields)}"
                raise self._wrong(number, expected)
            yield number, [self._text(fields[place], number) for place in layout.places]

    def _unhexed(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The first row with a value shows whether the client printed bytes as 0x…."""
        blob = self.wanted.index(self.blob) if self.blob else -1
        is_hex: bool | None = None
        for number, fields in rows:
            value = fields[blob] if blob >= 0 else b""
            if is_hex is None and value:
                is_hex = len(value) > 2 and _HEX.fullmatch(value) is not None
            if is_hex and value:
                if not _HEX.fullmatch(value):
                    raise self._wrong(number, "bytes as 0x…, as in the rows before")
                fields[blob] = bytes.fromhex(value[2:].decode())
            yield number, fields

    def _places(self, names: Sequence[str]) -> list[int]:
        missing = [name for name in self.wanted if name not in names]
        if missing:
            raise self._wrong(1, f"the columns of {self.table}; {', '.join(missing)} is missing")
        return [names.index(name) for name in self.wanted]

    def _text(self, field: bytes, number: int) -> bytes:
        if b"\\" not in field:
            return field
        try:
            return unescape(field)
        except ValueError as e:
            raise self._wrong(number, "the escapes of mysql --batch, and this has others") from e

    def _wrong(self, number: int, expected: str) -> LogFormatError:
        hint = _DUMP_AGAIN.format(table=self.table, file=self.path.name)
        return LogFormatError(self.path, number, f"expected {expected}", hint=hint)


def unescape(field: bytes) -> bytes:
    """The bytes of a field. Raises ValueError for an escape that --batch never writes."""

    def meant(found: re.Match[bytes]) -> bytes:
        if found[1] not in _MEANS:
            raise ValueError("no escape of mysql --batch")
        return _MEANS[found[1]]

    return _ESCAPE.sub(meant, field)


def escape(value: bytes) -> bytes:
    """A field as --batch writes it: the inverse of `unescape`."""
    return _WRITTEN.sub(lambda found: _AS_WRITTEN[found[0]], value)


def batch_line(fields: Iterable[bytes]) -> bytes:
    """A row as --batch writes it."""
    return b"\t".join(escape(field) for field in fields) + b"\n"


def has_header(head: bytes, columns: Sequence[str]) -> bool:
    """Whether a file begins with a header that has all of `columns`."""
    return set(columns) <= set(_names(head.partition(b"\n")[0]))


def _names(header: bytes) -> list[str]:
    """Column names; a first line that is a row gives none of a table's."""
    return [n.decode("ascii", "replace").lower() for n in header.rstrip(b"\r\n").split(b"\t")]

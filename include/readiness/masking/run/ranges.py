"""Ranges of rows in the order of a table's key: where they end, and the condition that names them.

The end of a range is read from the server as a literal and given back as one, so that composite,
textual, binary and sparse keys are compared as their index orders them. Conditions are spelled out
(`a > 1 OR a = 1 AND b > 2`): of row constructors, servers make no index range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from readiness.masking.data_types import BINARIES, TEXTS, WHOLE_NUMBERS
from readiness.masking.names import quoted, text
from readiness.model.catalogue import ColumnFacts, TableFacts
from readiness.ports import Session

_WHOLE = WHOLE_NUMBERS | {"decimal", "year"}
_BINARY_FRACTION = {"float", "double"}
_BY_NUMBER = {"enum", "set", "bit"}  # their index goes by number, not by text


@dataclass(frozen=True, slots=True)
class RangeKey:
    """A unique index over columns that are never NULL, each held whole."""

    index: str
    columns: tuple[ColumnFacts, ...]


def range_key(table: TableFacts) -> RangeKey | None:
    """The primary key, or else the unique index of fewest columns; None where there is none."""
    fit = [i for i in table.indexes if i.is_unique and all(_fits(table, p) for p in i.parts)]
    best = min(fit, key=lambda i: (i.name != "PRIMARY", len(i.parts), i.name), default=None)
    if best is None:
        return None
    return RangeKey(best.name, tuple(table.columns[name] for name in best.columns))


def _fits(table: TableFacts, part: tuple[str, int]) -> bool:
    name, prefix = part
    return bool(name) and not prefix and not table.columns[name].is_nullable


def end_of_range(
    session: Session, table: str, key: RangeKey, after: Sequence[str], rows: int
) -> tuple[str, ...]:
    """The key of the row that is `rows` rows on from `after` (() is the start), as literals; () where
    fewer follow. Reads `rows` entries of the key, and nothing before them."""
    where = f" WHERE {beyond(key, after)}" if after else ""
    names = [quoted(c.name) for c in key.columns]
    found = session.query(
        f"SELECT {', '.join(_shown(c) for c in key.columns)} FROM {quoted(table)}"
        f" FORCE INDEX ({quoted(key.index)}){where} ORDER BY {', '.join(names)}"
        f" LIMIT 1 OFFSET {rows - 1:d}"
    )
    if not found:
        return ()
    return tuple(_literal(c, text(v)) for c, v in zip(key.columns, found[0], strict=True))


def condition(key: RangeKey, after: Sequence[str], upto: Sequence[str]) -> str:
    """SQL that holds for the rows beyond `after` and not beyond `upto`; () is no bound."""
    parts = [beyond(key, after)] if after else []
    parts += [_within(key, upto)] if upto else []
    return " AND ".join(f"({p})" for p in parts) or "TRUE"


def beyond(key: RangeKey, after: Sequence[str]) -> str:
    """SQL that holds for the rows whose key is greater."""
    return _compared(key, after, ">", ">")


def _within(key: RangeKey, upto: Sequence[str]) -> str:
    return _compared(key, upto, "<", "<=")


def _compared(key: RangeKey, bound: Sequence[str], sign: str, last: str) -> str:
    """Bound by the first column too, so that the index range is seen at once."""
    names = [quoted(c.name) for c in key.columns]
    said = f"{names[-1]} {last} {bound[-1]}"
    for name, literal in zip(reversed(names[:-1]), reversed(bound[:-1]), strict=True):
        said = f"{name} {sign}= {literal} AND ({name} {sign} {literal} OR ({said}))"
    return said


def _shown(column: ColumnFacts) -> str:
    """SQL that gives a key's value as ASCII text, exactly."""
    name, kind = quoted(column.name), column.data_type
    if kind in TEXTS | BINARIES:
        return f"HEX({name})"
    if kind in _BY_NUMBER:
        return f"CAST({name} + 0 AS CHAR)"
    if kind in _BINARY_FRACTION:
        return f"CAST({name} + 0e0 AS CHAR)"
    return f"CAST({name} AS CHAR)"


def _literal(column: ColumnFacts, shown: str) -> str:
    """The literal that compares equal with the value that was shown."""
    kind = column.data_type
    if kind in TEXTS and column.charset != "binary":
        return f"_{column.charset} X'{shown}' COLLATE {column.collation}"
    if kind in TEXTS | BINARIES:
        return f"X'{shown}'"
    if kind in _WHOLE | _BY_NUMBER:
        return shown
    if kind in _BINARY_FRACTION:
        return shown if "e" in shown else f"{shown}e0"
    return "'" + shown.replace("'", "''") + "'"

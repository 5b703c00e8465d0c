"""How the columns of a workload stand in the target's unique keys: one query."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from readiness.ports import Row, Session

_FEW = 10_000  # values of a leading column, for each of which an index is asked
_NUMERIC = ("tinyint", "smallint", "mediumint", "int", "bigint", "decimal")
_TEXTS = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext")
_BINARY = ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob")


@dataclass(frozen=True, slots=True)
class UniqueColumn:
    """A column of a unique key: `beside` names the other columns of the key with the fewest ((): it
    is unique alone); `leads` says that an index begins with it, `type` is its data type. `led_by` is
    the column before it in a key of two, where that one has few values by the server's estimate."""

    beside: tuple[str, ...]
    leads: bool
    type: str
    led_by: str = ""

    @property
    def is_numeric(self) -> bool:
        """Its index is in the order of numbers."""
        return self.type in _NUMERIC

    @property
    def is_text(self) -> bool:
        """Its index is in the order of a collation."""
        return self.type in _TEXTS

    @property
    def is_binary(self) -> bool:
        """Its index is in the order of bytes."""
        return self.type in _BINARY


def unique_columns(session: Session, columns: Collection[str]) -> dict[str, UniqueColumn]:
    """Those of `columns` ("orders.ref") that stand in a unique key of the session's database.

    Raises TargetUnavailable."""
    asked = {c.lower(): c for c in columns if c.count(".") == 1}
    if not asked:
        return {}
    tables = sorted({column.partition(".")[0] for column in asked.values()})
    marks = ", ".join(["%s"] * len(tables))
    rows = session.query(
        "SELECT s.TABLE_NAME, s.INDEX_NAME, s.NON_UNIQUE, s.SEQ_IN_INDEX, s.COLUMN_NAME, c.DATA_TYPE,"
        " s.CARDINALITY"
        " FROM information_schema.STATISTICS s JOIN information_schema.COLUMNS c"
        " ON c.TABLE_SCHEMA = DATABASE() AND c.TABLE_NAME = s.TABLE_NAME"
        " AND c.COLUMN_NAME = s.COLUMN_NAME"
        f" WHERE s.TABLE_SCHEMA = DATABASE() AND s.TABLE_NAME IN ({marks})"
        " ORDER BY s.TABLE_NAME, s.INDEX_NAME, s.SEQ_IN_INDEX",
        tables,
    )
    parts = [_Part.of(row) for row in rows]
    found = {name: _column(name, parts) for name in asked}
    return {asked[name]: column for name, column in found.items() if column}


@dataclass(frozen=True, slots=True)
class _Part:
    """One column of one index."""

    table: str
    index: str
    is_unique: bool
    position: int
    column: str
    type: str
    values: int

    @classmethod
    def of(cls, row: Row) -> _Part:
        table, index, non_unique, position, column, kind, values = map(_text, row)
        count = int(values) if values.isdigit() else 0
        return cls(table, index, non_unique == "0", int(position), column, kind.lower(), count)

    @property
    def name(self) -> str:
        return f"{self.table}.{self.column}".lower()


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _column(name: str, parts: Sequence[_Part]) -> UniqueColumn | None:
    own = [p for p in parts if p.name == name]
    keys = [_others(p, parts) for p in own if p.is_unique]
    if not keys:
        return None
    fewest = min(keys, key=len)
    first = fewest[0] if len(fewest) == 1 and fewest[0].position == 1 else None
    led_by = first.column if first and first.values <= _FEW else ""
    leads = any(p.position == 1 for p in own)
    return UniqueColumn(tuple(p.column for p in fewest), leads, own[0].type, led_by)


def _others(one: _Part, parts: Sequence[_Part]) -> list[_Part]:
    """The other columns of its index."""
    return [p for p in parts if (p.table, p.index) == (one.table, one.index) and p != one]

"""A few rows of a table to look at: from both ends of its primary key and from between.

Values come as bytes: text in UTF-8, numbers and dates as SQL writes them, binaries as they are.
They are looked at in memory and never written anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta

from readiness.errors import MaskingError, StatementFailed
from readiness.masking.data_types import BINARIES, TEXTS, WHOLE_NUMBERS
from readiness.masking.names import bound, quoted
from readiness.model.catalogue import Catalogue, ColumnFacts, TableFacts
from readiness.ports import Row, Session

Sample = Mapping[str, bytes | None]

MOST_BYTES = 16_384  # of one value
_MOST_OF_DOCUMENT = 262_144  # characters; a part of a document cannot be read
_SEARCHED_ROWS = 2_000_000  # of larger tables no text is searched as a whole
_SPOTS = 8
_LONG = 4_000  # characters; longer columns are read up to MOST_BYTES
_LARGE = (TEXTS | BINARIES | {"json"}) - {"binary"}
_SHAPES = (  # cheap test first: what holds an e-mail, a phone number, the address of a machine
    ("%@%", "[[:alnum:]_.+-]+@[[:alnum:]-]+[.][[:alpha:]]{2,}"),
    ("%+%", "[+][0-9][0-9 ()/.-]{7,}[0-9]"),
    ("%.%.%.%", "(^|[^0-9.])[0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3}([^0-9.]|$)"),
)


def sample_rows(
    session: Session, catalogue: Catalogue, table: str, most: int = 200
) -> list[Sample]:
    """Up to `most` rows, each with all columns that the server stores; then, of tables that are not
    large, single values (rows of one column) that hold an e-mail, a phone number or an IP address,
    wherever in the table they stand. [] for an empty table."""
    facts = catalogue.tables[table]
    rows = list(_unique(_spread(session, catalogue.database, facts, most)))[:most]
    if len(rows) < most or facts.rows > _SEARCHED_ROWS:
        return rows
    return rows + list(_telling(session, catalogue.database, facts))


def _spread(session: Session, database: str, table: TableFacts, most: int) -> Iterator[Sample]:
    """Rows at both ends of the primary key, and at spots between where it begins with a number."""
    reader = _Reader(session, database, table)
    key = table.primary_key
    if not key or "" in key:
        yield from reader.rows(f"LIMIT {most}")
        return
    part = max(1, most // 4)
    ascending = ", ".join(map(bound, key))
    descending = ", ".join(f"{bound(name)} DESC" for name in key)
    last = list(reader.rows(f"ORDER BY {descending} LIMIT {part}"))
    middle = list(_between(reader, key[0], max(1, most // 2 // _SPOTS)))
    yield from last
    yield from middle
    known = len({_identity(row) for row in (*last, *middle)})
    yield from reader.rows(f"ORDER BY {ascending} LIMIT {most - known + part}")


def _between(reader: _Reader, first: str, each: int) -> Iterator[Sample]:
    if reader.table.columns[first].data_type not in WHOLE_NUMBERS:
        return
    low, high = reader.ends(first)
    for spot in range(1, _SPOTS + 1) if high > low else ():
        at = low + (high - low) * spot // (_SPOTS + 1)
        yield from reader.rows(
            f"WHERE {bound(first)} >= %s ORDER BY {bound(first)} LIMIT {each}", (at,)
        )


class _Reader:
    """Reads rows of one table."""

    def __init__(self, session: Session, database: str, table: TableFacts) -> None:
        self.table = table
        self._session = session
        self._from = f"FROM {bound(database)}.{bound(table.name)}"
        self._columns = [c for c in table.columns.values() if c.generated != "virtual"]
        self._list = ", ".join(map(_selected, self._columns))

    def rows(self, which: str, values: Sequence[object] = ()) -> Iterator[Sample]:
        """Rows by what follows FROM; `%` is written twice."""
        sql = f"SELECT {self._list} {self._from} {which}"
        for row in self._session.query(sql if values else sql.replace("%%", "%"), values):
            yield {c.name: as_bytes(v) for c, v in zip(self._columns, row, strict=True)}

    def ends(self, column: str) -> tuple[int, int]:
        """The smallest and the largest number; (0, 0) where there is none."""
        sql = f"SELECT MIN({bound(column)}), MAX({bound(column)}) {self._from}".replace("%%", "%")
        low, high = self._session.query(sql)[0]
        return (int(str(low)), int(str(high))) if low is not None else (0, 0)


def _selected(column: ColumnFacts) -> str:
    name = bound(column.name)
    if column.is_json:
        return f"LEFT({name}, {_MOST_OF_DOCUMENT})"
    is_long = column.data_type in _LARGE and column.max_chars > _LONG
    return f"LEFT({name}, {MOST_BYTES})" if is_long else name


def _telling(session: Session, database: str, table: TableFacts) -> Iterator[Sample]:
    """One value of each text column for each shape that any row of it has. A server that cannot
    tell, for a right or a time limit that it lacks, tells nothing: what is kept is searched again
    in the proof."""
    texts = [c.name for c in table.columns.values() if _is_searched(c)]
    if not texts:
        return
    wanted = ", ".join(_holding(name, shape) for name in texts for shape in _SHAPES)
    found: list[Row] = session.query(
        f"SELECT {wanted} FROM {quoted(database)}.{quoted(table.name)}"
    )
    names = [name for name in texts for _ in _SHAPES]
    for name, value in zip(names, found[0], strict=True):
        if value is not None:
            yield {name: as_bytes(value)}


def _is_searched(column: ColumnFacts) -> bool:
    return column.data_type in TEXTS and not column.generated and column.max_chars <= _LONG


def _holding(column: str, shape: tuple[str, str]) -> str:
    name = quoted(column)
    like, pattern = shape
    return (
        f"MIN(CASE WHEN {name} LIKE '{like}' AND CONVERT({name} USING utf8mb4) REGEXP '{pattern}'"
        f" THEN {name} END)"
    )


def _unique(rows: Iterator[Sample]) -> Iterator[Sample]:
    seen: set[tuple[bytes | None, ...]] = set()
    for row in rows:
        if _identity(row) not in seen:
            seen.add(_identity(row))
            yield row


def _identity(row: Sample) -> tuple[bytes | None, ...]:
    return tuple(row.values())


def as_bytes(value: object) -> bytes | None:
    """A value as SQL writes it, None for NULL."""
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, datetime):
        return value.isoformat(sep=" ").encode()
    if isinstance(value, date | timedelta | int | float):
        return str(value).encode()
    return str(value).encode("utf-8", "surrogateescape")


def samples_of(session: Session, catalogue: Catalogue, table: str) -> list[Sample]:
    """`sample_rows`, with the table named where it cannot be read."""
    try:
        return sample_rows(session, catalogue, table)
    except StatementFailed as error:
        raise MaskingError(
            f"{catalogue.database}.{table} cannot be looked at: error {error.code}.",
            hint="Repair or drop the table on the clone, and run it again.",
        ) from None

"""The queries behind the pools: a bounded random sample of rows, weighted by child rows.

One scan of a key column per family at most; nothing is sorted but the sample itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from readiness.errors import StatementFailed, WorkloadError
from readiness.ports import Row, Session

Key = tuple[bytes, ...]
_PARENTS_AT_ONCE = 200
_ROWS_PER_PARENT = 20  # on average; what comes beyond is not read


@dataclass(frozen=True, slots=True)
class Family:
    """What makes samples share a pool: the table, "child.column" whose rows carry the skew (or
    ""), and the condition as pairs of column and variable."""

    table: str
    weight_by: str
    where: tuple[tuple[str, str], ...]


def read_rows(
    session: Session,
    family: Family,
    columns: Sequence[str],
    parents: Sequence[Collection[bytes]],
    *,
    limit: int,
    seed: int,
) -> dict[Key, Counter[tuple[bytes, ...]]]:
    """Weights of the rows (`columns`), grouped by the condition's values.

    `parents[i]` are the values that condition i may take. Raises WorkloadError when the target
    has no such table or column."""
    try:
        return _read(session, family, columns, parents, limit=limit, seed=seed)
    except StatementFailed as error:
        raise WorkloadError(
            f"the rows of {family.table} cannot be sampled: {error.message}",
            hint="Is --target a clone of the database that the workload was captured on?",
        ) from error


def _read(
    session: Session,
    family: Family,
    columns: Sequence[str],
    parents: Sequence[Collection[bytes]],
    *,
    limit: int,
    seed: int,
) -> dict[Key, Counter[tuple[bytes, ...]]]:
    fields = [*(column for column, _ in family.where), *columns]
    weighted = _weighted(session, family, fields, limit, seed) if family.weight_by else []
    if family.where:
        rows = [*_of_parents(session, family, fields, parents, limit), *weighted]
    else:
        rows = weighted or _uniform(session, family, fields, limit, seed)
    groups: dict[Key, Counter[tuple[bytes, ...]]] = {}
    width = len(family.where)
    for row in rows:
        values = tuple(map(field_bytes, row))
        if all(value in parent for value, parent in zip(values, parents, strict=False)):
            groups.setdefault(values[:width], Counter())[values[width:]] += 1
    return groups


def _quoted(name: str) -> str:
    return ".".join(f"`{part.replace('`', '``')}`" for part in name.split("."))


def _select(fields: Sequence[str], *, alias: str) -> tuple[str, str]:
    """The select list, and the condition that no field is NULL."""
    names = [f"{alias}.{_quoted(field)}" for field in fields]
    return ", ".join(names), " AND ".join(f"{name} IS NOT NULL" for name in names)


def _share(session: Session, table: str, wanted: int) -> float:
    """The share of a table's rows that gives about `wanted` of them, by the server's estimate."""
    rows = session.query(
        "SELECT TABLE_ROWS FROM information_schema.TABLES"
        " WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = %s",
        (table,),
    )
    estimate = int(str(rows[0][0] or 0)) if rows else 0
    return min(1.0, wanted / estimate) if estimate > wanted else 1.0


def _uniform(
    session: Session, family: Family, fields: Sequence[str], limit: int, seed: int
) -> list[Row]:
    names, present = _select(fields, alias="t")
    share = _share(session, family.table, 4 * limit)
    return session.query(
        f"SELECT {names} FROM {_quoted(family.table)} t"
        f" WHERE {present} AND RAND({seed}) <= {share:.9f}"
        f" ORDER BY RAND({seed + 1}) LIMIT {limit}"
    )


def _weighted(
    session: Session, family: Family, fields: Sequence[str], limit: int, seed: int
) -> list[Row]:
    """One row for each sampled row of the child table: parents come as often as children do."""
    child, _, column = family.weight_by.rpartition(".")
    names, present = _select(fields, alias="t")
    share = _share(session, child, 4 * limit)
    return session.query(
        f"SELECT {names} FROM (SELECT {_quoted(column)} AS parent FROM {_quoted(child)}"
        f" WHERE {_quoted(column)} IS NOT NULL AND RAND({seed}) <= {share:.9f}"
        f" ORDER BY RAND({seed + 1}) LIMIT {limit}) c"
        f" JOIN {_quoted(family.table)} t"
        f" ON t.{_quoted(_referenced(session, family, child, column))} = c.parent"
        f" WHERE {present}"
    )


def _referenced(session: Session, family: Family, child: str, column: str) -> str:
    """The column of the sampled table that the child's foreign key refers to."""
    rows = session.query(
        "SELECT REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE"
        " WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = %s AND COLUMN_NAME = %s"
        " AND REFERENCED_TABLE_NAME = %s",
        (child, column, family.table),
    )
    return str(rows[0][0]) if rows else column


def _of_parents(
    session: Session,
    family: Family,
    fields: Sequence[str],
    parents: Sequence[Collection[bytes]],
    limit: int,
) -> list[Row]:
    """The rows that meet the first condition, a batch of parents at a time."""
    first = sorted(parents[0])
    found: list[Row] = []
    for at in range(0, len(first), _PARENTS_AT_ONCE):
        found += _of_some(session, family, fields, first[at : at + _PARENTS_AT_ONCE], limit)
    return found


def _of_some(
    session: Session, family: Family, fields: Sequence[str], batch: Sequence[bytes], limit: int
) -> list[Row]:
    """Their rows. Where one parent has so many that others would be cut off, half of the parents are
    asked at a time: a large merchant must not push the small ones out."""
    names, present = _select(fields, alias="t")
    marks = ", ".join(["%s"] * len(batch))
    most = limit if len(batch) == 1 else len(batch) * max(_ROWS_PER_PARENT, limit // 50)
    found = session.query(
        f"SELECT DISTINCT {names} FROM {_quoted(family.table)} t WHERE {present}"
        f" AND t.{_quoted(fields[0])} IN ({marks}) LIMIT %s",
        [*map(_parameter, batch), most],
    )
    if len(found) < most or len(batch) == 1:
        return found
    half = len(batch) // 2
    parts = (batch[:half], batch[half:])
    return [row for part in parts for row in _of_some(session, family, fields, part, limit)]


def _parameter(value: bytes) -> object:
    """As text where it is text: a binary parameter would keep the server from using an index."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


def field_bytes(value: object) -> bytes:
    """A field as the raw value of a variable: text in UTF-8, digits, or binary."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, timedelta):
        return _clock_time(value)
    if isinstance(value, datetime):
        return value.isoformat(" ").encode()
    return str(value).encode("utf-8", "surrogateescape")


def _clock_time(value: timedelta) -> bytes:
    """A TIME field as hours:minutes:seconds, with a sign and a fraction where it has them."""
    size = abs(value)
    hours, rest = divmod(size.seconds + size.days * 86_400, 3600)
    text = f"{'-' if value < timedelta(0) else ''}{hours:02d}:{rest // 60:02d}:{rest % 60:02d}"
    return (text + (f".{size.microseconds:06d}" if size.microseconds else "")).encode()


def server_offset_s(session: Session) -> float:
    """How many seconds the session's NOW() is ahead of UTC."""
    rows = session.query("SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(), NOW())")
    return float(str(rows[0][0])) if rows else 0.0

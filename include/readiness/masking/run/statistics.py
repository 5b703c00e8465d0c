"""Statistics that hold values of rows, and so what is personal: histograms of MySQL, and of MariaDB
mysql.column_stats with its smallest and greatest values. Which there are is kept before a table is
masked; afterwards they are made again, from masked rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from readiness.masking.names import quoted, text
from readiness.masking.run.session import attempt
from readiness.ports import Row, Session


@dataclass(frozen=True, slots=True)
class Statistic:
    """One column's. `kind` is MariaDB's histogram type ("" for none); `size` its bytes or MySQL's
    buckets; `is_automatic`: MySQL renews it by itself at each ANALYZE."""

    column: str
    kind: str
    size: int
    is_automatic: bool = False


def read_statistics(session: Session, database: str, table: str, engine: str) -> list[Statistic]:
    """Those of one table, by column."""
    if engine == "mariadb":
        rows = session.query(
            "SELECT column_name, hist_type, hist_size FROM mysql.column_stats"
            " WHERE db_name = %s AND table_name = %s ORDER BY column_name",
            (database, table),
        )
        return [Statistic(text(r[0]), text(r[1] or ""), int(text(r[2] or 0))) for r in rows]
    rows = session.query(
        "SELECT COLUMN_NAME, HISTOGRAM FROM information_schema.COLUMN_STATISTICS"
        " WHERE SCHEMA_NAME = %s AND TABLE_NAME = %s ORDER BY COLUMN_NAME",
        (database, table),
    )
    return [_of_mysql(row) for row in rows]


def renew_statistics(
    session: Session, table: str, engine: str, statistics: Sequence[Statistic]
) -> None:
    """Makes them again and counts the table's keys anew."""
    statements = _mariadb if engine == "mariadb" else _mysql
    for statement in statements(quoted(table), statistics):
        session.query(statement)
    if engine == "mariadb" and statistics:
        session.query("SET SESSION histogram_size = DEFAULT")
        attempt(session, "SET SESSION histogram_type = DEFAULT")


def _of_mysql(row: Row) -> Statistic:
    """The histogram itself holds values: two of its words are read."""
    said = json.loads(text(row[1]))
    buckets = int(said.get("number-of-buckets-specified", 100))
    return Statistic(text(row[0]), "", buckets, bool(said.get("auto-update", False)))


def _mysql(table: str, statistics: Sequence[Statistic]) -> Iterator[str]:
    yield f"ANALYZE TABLE {table}"
    for s in statistics:
        renewed = " AUTO UPDATE" if s.is_automatic else ""
        yield (
            f"ANALYZE TABLE {table} UPDATE HISTOGRAM ON {quoted(s.column)}"
            f" WITH {s.size:d} BUCKETS{renewed}"
        )


def _mariadb(table: str, statistics: Sequence[Statistic]) -> Iterator[str]:
    """A column's last values go even where they are not made again."""
    yield f"ANALYZE TABLE {table}"
    ordered = sorted(statistics, key=lambda s: (s.kind, s.size))
    for (kind, size), group in groupby(ordered, key=lambda s: (s.kind, s.size)):
        yield f"SET SESSION histogram_size = {size:d}"
        if kind:
            yield f"SET SESSION histogram_type = '{kind}'"
        names = ", ".join(quoted(s.column) for s in group)
        yield f"ANALYZE TABLE {table} PERSISTENT FOR COLUMNS ({names}) INDEXES ALL"

"""Fills an empty database with the invented shop: the same rows for the same seed.

Sales are skewed as in a real shop: few merchants and products carry most of them. Every loan
adds up: its items to its principal, its installments to its principal, each paid installment
to one payment, and each merchant's ledger entries to its balance.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from itertools import islice
from typing import TYPE_CHECKING

from readiness.demo.seed_rows import Row, tables
from readiness.demo.seed_world import make_world

if TYPE_CHECKING:
    from pymysql.connections import Connection
    from pymysql.cursors import Cursor

    from readiness.ports import Progress

_ROWS_PER_INSERT = 1000


def load_shop(
    connection: Connection[Cursor],
    *,
    seed: int,
    progress: Progress | None = None,
    users: int = 10_000,
) -> dict[str, int]:
    """Creates the tables in the connection's empty database and fills them; rows by table.

    All sizes follow from `users`; 10,000 give about 250,000 rows."""
    counts: dict[str, int] = {}
    with connection.cursor() as cursor:
        for statement in schema_statements():
            cursor.execute(statement)
        cursor.execute("SET SESSION unique_checks = 0, foreign_key_checks = 0")
        for table, rows in tables(seed, make_world(seed, users=users)):
            counts[table] = _insert(cursor, table, rows)
            if progress is not None:
                progress(f"{table}: {counts[table]:,} rows")
        cursor.execute("SET SESSION unique_checks = 1, foreign_key_checks = 1")
        for table in counts:
            cursor.execute(f"ANALYZE TABLE {table}")
    return counts


def schema_statements() -> list[str]:
    """The statements of schema.sql, in order."""
    text = resources.files("readiness.demo").joinpath("schema.sql").read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("--"))
    return [s.strip() for s in "\n".join(lines).split(";") if s.strip()]


def _insert(cursor: Cursor, table: str, rows: Iterator[Row]) -> int:
    """One transaction of multi-row inserts: fast into a table that is still empty."""
    count = 0
    cursor.execute("START TRANSACTION")
    for values in _batches(rows):
        cursor.execute(f"INSERT INTO {table} VALUES {','.join(values)}")
        count += len(values)
    cursor.execute("COMMIT")
    return count


def _batches(rows: Iterator[Row]) -> Iterator[list[str]]:
    """Row constructors, a thousand at a time."""
    while batch := [f"({','.join(map(_literal, row))})" for row in islice(rows, _ROWS_PER_INSERT)]:
        yield batch


def _literal(value: str | int | bytes | None) -> str:
    """A value as SQL; the shop's invented text holds no backslash."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if value is None:
        return "NULL"
    return f"X'{value.hex()}'" if isinstance(value, bytes) else str(value)

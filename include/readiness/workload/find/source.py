"""Rows of the database where the captures were taken, one indexed look-up each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from readiness.ports import Session
from readiness.workload.make.rows import field_bytes
from readiness.workload.schema import Schema

SourceRows = Callable[[str, str, bytes], Mapping[str, bytes] | None]
"""`rows(table, column, value)`: the one row with the value (columns with NULL left out);
None when there is none or more than one."""


def source_rows(session: Session, schema: Schema) -> SourceRows:
    """Look-ups through one session, remembered. Unknown columns and unindexed ones give None."""
    known: dict[tuple[str, str, bytes], Mapping[str, bytes] | None] = {}

    def rows(table: str, column: str, value: bytes) -> Mapping[str, bytes] | None:
        key = (table, column, value)
        if key not in known:
            known[key] = _row(session, schema, table, column, value)
        return known[key]

    return rows


def source_exists(session: Session, schema: Schema) -> Callable[[str, str, bytes], bool]:
    """Whether a value stands in an indexed column; True for columns that cannot be asked."""

    def exists(table: str, column: str, value: bytes) -> bool:
        if not schema.is_indexed(table, column):
            return True
        sql = f"SELECT 1 FROM {_quoted(table)} WHERE {_quoted(column)} = %s LIMIT 1"
        return bool(session.query(sql, (_parameter(schema, table, column, value),)))

    return exists


def _row(
    session: Session, schema: Schema, table: str, column: str, value: bytes
) -> Mapping[str, bytes] | None:
    if not schema.is_indexed(table, column):
        return None
    names = list(schema.tables[table].columns)
    columns = ", ".join(_quoted(n) for n in names)
    found = session.query(
        f"SELECT {columns} FROM {_quoted(table)} WHERE {_quoted(column)} = %s LIMIT 2",
        (_parameter(schema, table, column, value),),
    )
    if len(found) != 1:
        return None
    return {n: field_bytes(v) for n, v in zip(names, found[0], strict=True) if v is not None}


def _parameter(schema: Schema, table: str, column: str, value: bytes) -> object:
    """Bytes for binary columns, text otherwise: the comparison must use the column's own type."""
    if "binary" in schema.type_of(table, column) or "blob" in schema.type_of(table, column):
        return value
    return value.decode(errors="replace")


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"

"""A catalogue of a small database, read for tests of the proof alone."""

from __future__ import annotations

from readiness.model.catalogue import (
    Catalogue,
    ColumnFacts,
    ForeignKeyFacts,
    IndexFacts,
    TableFacts,
)
from readiness.ports import Session


def catalogue_of(session: Session, database: str) -> Catalogue:
    """What the proof needs to know of the tables."""
    tables = {
        str(name): _table(session, database, str(name), int(str(rows)))
        for name, rows in session.query(
            "SELECT table_name, COALESCE(table_rows, 0) FROM information_schema.tables"
            " WHERE table_schema = %s AND table_type = 'BASE TABLE' ORDER BY 1",
            (database,),
        )
    }
    return Catalogue(database, "", "", tables)


def _table(session: Session, database: str, name: str, rows: int) -> TableFacts:
    where = (database, name)
    columns = {
        str(c): ColumnFacts(
            str(c), str(kind), str(full), max_chars=int(str(chars)), is_json="json" in str(full)
        )
        for c, kind, full, chars in session.query(
            "SELECT column_name, data_type, column_type, COALESCE(character_maximum_length, 0)"
            " FROM information_schema.columns WHERE table_schema = %s AND table_name = %s"
            " ORDER BY ordinal_position",
            where,
        )
    }
    return TableFacts(
        name, "InnoDB", columns, _indexes(session, where), _keys(session, where), rows=rows
    )


def _indexes(session: Session, where: tuple[str, str]) -> tuple[IndexFacts, ...]:
    found: dict[str, list[tuple[str, int]]] = {}
    unique: dict[str, bool] = {}
    for index, is_double, column, part in session.query(
        "SELECT index_name, non_unique, column_name, COALESCE(sub_part, 0) FROM"
        " information_schema.statistics WHERE table_schema = %s AND table_name = %s"
        " ORDER BY index_name, seq_in_index",
        where,
    ):
        found.setdefault(str(index), []).append((str(column or ""), int(str(part))))
        unique[str(index)] = not int(str(is_double))
    return tuple(IndexFacts(name, unique[name], tuple(parts)) for name, parts in found.items())


def _keys(session: Session, where: tuple[str, str]) -> tuple[ForeignKeyFacts, ...]:
    return tuple(
        ForeignKeyFacts(str(name), (str(column),), str(table), (str(other),))
        for name, column, table, other in session.query(
            "SELECT constraint_name, column_name, referenced_table_name, referenced_column_name FROM"
            " information_schema.key_column_usage WHERE referenced_table_name IS NOT NULL AND"
            " table_schema = %s AND table_name = %s",
            where,
        )
    )

"""Reads a database's tables as the server describes them: seven queries, however many tables there are.

Works on MariaDB 10.6 and later and on MySQL 5.7 to 9.7. Views and sequences are no tables."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from readiness.errors import MaskingError, StatementFailed
from readiness.model.catalogue import (
    Catalogue,
    ColumnFacts,
    ForeignKeyFacts,
    IndexFacts,
    TableFacts,
)
from readiness.ports import Row, Session

_IS_JSON = re.compile(r"\s*\(*\s*json_valid\s*\(\s*`((?:[^`]|``)+)`\s*\)", re.IGNORECASE)
_UNKNOWN = {1193, 1109, 1146, 1054}  # variable, information schema table, table, column
_TABLES = (
    "SELECT table_name, engine, table_rows, data_length, index_length, create_options, table_type"
    " FROM information_schema.tables WHERE table_schema = %s"
    " AND table_type IN ('BASE TABLE', 'SYSTEM VERSIONED')"
)
_COLUMNS = (
    "SELECT table_name, column_name, data_type, column_type, is_nullable, character_maximum_length,"
    " character_set_name, collation_name, extra, generation_expression"
    " FROM information_schema.columns WHERE table_schema = %s ORDER BY table_name, ordinal_position"
)
_INDEXES = (
    "SELECT table_name, index_name, non_unique, column_name, sub_part"
    " FROM information_schema.statistics WHERE table_schema = %s"
    " ORDER BY table_name, index_name, seq_in_index"
)
_FOREIGN_KEYS = (
    "SELECT table_name, constraint_name, column_name, referenced_table_name, referenced_column_name"
    " FROM information_schema.key_column_usage WHERE table_schema = %s"
    " AND referenced_table_schema = %s ORDER BY table_name, constraint_name, ordinal_position"
)
_TRIGGERS = (
    "SELECT event_object_table, trigger_name FROM information_schema.triggers"
    " WHERE event_object_schema = %s ORDER BY event_object_table, trigger_name"
)
_CHECKS = (
    "SELECT table_name, check_clause FROM information_schema.check_constraints"
    " WHERE constraint_schema = %s"
)
_EXISTS = "SELECT schema_name FROM information_schema.schemata WHERE schema_name = %s"


def read_catalogue(session: Session, database: str) -> Catalogue:
    """All base tables of a database, by name as the server spells it.

    Raises MaskingError when there is no such database or the account may not see it."""
    if not session.query(_EXISTS, (database,)):
        raise MaskingError(
            f"There is no database {database} on the server, or the account may not see it.",
            hint="Name another one after the port: mysql://user@host:port/DATABASE",
        )
    version = _text(session.query("SELECT VERSION()")[0][0])
    engine = "mariadb" if "mariadb" in version.lower() else "mysql"
    _read_sizes_anew(session)
    parts = _Parts(session, database, engine)
    rows = session.query(_TABLES, (database,))
    tables = {t.name: t for t in sorted(map(parts.table, rows), key=lambda t: t.name)}
    return Catalogue(database, engine, version.partition("-")[0], tables)


def _read_sizes_anew(session: Session) -> None:
    """MySQL 8 answers with sizes of yesterday otherwise; others do not know the setting."""
    try:
        session.query("SET SESSION information_schema_stats_expiry = 0")
    except StatementFailed as error:
        if error.code not in _UNKNOWN:
            raise


class _Parts:
    """What belongs to tables, by the table's name."""

    def __init__(self, session: Session, database: str, engine: str) -> None:
        documents = _documents(session, database) if engine == "mariadb" else set()
        self._columns = _columns(session.query(_COLUMNS, (database,)), documents)
        self._indexes = _indexes(session.query(_INDEXES, (database,)))
        self._keys = _foreign_keys(session.query(_FOREIGN_KEYS, (database, database)))
        self._triggers: dict[str, list[str]] = defaultdict(list)
        for table, name in session.query(_TRIGGERS, (database,)):
            self._triggers[_text(table)].append(_text(name))

    def table(self, row: Row) -> TableFacts:
        """One table of the list of tables."""
        name, options = _text(row[0]), _text(row[5]).lower()
        return TableFacts(
            name=name,
            engine=_text(row[1]),
            columns=self._columns.get(name, {}),
            indexes=tuple(self._indexes.get(name, ())),
            foreign_keys=tuple(self._keys.get(name, ())),
            triggers=tuple(self._triggers.get(name, ())),
            rows=_number(row[2]),
            data_bytes=_number(row[3]),
            index_bytes=_number(row[4]),
            is_partitioned="partitioned" in options,
            is_versioned=_text(row[6]) == "SYSTEM VERSIONED",
        )


def _documents(session: Session, database: str) -> set[tuple[str, str]]:
    """MariaDB's JSON columns: texts with the check that JSON brings along."""
    try:
        rows = session.query(_CHECKS, (database,))
    except StatementFailed as error:
        if error.code in _UNKNOWN:
            return set()
        raise
    found = ((_text(table), _IS_JSON.match(_text(clause))) for table, clause in rows)
    return {(table, match[1].replace("``", "`")) for table, match in found if match}


def _columns(
    rows: Iterable[Row], documents: set[tuple[str, str]]
) -> Mapping[str, dict[str, ColumnFacts]]:
    found: dict[str, dict[str, ColumnFacts]] = defaultdict(dict)
    for row in rows:
        table, name = _text(row[0]), _text(row[1])
        found[table][name] = _column(row, is_document=(table, name) in documents)
    return found


def _column(row: Row, *, is_document: bool) -> ColumnFacts:
    data_type, extra = _text(row[2]).lower(), _text(row[8]).lower()
    return ColumnFacts(
        name=_text(row[1]),
        data_type=data_type,
        column_type=_text(row[3]).lower(),
        is_nullable=_text(row[4]) == "YES",
        max_chars=_number(row[5]),
        charset=_text(row[6]),
        collation=_text(row[7]),
        generated=_generated(extra, _text(row[9])),
        is_auto_increment="auto_increment" in extra,
        is_json=is_document or data_type == "json",
    )


def _generated(extra: str, expression: str) -> str:
    """`DEFAULT_GENERATED` of MySQL 8 is a default, no generated column."""
    if "virtual" in extra:
        return "virtual"
    if "stored generated" in extra or ("persistent" in extra and expression):
        return "stored"
    return ""


def _indexes(rows: Iterable[Row]) -> Mapping[str, list[IndexFacts]]:
    parts: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    unique: dict[tuple[str, str], bool] = {}
    for table, index, non_unique, column, prefix in rows:
        key = _text(table), _text(index)
        parts[key].append((_text(column), _number(prefix)))
        unique[key] = not _number(non_unique)
    found: dict[str, list[IndexFacts]] = defaultdict(list)
    for (table, index), columns in parts.items():
        found[table].append(IndexFacts(index, unique[table, index], tuple(columns)))
    return found


def _foreign_keys(rows: Iterable[Row]) -> Mapping[str, list[ForeignKeyFacts]]:
    pairs: dict[tuple[str, str, str], list[tuple[str, str]]] = defaultdict(list)
    for table, name, column, referenced_table, referenced in rows:
        key = _text(table), _text(name), _text(referenced_table)
        pairs[key].append((_text(column), _text(referenced)))
    found: dict[str, list[ForeignKeyFacts]] = defaultdict(list)
    for (table, name, referenced_table), columns in pairs.items():
        own, theirs = zip(*columns, strict=True)
        found[table].append(ForeignKeyFacts(name, tuple(own), referenced_table, tuple(theirs)))
    return found


def _text(value: object) -> str:
    """Names come as bytes from some servers."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def _number(value: object) -> int:
    return int(str(value)) if value is not None else 0

"""What a table is besides its rows, kept before anything changes: definition, triggers, statistics.

All is text of the server's own making, so that it comes back as it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from readiness.errors import MaskingError, StatementFailed
from readiness.masking.names import quoted, text
from readiness.masking.run.session import SQL_MODE
from readiness.masking.run.statistics import Statistic, read_statistics
from readiness.ports import Session

_DENIED = {1044, 1142, 1143, 1227, 1146}  # the account may not read the statistics
_COUNTER = re.compile(r" AUTO_INCREMENT=\d+")
_ELSEWHERE = re.compile(r" (?:DATA|INDEX) DIRECTORY='[^']*'")  # of production's machine
_CONSTRAINT = re.compile(r"\s*CONSTRAINT `(?:[^`]|``)+` (FOREIGN KEY|CHECK) .*")


@dataclass(frozen=True, slots=True)
class Trigger:
    """One trigger with the session settings that its body was made under."""

    name: str
    statement: str
    sql_mode: str
    charset: str
    collation: str


@dataclass(frozen=True, slots=True)
class Definition:
    """`create` is what SHOW CREATE TABLE says; triggers stand in the order in which they fire;
    `following` is the AUTO_INCREMENT counter, 0 for none; `index_bytes` is of its secondary indexes,
    `data_bytes` of its rows, right after ANALYZE."""

    table: str
    create: str
    triggers: tuple[Trigger, ...]
    statistics: tuple[Statistic, ...]
    rows: int
    following: int
    index_bytes: int
    data_bytes: int

    def constraints(self, kinds: Sequence[str]) -> list[str]:
        """The clauses of those kinds, FOREIGN KEY or CHECK, as they stand in the definition."""
        found = (_CONSTRAINT.match(line) for line in self.create.split("\n"))
        return [m[0].strip().rstrip(",") for m in found if m and m[1] in kinds]

    def says_the_same_as(self, create: str) -> bool:
        """Whether another definition is this one; keys may be listed in another order."""
        return _lines(create) == _lines(self.create)

    def to_json(self) -> str:
        """For the journal."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, said: str) -> Definition:
        """What `to_json` gave."""
        raw = json.loads(said)
        raw["triggers"] = tuple(Trigger(**t) for t in raw["triggers"])
        raw["statistics"] = tuple(Statistic(**s) for s in raw["statistics"])
        return cls(**raw)


def read_definition(session: Session, database: str, table: str, engine: str) -> Definition:
    """Reads it all; counts the rows, and analyzes the table so that its size is true."""
    name = quoted(table)
    statistics = read_statistics(session, database, table, engine)
    session.query(f"ANALYZE TABLE {name}")
    return Definition(
        table,
        shown_create(session, table),
        tuple(_trigger(session, t) for t in trigger_names(session, database, table)),
        tuple(statistics),
        int(text(session.query(f"SELECT COUNT(*) FROM {name}")[0][0])),
        _figure(session, "AUTO_INCREMENT", database, table),
        index_bytes(session, database, table),
        data_bytes(session, database, table),
    )


def shown_create(session: Session, table: str) -> str:
    """Its definition as the server shows it."""
    return text(session.query(f"SHOW CREATE TABLE {quoted(table)}")[0][1])


def index_bytes(session: Session, database: str, table: str) -> int:
    """What its secondary indexes take by the last ANALYZE, in bytes."""
    return _figure(session, "INDEX_LENGTH", database, table)


def data_bytes(session: Session, database: str, table: str) -> int:
    """What its rows take by the last ANALYZE, in bytes: the pages that hold rows, where the server
    tells them, else with those that are only reserved (up to 64 at once)."""
    sql = (
        "SELECT stat_value * @@innodb_page_size FROM mysql.innodb_index_stats WHERE database_name = %s"
        " AND table_name = %s AND stat_name = 'n_leaf_pages' AND index_name IN"
        " ('PRIMARY', 'GEN_CLUST_INDEX')"
    )
    try:
        found = session.query(sql, (database, table))
    except StatementFailed as error:
        if error.code not in _DENIED:
            raise
        found = []
    return int(text(found[0][0])) if found else _figure(session, "DATA_LENGTH", database, table)


def _figure(session: Session, name: str, database: str, table: str) -> int:
    found = session.query(
        f"SELECT {name} FROM information_schema.TABLES WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s",
        (database, table),
    )
    return int(text(found[0][0])) if found and found[0][0] is not None else 0


def trigger_names(session: Session, database: str, table: str) -> list[str]:
    """Its triggers in the order in which they fire."""
    rows = session.query(
        "SELECT TRIGGER_NAME FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = %s"
        " AND EVENT_OBJECT_TABLE = %s"
        " ORDER BY ACTION_TIMING, EVENT_MANIPULATION, ACTION_ORDER, TRIGGER_NAME",
        (database, table),
    )
    return [text(row[0]) for row in rows]


def drop_triggers(session: Session, database: str, table: str) -> None:
    """None of them fires while the table is masked."""
    for name in trigger_names(session, database, table):
        session.query(f"DROP TRIGGER IF EXISTS {quoted(name)}")


def make_triggers(session: Session, database: str, definition: Definition) -> None:
    """Makes those that are missing, each under its own settings; the session's own come back."""
    there = set(trigger_names(session, database, definition.table))
    missing = [t for t in definition.triggers if t.name not in there]
    try:
        for trigger in missing:
            _use_settings(session, trigger)
            session.query(trigger.statement)
    finally:
        if missing:
            session.query(f"SET SESSION sql_mode = '{SQL_MODE}'")
            session.query("SET NAMES utf8mb4")


def own_constraints(session: Session, database: str, table: str) -> Mapping[str, Sequence[str]]:
    """Names of constraints by type: those of one database share one room of names."""
    rows = session.query(
        "SELECT CONSTRAINT_TYPE, CONSTRAINT_NAME FROM information_schema.TABLE_CONSTRAINTS"
        " WHERE CONSTRAINT_SCHEMA = %s AND TABLE_NAME = %s ORDER BY CONSTRAINT_NAME",
        (database, table),
    )
    named: dict[str, list[str]] = {}
    for kind, name in rows:
        named.setdefault(text(kind), []).append(text(name))
    return named


def _trigger(session: Session, name: str) -> Trigger:
    row = session.query(f"SHOW CREATE TRIGGER {quoted(name)}")[0]
    if row[2] is None:
        raise MaskingError(
            f"This account may not read trigger {name}.", hint="Grant it TRIGGER on the clone."
        )
    return Trigger(name, text(row[2]), text(row[1]), text(row[3]), text(row[4]))


def _use_settings(session: Session, trigger: Trigger) -> None:
    """The client's character set only where the text is ASCII: our connection sends UTF-8."""
    session.query("SET SESSION sql_mode = %s", (trigger.sql_mode,))
    if trigger.statement.isascii():
        session.query("SET SESSION character_set_client = %s", (trigger.charset,))
    session.query("SET SESSION collation_connection = %s", (trigger.collation,))


def _lines(create: str) -> list[str]:
    said = _ELSEWHERE.sub("", _COUNTER.sub("", create))
    return sorted(line.strip().rstrip(",") for line in said.split("\n"))

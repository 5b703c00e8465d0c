"""What a server says of its data: the variables that decide who can open it, and table checksums."""

from __future__ import annotations

import re
from collections.abc import Mapping

from readiness.errors import CloneError
from readiness.model.clone import SYSTEM_SCHEMAS
from readiness.ports import Session

VARIABLES = (
    "innodb_page_size",
    "innodb_data_file_path",
    "lower_case_table_names",
    "character_set_server",
    "collation_server",
    "log_bin",
)
_MUST_START_WITH = ("innodb_page_size", "innodb_data_file_path", "lower_case_table_names")
# Others hold nothing after a restart, or lead to another server: a clone must not ask that one.
_LOCAL_ENGINES = ("InnoDB", "MyISAM", "Aria", "ROCKSDB", "ARCHIVE", "CSV")
_VERSION = re.compile(r"\d+\.\d+\.\d+")
_SHOWN = 5


def server_of(session: Session) -> tuple[str, str]:
    """Engine ("mariadb" or "mysql") and version such as "10.11.19"."""
    text = str(session.query("SELECT VERSION()")[0][0])
    found = _VERSION.search(text)
    return "mariadb" if "mariadb" in text.lower() else "mysql", found.group() if found else text


def variables_of(session: Session) -> dict[str, str]:
    """`VARIABLES` as the server has them."""
    columns = ", ".join(f"@@global.{name}" for name in VARIABLES)
    row = session.query(f"SELECT {columns}")[0]
    return {name: str(value) for name, value in zip(VARIABLES, row, strict=True)}


def start_options(variables: Mapping[str, str]) -> tuple[str, ...]:
    """What a server must be started with to open data of a server with these variables."""
    return tuple(
        f"--{name.replace('_', '-')}={variables[name]}"
        for name in _MUST_START_WITH
        if name in variables
    )


def data_schemas(session: Session) -> list[str]:
    """The databases that hold somebody's data, by name: those that are masked, and that load may change.
    A database that only resembles one of the server's own (`SYS`) is one of them."""
    names = sorted(str(row[0]) for row in session.query("SHOW DATABASES"))
    return [name for name in names if name not in SYSTEM_SCHEMAS]


def data_tables(session: Session) -> list[tuple[str, str, str]]:
    """(schema, table, engine) of every base table that is not the server's own, in order of name."""
    rows = session.query(
        "SELECT table_schema, table_name, engine FROM information_schema.tables"
        " WHERE table_type IN ('BASE TABLE', 'SYSTEM VERSIONED')"
        " AND table_schema NOT IN %s ORDER BY table_schema, table_name",
        (SYSTEM_SCHEMAS,),
    )
    return [(str(schema), str(table), str(engine)) for schema, table, engine in rows]


def checksums_of(session: Session) -> dict[str, int]:
    """CHECKSUM TABLE of every table whose rows are on this server, by `schema.table`. Reads them all.
    Raises CloneError for one that cannot be read."""
    found = {}
    for schema, table, engine in data_tables(session):
        if engine not in _LOCAL_ENGINES:
            continue
        row = session.query(f"CHECKSUM TABLE {_quoted(schema)}.{_quoted(table)}")[0]
        if row[1] is None:
            raise CloneError(
                f"Table {schema}.{table} cannot be read to its end.",
                hint="Look at it on the source (CHECK TABLE), and take the snapshot again.",
            )
        found[f"{schema}.{table}"] = int(str(row[1]))
    return found


def differing(wanted: Mapping[str, int], found: Mapping[str, int]) -> str:
    """The tables that differ or are on one side only, as a clause; "" when there are none."""
    names = sorted(n for n in wanted.keys() | found.keys() if wanted.get(n) != found.get(n))
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"

"""What a restored server still knows of the server it was copied from, and the accounts it gets.

A copied datadir brings production's accounts with their password hashes, its replication, and, when
it was a clone's, a marker and a load user. None of that may act here: the server listens on
127.0.0.1 alone, its accounts are locked (what they defined goes on working), and the rest goes.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from readiness.clones.tables import data_schemas
from readiness.errors import CloneError, ReadinessError, StatementFailed
from readiness.interlock import LOAD_USER
from readiness.model.clone import MARKER_SCHEMA
from readiness.ports import Session

CLAIM_FILE = "root.sql"
OPTIONS_FILE = "start.options"
PASSWORD_FILE = "load.password"  # noqa: S105 - the name of a file
_LOAD_RIGHTS = "SELECT, INSERT, UPDATE, DELETE, EXECUTE, CREATE TEMPORARY TABLES, LOCK TABLES"
_LOAD_HOST = "127.0.0.1"
_ABSENT = {1049, 1146}  # unknown database, no such table
_SYNTAX_ERROR = 1064
_ACCOUNTS_AT_ONCE = 100
# Root on the socket is ours, whatever password production gave it. The hash is given, not the
# password: a plugin that judges passwords has no say.
_ROOT = "'root'@'localhost'"
_CLAIM = {
    "mariadb": (
        "SET GLOBAL strict_password_validation=OFF;",
        f"CREATE USER IF NOT EXISTS {_ROOT};",
        f"ALTER USER {_ROOT} IDENTIFIED VIA mysql_native_password USING '' REQUIRE NONE"
        " ACCOUNT UNLOCK PASSWORD EXPIRE NEVER;",
        f"GRANT ALL PRIVILEGES ON *.* TO {_ROOT} WITH GRANT OPTION;",
    ),
    "mysql": (
        f"CREATE USER IF NOT EXISTS {_ROOT} IDENTIFIED WITH caching_sha2_password AS '';",
        f"ALTER USER {_ROOT} IDENTIFIED WITH caching_sha2_password AS '' REQUIRE NONE"
        " PASSWORD EXPIRE NEVER ACCOUNT UNLOCK;",
        f"GRANT ALL PRIVILEGES ON *.* TO {_ROOT} WITH GRANT OPTION;",
    ),
}


def prepare_start(directory: Path, engine: str, options: Sequence[str]) -> None:
    """Writes down how the clone's server is started: with `options` that its data needs, and with what
    it runs at each start, so that root on its socket needs no password."""
    (directory / CLAIM_FILE).write_text("\n".join(_CLAIM[engine]) + "\n", "ascii")
    (directory / OPTIONS_FILE).write_text("".join(f"{line}\n" for line in options), "utf-8")


def start_options(directory: Path) -> tuple[str, ...]:
    """What the server of a clone's folder is started with beside the usual; () where nothing is yet."""
    try:
        lines = (directory / OPTIONS_FILE).read_text("utf-8").splitlines()
    except OSError:
        return ()
    return (*lines, f"--init-file={directory / CLAIM_FILE}")


def forget_source(session: Session, engine: str) -> None:
    """Ends what came with the data: replication, load users, marker; and locks other accounts.

    Raises CloneError when the data is of a clone whose masking was not finished: part of its
    values are masked, and nobody could say which."""
    _refuse_half_masked(session)
    session.query(f"DROP DATABASE IF EXISTS {MARKER_SCHEMA}")
    drop_load_users(session)
    _lock_accounts(session, engine)
    if engine == "mysql":
        _forget_replication(session)


def drop_load_users(session: Session) -> None:
    """Removes the load user at every host."""
    rows = session.query("SELECT User, Host FROM mysql.user WHERE User = %s", (LOAD_USER,))
    for row in rows:
        session.query("DROP USER IF EXISTS %s@%s", row)


def make_load_user(session: Session, directory: Path) -> None:
    """An account for this clone alone, that can change rows and nothing else. Its password stands in
    `load.password` (mode 0600) once the account is whole; one that stands there stays.

    Leaves no account when it fails."""
    file = directory / PASSWORD_FILE
    password = read_password(file) or secrets.token_urlsafe(24)
    try:
        drop_load_users(session)
        account = (LOAD_USER, _LOAD_HOST)
        session.query("CREATE USER %s@%s IDENTIFIED BY %s", (*account, password))
        for schema in data_schemas(session):
            quoted = "`" + schema.replace("`", "``").replace("_", r"\_") + "`"
            # A % of the name is doubled for the parameters, and escaped for the server.
            named = quoted.replace("%", r"\%%")
            session.query(f"GRANT {_LOAD_RIGHTS} ON {named}.* TO %s@%s", account)
        _write_password(file, password)
    except BaseException:
        file.unlink(missing_ok=True)
        with contextlib.suppress(ReadinessError):  # a server that died has no account to drop
            drop_load_users(session)
        raise


def read_password(file: Path) -> str:
    """The load user's password; "" where there is none."""
    try:
        return file.read_text("ascii").strip()
    except OSError:
        return ""


def _write_password(file: Path, password: str) -> None:
    """Whole or not at all: the file says that the account is there. Raises CloneError."""
    partial = file.with_name(f"{file.name}.partial")
    try:
        partial.unlink(missing_ok=True)
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            out.write(f"{password}\n")
        partial.replace(file)
    except OSError as error:
        raise CloneError(
            f"The password of {file.parent.name}'s load user cannot be written: {error.strerror}.",
            hint="Free some space, or look whether another hand destroyed it:  readiness clone list",
        ) from error


def _refuse_half_masked(session: Session) -> None:
    try:
        begun = bool(session.query("SELECT 1 FROM readiness_marker.masking LIMIT 1"))
    except StatementFailed as error:
        if error.code not in _ABSENT:
            raise
        return
    if begun:
        raise CloneError(
            "The snapshot is of a clone whose masking was not finished: part of it is masked.",
            hint="Take it of production's data, or mask that clone to its end and type:\n"
            "  readiness clone freeze NAME --snapshot NAME",
        )


def _lock_accounts(session: Session, engine: str) -> None:
    """Every account but root on the socket and those of the server itself."""
    people = "is_role = 'N' AND" if engine == "mariadb" else ""
    rows = session.query(
        f"SELECT User, Host FROM mysql.user WHERE {people} NOT (User = 'root' AND Host = 'localhost')"
        " AND User NOT IN ('mysql.sys', 'mysql.session', 'mysql.infoschema', 'mariadb.sys')"
    )
    for start in range(0, len(rows), _ACCOUNTS_AT_ONCE):
        some = rows[start : start + _ACCOUNTS_AT_ONCE]
        names = [part for row in some for part in row]
        session.query(f"ALTER USER {_accounts(some)} ACCOUNT LOCK", names)


def _accounts(rows: Sequence[object]) -> str:
    return ", ".join(["%s@%s"] * len(rows))


def _forget_replication(session: Session) -> None:
    """MySQL keeps it in tables, which no start option empties; MariaDB in files, which a copy leaves
    out."""
    try:
        session.query("RESET REPLICA ALL")
    except StatementFailed as error:
        if error.code != _SYNTAX_ERROR:  # before 8.0.22
            raise
        session.query("RESET SLAVE ALL")

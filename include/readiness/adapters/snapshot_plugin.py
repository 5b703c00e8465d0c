"""Copies a running MySQL with its CLONE plugin, which writes the copy as the server's own user."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

from readiness.adapters.snapshot_source import RunningSource, server_died
from readiness.clones.tables import data_tables
from readiness.errors import CloneError, StatementFailed, TargetUnavailable
from readiness.ports import Session

_DENIED = {1227, 1044, 1045}  # no BACKUP_ADMIN
_HELD_BY_OTHERS = {"MEMORY", "BLACKHOLE", "FEDERATED"}  # no rows of theirs outlive a restart here
_SHOWN = 5


def require_plugin(source: RunningSource) -> None:
    """Raises CloneError unless CLONE can copy all of the server: nothing is installed by us."""
    with source.session() as session:
        status = session.query(
            "SELECT plugin_status FROM information_schema.plugins WHERE plugin_name = 'clone'"
        )
        if [str(row[0]) for row in status] != ["ACTIVE"]:
            raise CloneError(
                f"{source.place} runs, and its CLONE plugin is not active.",
                hint="A DBA types there:  INSTALL PLUGIN clone SONAME 'mysql_clone.so';\n"
                "or stop the server, and take the snapshot of its folder or datadir.",
            )
        _require_innodb(session, source.place)


def _require_innodb(session: Session, place: str) -> None:
    """CLONE copies InnoDB alone, and leaves other tables empty without a word."""
    lost = [
        f"{schema}.{table} ({engine})"
        for schema, table, engine in data_tables(session)
        if engine != "InnoDB" and engine not in _HELD_BY_OTHERS
    ]
    if lost:
        more = f" and {len(lost) - _SHOWN} more" if lost[_SHOWN:] else ""
        raise CloneError(
            f"CLONE would leave tables of {place} empty: {', '.join(lost[:_SHOWN])}{more}.",
            hint="Stop the server and take the snapshot of its folder, or turn them into InnoDB.",
        )


def clone(source: RunningSource, partial: Path) -> None:
    """Makes `partial`/data. Raises CloneError."""
    _let_the_server_in(source, partial)
    try:
        with source.session() as session:
            session.query("CLONE LOCAL DATA DIRECTORY = %s", (str(partial / "data"),))
    except TargetUnavailable as error:
        raise server_died(source.place, error) from None
    except StatementFailed as error:
        raise _failure(source, error) from None
    finally:
        if partial.stat().st_uid != os.geteuid():
            os.chown(partial, os.geteuid(), -1)


def _let_the_server_in(source: RunningSource, partial: Path) -> None:
    """The server's user writes the copy: as another user it needs the folder, and the way to it."""
    if source.owner == os.geteuid():
        return
    name = _name_of(source.owner)
    if os.geteuid() != 0:
        raise CloneError(
            f"The server at {source.place} runs as user {name}, which cannot write for this user.",
            hint=f"Take the snapshot as user {name}, or as root.",
        )
    closed = [p for p in partial.parents if not p.stat().st_mode & 0o001]
    if closed:
        raise CloneError(
            f"User {name}, as which {source.place} runs, cannot get to {partial}:"
            f" {closed[-1]} is closed to others.",
            hint="Keep the state where it can:  READINESS_STATE=/path/to/folder",
        )
    os.chown(partial, source.owner, -1)


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _failure(source: RunningSource, error: StatementFailed) -> CloneError:
    if error.code in _DENIED:
        return CloneError(
            f"{source.place} does not let user {source.login.get('user')} clone it.",
            hint="GRANT BACKUP_ADMIN ON *.* TO …",
        )
    return CloneError(
        f"CLONE failed at {source.place} (error {error.code}).",
        hint="See the server's error log; is the disk full, or a table being altered?",
    )

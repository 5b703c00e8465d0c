"""Empties what a server remembers of rows besides its tables.

Statistics that hold values (histograms, mysql.column_stats) are made anew table by table, by
`masking.run`. What this cannot reach:
- InnoDB's files. Undo logs keep old rows until purge has run and their pages are used again; redo log
  and doublewrite buffer hold pages until they are written over; pages of tables that were updated in
  place keep bytes between rows. A load user reads none of them: only who reads files of the server does.
  Nothing of it is left in a snapshot that was taken after `SET GLOBAL innodb_fast_shutdown = 0` and a
  shutdown, of rebuilt tables (their old files are gone), but for the undo files; a clone that was
  loaded from a dump of the masked one has none at all.
- The error log and SHOW ENGINE INNODB STATUS, where the last deadlock stands with bytes of rows; the
  latter goes with a restart, and needs PROCESS, which the load user has not.
- Files of a general or slow log that somebody turned on; masking itself keeps out of both.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from readiness.errors import StatementFailed
from readiness.masking.names import quoted, text
from readiness.ports import Session

_ABSENT = {1049, 1146, 1109}
_DENIED = {1044, 1142, 1227, 1290, 1370}
_PURGE_WITHIN_S = 10.0
_PURGE_EACH_S = 0.1
_LOG_TABLES = ("general_log", "slow_log")


def forget(session: Session) -> list[str]:
    """Does so, and says of each kind in a clause what was emptied or why it was not. Repeating it
    changes nothing. Raises TargetUnavailable when the connection broke."""
    return [*_told("statement histories", _histories, session),
            *_told("log tables", _log_tables, session),
            *_told("query cache", _query_cache, session),
            *_told("binary logs", _binary_logs, session)]  # fmt: skip


def _told(
    what: str, forgetting: Callable[[Session], Iterator[str]], session: Session
) -> Iterator[str]:
    try:
        yield from forgetting(session)
    except StatementFailed as error:
        if error.code not in _DENIED:
            raise
        yield f"{what}: not emptied, the account lacks the right (error {error.code})"


def _histories(session: Session) -> Iterator[str]:
    """Statement texts, and on MySQL a sample text with each digest."""
    rows = session.query(
        "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'performance_schema'"
        " AND (TABLE_NAME LIKE 'events%_history%' OR TABLE_NAME LIKE 'events%_current'"
        " OR TABLE_NAME LIKE 'events_statements_%_by_digest') ORDER BY TABLE_NAME"
    )
    names = [text(row[0]) for row in rows]
    for name in names:
        session.query(f"TRUNCATE TABLE performance_schema.{quoted(name)}")
    yield f"statement histories: {len(names)} tables of performance_schema emptied"


def _log_tables(session: Session) -> Iterator[str]:
    """mysql.general_log and slow_log: of production's rows too, where its logs went to tables."""
    for name in _LOG_TABLES:
        count = _count(session, name)
        if count:
            session.query(f"TRUNCATE TABLE mysql.{name}")
            yield f"mysql.{name}: emptied of {count:,} rows"


def _count(session: Session, name: str) -> int:
    try:
        return int(text(session.query(f"SELECT COUNT(*) FROM mysql.{name}")[0][0]))
    except StatementFailed as error:
        if error.code in _ABSENT:
            return 0
        raise


def _query_cache(session: Session) -> Iterator[str]:
    """MariaDB's holds result sets."""
    if session.query("SHOW VARIABLES LIKE 'query_cache_size'"):
        session.query("RESET QUERY CACHE")
        yield "query cache: emptied"


def _binary_logs(session: Session) -> Iterator[str]:
    """All but a new one."""
    if str(session.query("SELECT @@GLOBAL.log_bin")[0][0]) not in {"1", "ON"}:
        yield "binary logs: there are none"
        return
    session.query("FLUSH BINARY LOGS")
    names = [text(row[0]) for row in session.query("SHOW BINARY LOGS")]
    left = _purged_to(session, names[-1])
    if left > 1:
        yield f"binary logs: {left - 1} could not be purged, something still reads them"
    else:
        yield f"binary logs: {len(names) - 1} purged"


def _purged_to(session: Session, newest: str) -> int:
    """How many logs there are afterwards. MariaDB keeps one until the storage engine has said, in its
    own time, that it needs it for no recovery."""
    until_s = time.monotonic() + _PURGE_WITHIN_S
    while True:
        session.query("PURGE BINARY LOGS TO %s", (newest,))
        left = len(session.query("SHOW BINARY LOGS"))
        if left <= 1 or time.monotonic() > until_s:
            return left
        time.sleep(_PURGE_EACH_S)

"""A session that masks: alone, unseen by logs, and with no rule that changes a value unsaid.

Strict, so that a value which does not fit is an error and never a truncation; but zero dates, a 0 in
an AUTO_INCREMENT column and what else production let in pass as they are. In UTC, where no hour is
there twice. Foreign keys are not checked (the tables change one by one); unique indexes are.
"""

from __future__ import annotations

from readiness.errors import Busy, MaskingError, StatementFailed
from readiness.ports import Session

SQL_MODE = "STRICT_ALL_TABLES,ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION"
LOCK_WAIT_S = 30
_TABLES, _WHOLE = "readiness_masking", "readiness_mask"  # locks of the server
_REQUIRED = (
    f"SET SESSION sql_mode = '{SQL_MODE}', time_zone = '+00:00', foreign_key_checks = 0,"
    f" unique_checks = 1, sql_quote_show_create = 1, sql_safe_updates = 0, sql_big_selects = 1,"
    f" lock_wait_timeout = {LOCK_WAIT_S}, innodb_lock_wait_timeout = {LOCK_WAIT_S}",
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
)
# Where the server has them and the account may: the binary log is purged afterwards anyway.
_WISHED = (
    "sql_log_off = 1",
    "long_query_time = 31536000",
    "sql_log_bin = 0",
    "innodb_strict_mode = 0",  # a definition that was made so must be made so again
    "information_schema_stats_expiry = 0",
    "restrict_fk_on_non_standard_key = 0",
    "sql_require_primary_key = 0",
    "sql_generate_invisible_primary_key = 0",
    "show_gipk_in_create_table_and_information_schema = 1",
    "max_statement_time = 0",
    "max_execution_time = 0",
    "wait_timeout = 28800",
)
_UNSEEN = (
    "UPDATE performance_schema.threads SET INSTRUMENTED = 'NO', HISTORY = 'NO'"
    " WHERE PROCESSLIST_ID = CONNECTION_ID()"
)
_MAY_BE_REFUSED = {1044, 1142, 1143, 1193, 1227, 1228, 1229, 1231, 1238, 1146, 1049}


def prepare(session: Session) -> None:
    """Sets what the docstring above says. Raises StatementFailed where a must is refused."""
    for statement in _REQUIRED:
        session.query(statement)
    for setting in _WISHED:
        attempt(session, f"SET SESSION {setting}")
    attempt(session, _UNSEEN)


def take_over(session: Session, *, patience_s: float = LOCK_WAIT_S) -> None:
    """Makes sure that no other masking changes tables of the server: a killed one's session may still
    end its last statement. Raises Busy after `patience_s`."""
    _lock(session, _TABLES, patience_s)


def take_whole(session: Session, *, patience_s: float = LOCK_WAIT_S) -> None:
    """Makes sure that no other masking of the server is between its plan and its admission: it would
    take masked values for originals. Held by the session. Raises as `take_over` does."""
    _lock(session, _WHOLE, patience_s)


def _lock(session: Session, name: str, patience_s: float) -> None:
    if session.query("SELECT GET_LOCK(%s, %s)", (name, patience_s))[0][0] == 1:
        return
    holder = session.query("SELECT IS_USED_LOCK(%s)", (name,))[0][0]
    raise Busy(
        f"Another masking is at work on this server, in session {holder}.",
        hint="Wait until it ends and run again. If none should be, its last statement is still"
        f" running:  KILL {holder}",
    )


def stop_events(session: Session) -> None:
    """Turns the event scheduler off, which could write rows meanwhile. Raises MaskingError where the
    account may not."""
    if str(session.query("SELECT @@GLOBAL.event_scheduler")[0][0]).upper() not in {"ON", "1"}:
        return
    if not attempt(session, "SET GLOBAL event_scheduler = OFF"):
        raise MaskingError(
            "The event scheduler of this server is on: events would change rows while it is masked.",
            hint="Turn it off on the clone as an administrator:  SET GLOBAL event_scheduler = OFF",
        )


def attempt(session: Session, statement: str) -> bool:
    """Runs what a server or an account may refuse; says whether it was done."""
    try:
        session.query(statement)
    except StatementFailed as error:
        if error.code in _MAY_BE_REFUSED:
            return False
        raise
    return True

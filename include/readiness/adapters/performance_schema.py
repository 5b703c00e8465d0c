"""Counters of a MariaDB (10.5 or later) or MySQL (8.0 or later) server, over one SQL session.

One reading is SHOW GLOBAL STATUS, three InnoDB counters, and, where the performance schema is on,
the statement timers and file waits. Without it, MariaDB's `userstat` gives active sessions, and
what only the performance schema knows is absent. The session leaves its own work out: its thread
is not instrumented, its statements, connection and running thread are subtracted. What it switches
on is switched off again by `close`, unless it was on before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from readiness.adapters.status_rows import numbers_of
from readiness.errors import MetricsError, StatementFailed, TargetError
from readiness.ports import Row, Session

NAME = "performance_schema"
_COMMITS = "trx_rw_commits"
_COMMIT = "statement/sql/commit"
_BINLOG = "wait/io/file/sql/binlog"
_DATA_FILE = "wait/io/file/innodb/innodb_data_file"

_STATUS = "SHOW GLOBAL STATUS"
_INNODB = (
    "SELECT name, count FROM information_schema.innodb_metrics"
    " WHERE name IN ('trx_rw_commits', 'lock_deadlocks', 'trx_rseg_history_len')"
)
_COMMITS_COUNTED = "FROM information_schema.innodb_metrics WHERE name = 'trx_rw_commits'"
_STATEMENTS = (
    "SELECT event_name, count_star, sum_timer_wait"
    " FROM performance_schema.events_statements_summary_global_by_event_name WHERE count_star > 0"
)
_FOREGROUND_READS = (
    "SELECT COALESCE(SUM(sum_timer_wait), 0)"
    " FROM performance_schema.events_waits_summary_by_account_by_event_name"
    f" WHERE user IS NOT NULL AND event_name = '{_DATA_FILE}'"
)
_BINLOG_FILE = (
    "SELECT count_write, count_misc FROM performance_schema.file_summary_by_event_name"
    f" WHERE event_name = '{_BINLOG}'"
)
_RUNNING = (
    "SELECT COUNT(*) FROM performance_schema.threads WHERE type = 'FOREGROUND'"
    " AND processlist_id <> CONNECTION_ID() AND processlist_command NOT IN"
    " ('Sleep', 'Daemon', 'Binlog Dump', 'Binlog Dump GTID')"
)
_NOT_MYSELF = (
    "UPDATE performance_schema.threads SET instrumented = 'NO'"
    " WHERE processlist_id = CONNECTION_ID()"
)
_SIZE = (
    "SELECT COALESCE(SUM(data_length + index_length), 0) FROM information_schema.tables"
    " WHERE engine = 'InnoDB' AND table_schema NOT IN ('mysql', 'sys')"
)


class PerformanceSchema:
    """A `ports.MetricSource` that owns `session`; counters keep the server's names.

    Timers are picoseconds. `statements.timer_ps` sums all client statements, `*.count` and
    `*.timer_ps` are COMMIT's own. Raises MetricsError when the session or a query fails."""

    name = NAME

    def __init__(
        self, session: Session, *, monotonic_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._session = session
        self._monotonic_s = monotonic_s
        self._asked = 0
        self._undo: list[str] = []
        self._constants = self._learn()
        self._is_mariadb = bool(self._constants["is_mariadb"])
        self._has_timers = bool(self._ask("SELECT @@performance_schema")[0][0])
        self._enable()

    def read(self) -> Mapping[str, float]:
        """The counters now, with `monotonic_s` taken around SHOW GLOBAL STATUS."""
        began = self._monotonic_s()
        status = self._ask(_STATUS)
        reading = {
            "monotonic_s": (began + self._monotonic_s()) / 2,
            **self._constants,
            **numbers_of(status),
            **numbers_of(self._ask(_INNODB)),
        }
        if not self._is_counted:
            reading.pop(_COMMITS, None)
        reading["Questions"] -= self._asked
        reading["connections"] = reading["Threads_connected"] - 1
        reading["threads_running"] = max(0.0, reading["Threads_running"] - 1)
        if self._has_timers:
            reading.update(self._timers())
        return reading

    def close(self) -> None:
        """Switches off what was switched on, and ends the session."""
        undo, self._undo = self._undo, []
        try:
            for sql in undo:
                self._ask(sql)
        finally:
            self._session.close()

    def _learn(self) -> dict[str, float]:
        """What does not change within a run."""
        version = str(self._ask("SELECT VERSION()")[0][0])
        is_mariadb = "mariadb" in version.lower()
        if not is_mariadb:
            self._try("SET SESSION information_schema_stats_expiry = 0")
        learned = {
            "is_mariadb": float(is_mariadb),
            "sync_binlog": _number(self._ask("SELECT @@sync_binlog")[0][0]),
            "data_and_index_bytes": _number(self._ask(_SIZE)[0][0]),
        }
        capacity = self._try("SELECT @@innodb_redo_log_capacity")
        if capacity:
            learned["innodb_redo_log_capacity"] = _number(capacity[0][0])
        return learned

    def _enable(self) -> None:
        """Counts commits; times sessions by userstat where nothing else does. Not allowed to: the
        metric is absent, and whoever asks for it is told so."""
        on = "enabled = 1" if self._is_mariadb else "status = 'enabled'"
        self._is_counted = bool(self._ask(f"SELECT {on} {_COMMITS_COUNTED}")[0][0])
        if not self._is_counted:
            self._is_counted = self._switch(
                f"SET GLOBAL innodb_monitor_enable = '{_COMMITS}'",
                undo=f"SET GLOBAL innodb_monitor_disable = '{_COMMITS}'",
            )
        if self._has_timers:
            self._try(_NOT_MYSELF)
        elif self._is_mariadb and not self._ask("SELECT @@userstat")[0][0]:
            self._switch("SET GLOBAL userstat = 1", undo="SET GLOBAL userstat = 0")

    def _switch(self, sql: str, *, undo: str) -> bool:
        is_done = self._try(sql) is not None
        if is_done:
            self._undo.append(undo)
        return is_done

    def _timers(self) -> dict[str, float]:
        made = {f"{_COMMIT}.count": 0.0, f"{_COMMIT}.timer_ps": 0.0}
        total = 0.0
        for name, count, timer_ps in self._ask(_STATEMENTS):
            if str(name).startswith("statement/sp/"):
                continue  # inside the CALL that is counted already
            total += _number(timer_ps)
            if name == _COMMIT:
                made[f"{_COMMIT}.count"] = _number(count)
                made[f"{_COMMIT}.timer_ps"] = _number(timer_ps)
        made["statements.timer_ps"] = total
        made[f"{_DATA_FILE}.foreground_ps"] = _number(self._ask(_FOREGROUND_READS)[0][0])
        made["threads_running"] = _number(self._ask(_RUNNING)[0][0])
        for writes, flushes in self._ask(_BINLOG_FILE):
            made[f"{_BINLOG}.writes"] = _number(writes)
            made[f"{_BINLOG}.flushes"] = _number(flushes)
        return made

    def _ask(self, sql: str) -> list[Row]:
        self._asked += 1
        try:
            return self._session.query(sql)
        except TargetError as error:
            message = f"The server gives no metrics: {error.message}"
            hint = "The sampler's user needs SELECT on performance_schema, and PROCESS."
            raise MetricsError(message, hint=error.hint or hint) from error

    def _try(self, sql: str) -> list[Row] | None:
        """The rows ([] counts as done), or None where the server refuses the statement."""
        self._asked += 1
        try:
            return self._session.query(sql)
        except StatementFailed:
            return None
        except TargetError as error:
            raise MetricsError(f"The server gives no metrics: {error.message}") from error


def _number(value: object) -> float:
    return float(str(value))

"""A few cheap status reads of production, over one session that may only read.

One reading is SHOW GLOBAL STATUS and, where the performance schema is on, the statement timers' sum
and the running threads. Nothing is switched on, nothing is written, no table is counted.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from readiness.adapters.status_rows import numbers_of
from readiness.errors import MetricsError, TargetError
from readiness.model.metrics import PRODUCTION
from readiness.ports import Row, Session

_COMMIT = "statement/sql/commit"
_TIMED = {"commit_server_mean_ms", "aas", "aas_commit"}
_TIMERS = (
    "SELECT COALESCE(SUM(sum_timer_wait), 0),"
    f" COALESCE(SUM(IF(event_name = '{_COMMIT}', count_star, 0)), 0),"
    f" COALESCE(SUM(IF(event_name = '{_COMMIT}', sum_timer_wait, 0)), 0)"
    " FROM performance_schema.events_statements_summary_global_by_event_name"
    " WHERE event_name NOT LIKE 'statement/sp/%'"
)
_RUNNING = (
    "SELECT COUNT(*) FROM performance_schema.threads WHERE type = 'FOREGROUND'"
    " AND processlist_id <> CONNECTION_ID() AND processlist_command NOT IN"
    " ('Sleep', 'Daemon', 'Binlog Dump', 'Binlog Dump GTID')"
)
_HINT = (
    "Its account needs to log in, and SELECT on performance_schema.*; without an answer of production"
    " no load runs under a plan that watches it."
)


class ProductionStatus:
    """A `ports.MetricSource` that owns `session`. Raises MetricsError when it breaks."""

    name = PRODUCTION

    def __init__(self, session: Session) -> None:
        self._session = session
        self._ask("SET SESSION TRANSACTION READ ONLY")
        version, has_timers = self._ask("SELECT VERSION(), @@performance_schema")[0]
        self._is_mariadb = "mariadb" in str(version).lower()
        self._has_timers = bool(has_timers)

    def gives(self, metric: str) -> bool:
        """Whether this server can tell the metric."""
        return self._has_timers or metric not in _TIMED

    def read(self) -> Mapping[str, float]:
        """The counters now."""
        began = time.monotonic()
        status = numbers_of(self._ask("SHOW GLOBAL STATUS"))
        reading = {
            "monotonic_s": (began + time.monotonic()) / 2,
            "is_mariadb": float(self._is_mariadb),
            **status,
            "connections": status["Threads_connected"] - 1,
            "threads_running": max(0.0, status["Threads_running"] - 1),
        }
        return {**reading, **self._timers()} if self._has_timers else reading

    def close(self) -> None:
        """Ends the session."""
        self._session.close()

    def _timers(self) -> dict[str, float]:
        total, commits, commit_time = self._ask(_TIMERS)[0]
        return {
            "statements.timer_ps": float(str(total)),
            f"{_COMMIT}.count": float(str(commits)),
            f"{_COMMIT}.timer_ps": float(str(commit_time)),
            "threads_running": float(str(self._ask(_RUNNING)[0][0])),
        }

    def _ask(self, sql: str) -> list[Row]:
        try:
            return self._session.query(sql)
        except TargetError as error:
            raise MetricsError(
                f"Production gives no metrics: {error.message}", hint=error.hint or _HINT
            ) from error

"""What the source switches on it switches off, and its own work is left out."""

from __future__ import annotations

import pytest
from tests.fakes.sources import ScriptedSession

from readiness.adapters.performance_schema import PerformanceSchema
from readiness.errors import MetricsError, TargetUnavailable
from readiness.ports import Row

STATUS: list[Row] = [
    ("Uptime", "100"), ("Questions", "1000"), ("Threads_connected", "6"), ("Threads_running", "3"),
    ("Busy_time", "4.5"), ("Innodb_version", "10.11"),
]  # fmt: skip


def session(*, timers: int = 0, counted: int = 0, userstat: int = 0) -> ScriptedSession:
    return ScriptedSession(
        {
            "VERSION()": [("10.11.6-MariaDB",)],
            "@@sync_binlog": [(0,)],
            "information_schema.tables": [(4096,)],
            "@@performance_schema": [(timers,)],
            "@@userstat": [(userstat,)],
            "SELECT enabled": [(counted,)],
            "SHOW GLOBAL STATUS": STATUS,
            "innodb_metrics": [("trx_rw_commits", 77)],
            "summary_global_by_event_name": [
                ("statement/sql/select", 3, 100), ("statement/sql/commit", 2, 50),
                ("statement/sp/stmt", 9, 40),
            ],
            "by_account": [(11,)],
            "processlist_command": [(2,)],
            "sql/binlog": [(5, 6)],
        },
        refused=["innodb_redo_log_capacity"],
    )  # fmt: skip


def changes(asked: ScriptedSession) -> list[str]:
    return [sql for sql in asked.asked if sql.startswith("SET GLOBAL")]


def test_what_was_switched_on_is_switched_off_again() -> None:
    server = session()
    source = PerformanceSchema(server)
    source.close()
    assert changes(server) == [
        "SET GLOBAL innodb_monitor_enable = 'trx_rw_commits'",
        "SET GLOBAL userstat = 1",
        "SET GLOBAL innodb_monitor_disable = 'trx_rw_commits'",
        "SET GLOBAL userstat = 0",
    ]
    assert server.is_closed


def test_what_was_on_before_stays_on() -> None:
    server = session(counted=1, userstat=1)
    PerformanceSchema(server).close()
    assert changes(server) == []


def test_a_counter_it_may_not_switch_on_is_absent() -> None:
    server = session()
    server.refused = ("innodb_redo_log_capacity", "SET GLOBAL")
    assert "trx_rw_commits" not in PerformanceSchema(server).read()


def test_its_own_statements_connection_and_thread_are_left_out() -> None:
    server = session()
    reading = PerformanceSchema(server).read()
    assert reading["Questions"] == 1000 - len(server.asked)
    assert reading["connections"] == 5
    assert reading["threads_running"] == 2


def test_statement_timers_leave_out_what_a_call_holds_already() -> None:
    reading = PerformanceSchema(session(timers=1)).read()
    assert reading["statements.timer_ps"] == 150
    assert reading["statement/sql/commit.timer_ps"] == 50
    assert reading["wait/io/file/sql/binlog.writes"] == 5


def test_its_own_thread_is_not_timed() -> None:
    server = session(timers=1)
    PerformanceSchema(server)
    assert any("instrumented = 'NO'" in sql for sql in server.asked)


class BrokenSession(ScriptedSession):
    """Breaks at the first SHOW GLOBAL STATUS."""

    def query(self, sql: str, parameters: object = ()) -> list[Row]:
        if "STATUS" in sql:
            raise TargetUnavailable("The connection broke.")
        return super().query(sql)


def test_a_session_that_breaks_is_a_source_that_is_gone() -> None:
    source = PerformanceSchema(BrokenSession(session().answers))
    with pytest.raises(MetricsError, match="connection broke"):
        source.read()

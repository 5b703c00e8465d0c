"""The dry run counts what failed, by statement and code, and leaves no connection open."""

from __future__ import annotations

from collections.abc import Callable

from tests.fakes.checkouts import ScriptedSession, duplicate_key, small_pools, small_workload

from readiness.ports import Reply
from readiness.workload.check import CheckReport, Rows, check
from readiness.workload.compile import compile_flow


def run(
    answer: Callable[[bytes], Reply], checkouts: int = 3
) -> tuple[CheckReport, list[ScriptedSession]]:
    flow = compile_flow(small_workload(), small_pools(), namespace=b"run", seed=1)
    opened: list[ScriptedSession] = []

    def open_session() -> ScriptedSession:
        opened.append(ScriptedSession(answer))
        return opened[-1]

    return check(flow, open_session, checkouts=checkouts), opened


def test_checkouts_that_pass_are_clean() -> None:
    report, _ = run(lambda _sql: Reply(insert_id=5, affected_rows=1))
    assert report.is_clean
    assert report.statements == 15


def test_each_captured_connection_is_one_session() -> None:
    _, opened = run(lambda _sql: Reply())
    assert [len(session.ran) for session in opened] == [12, 3]


def test_errors_are_counted_by_statement_and_code() -> None:
    report, _ = run(duplicate_key)
    assert report.errors == {("s003", 1062): 3}
    assert report.failed == 3


def test_a_failed_checkout_ends_there_and_its_connections_close() -> None:
    _, opened = run(duplicate_key)
    assert [len(session.ran) for session in opened] == [3, 3, 3]
    assert all(session.closings == 1 for session in opened)


def test_the_insert_id_reaches_the_next_statement() -> None:
    _, opened = run(lambda _sql: Reply(insert_id=4711), checkouts=1)
    assert b"4711" in opened[1].ran[0]


def test_warnings_and_rows_are_kept_by_statement() -> None:
    report, _ = run(lambda sql: Reply(rows=len(sql) % 2, warnings=(1265,)), checkouts=1)
    assert report.warnings["s001", 1265] == 1
    assert report.rows["s001"] == Rows((1, 1), (0, 0))

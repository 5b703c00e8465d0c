"""The dry run counts what failed, by statement and code, and leaves no connection open."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.fakes.basket_flow import BasketFlow, basket_workload
from tests.fakes.checkouts import ScriptedSession, duplicate_key, small_pools, small_workload

from readiness.errors import StatementFailed
from readiness.ports import Reply
from readiness.workload.make.compile import compile_flow
from readiness.workload.prove.check import CheckReport, Replay, Rows


def run(
    answer: Callable[[bytes], Reply], checkouts: int = 3
) -> tuple[CheckReport, list[ScriptedSession]]:
    flow = compile_flow(small_workload(), small_pools(), namespace=b"run", seed=1)
    opened: list[ScriptedSession] = []

    def open_session() -> ScriptedSession:
        opened.append(ScriptedSession(answer))
        return opened[-1]

    return Replay(flow, open_session).run(checkouts=checkouts), opened


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


def fails_with(code: int, *, times: int = 1) -> Callable[[bytes], Reply]:
    """The first statements into loans fail, later ones are answered."""
    left = [times]

    def answer(sql: bytes) -> Reply:
        if b"INTO loans" in sql and left[0]:
            left[0] -= 1
            raise StatementFailed(f"the target answered a statement with error {code}.", code)
        return Reply(insert_id=5, affected_rows=1)

    return answer


@pytest.mark.parametrize("code", [1205, 1213])
def test_a_deadlock_is_counted_and_fails_nothing_by_itself(code: int) -> None:
    report, _ = run(fails_with(code))
    assert (report.failed, report.locked, report.is_clean) == (1, 1, True)
    assert f"s003 with error {code} (1 time)" in report.to_text()


def test_nothing_but_deadlocks_prove_nothing() -> None:
    report, _ = run(fails_with(1213, times=3))
    assert report.failures() == ["no checkout came to its end"]


@pytest.mark.parametrize("code", [1062, 1452, 1292, 1265, 1064])
def test_any_other_error_fails_the_check(code: int) -> None:
    report, _ = run(fails_with(code))
    assert report.failures() == ["1 of 3 checkouts failed"]


@pytest.mark.parametrize("code", [1062, 1452, 1292, 1265])
def test_wrong_values_fail_as_warnings_too(code: int) -> None:
    report, _ = run(lambda _sql: Reply(warnings=(code,)), checkouts=1)
    assert report.failures()[0].startswith(f"warnings of wrong values: s001 with warning {code}")


def test_a_deprecation_is_told_and_fails_nothing() -> None:
    report, _ = run(lambda _sql: Reply(warnings=(1287,)), checkouts=1)
    assert report.is_clean
    assert "s001 with warning 1287 (1 time)" in report.to_text()


def test_turns_that_a_checkout_did_not_draw_are_not_sent() -> None:
    sessions: list[ScriptedSession] = []

    def open_session() -> ScriptedSession:
        sessions.append(ScriptedSession(lambda _sql: Reply()))
        return sessions[-1]

    report = Replay(BasketFlow(basket_workload(), (1, 3)), open_session).run(checkouts=2)
    assert report.statements == 6 + 8
    assert sum(b"FROM products" in sql for sql in sessions[0].ran) == 1 + 3

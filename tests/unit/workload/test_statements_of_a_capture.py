"""A capture becomes one row of statements: without session set-up, with explicit transactions."""

from __future__ import annotations

from tests.fakes.captures import alone, capture, transaction

from readiness.model.transactions import Outcome, RawTransaction
from readiness.workload.find.statements import Flow, flatten


def texts(flow: Flow) -> list[str]:
    return [s.sql.decode() for s in flow.statements]


def of(*transactions: RawTransaction) -> Flow:
    return flatten(capture(*transactions))


def test_session_set_up_is_left_out_and_counted() -> None:
    flow = of(
        alone("SET NAMES utf8mb4"),
        alone("SET autocommit = 1"),
        alone("SELECT @@max_allowed_packet"),
        alone("SHOW VARIABLES LIKE 'x'"),
        alone("SELECT 1"),
        alone("SELECT id FROM users"),
        alone("SHOW WARNINGS"),
    )
    assert texts(flow) == ["SELECT id FROM users", "SHOW WARNINGS"]
    assert flow.left_out == 5


def test_isolation_levels_and_own_variables_stay() -> None:
    kept = ["SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", "SET @a = 5", "SELECT @a"]
    assert texts(of(*(alone(k) for k in kept))) == kept


def test_a_transaction_that_autocommit_off_opened_gets_its_begin() -> None:
    flow = of(transaction("SET autocommit=0", "UPDATE t SET a = 1", "COMMIT"))
    assert texts(flow) == ["BEGIN", "UPDATE t SET a = 1", "COMMIT"]
    assert {s.transaction for s in flow.statements} == {1}


def test_an_isolation_level_stands_before_the_begin_that_is_added() -> None:
    flow = of(
        transaction("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "DELETE FROM t", "COMMIT")
    )
    assert texts(flow)[:2] == ["SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "BEGIN"]
    assert [s.transaction for s in flow.statements] == [0, 1, 1, 1]


def test_open_ends_are_closed_as_the_server_closed_them() -> None:
    ends = {
        outcome: texts(of(transaction("BEGIN", "DELETE FROM t", outcome=outcome)))[-1]
        for outcome in (Outcome.COMMIT, Outcome.DISCONNECT, Outcome.OPEN)
    }
    assert ends == {
        Outcome.COMMIT: "COMMIT",
        Outcome.DISCONNECT: "ROLLBACK",
        Outcome.OPEN: "ROLLBACK",
    }


def test_a_chained_transaction_needs_no_begin() -> None:
    flow = of(
        transaction("BEGIN", "DELETE FROM a", "COMMIT AND CHAIN"),
        transaction("DELETE FROM b", "COMMIT"),
    )
    assert texts(flow).count("BEGIN") == 1


def test_control_statements_alone_are_set_up() -> None:
    flow = of(transaction("BEGIN", "SELECT 1", "COMMIT"), alone("SELECT id FROM users"))
    assert texts(flow) == ["SELECT id FROM users"]


def test_autocommit_statements_are_in_no_transaction() -> None:
    flow = of(alone("DELETE FROM t"), transaction("BEGIN", "DELETE FROM t", "COMMIT"))
    assert [s.transaction for s in flow.statements] == [0, 1, 1, 1]
    assert flow.outcomes == (Outcome.AUTOCOMMIT, Outcome.COMMIT)


def test_the_captured_gap_becomes_the_pause() -> None:
    flow = of(transaction("BEGIN", "COMMIT", gap_ns=4_100_000), alone("DELETE FROM t"))
    assert [s.pause_ms for s in flow.statements] == [0.0]
    flow = of(alone("DELETE FROM t"), transaction("BEGIN", "COMMIT", gap_ns=4_100_000))
    assert [s.pause_ms for s in flow.statements] == [0.0, 4.1, 4.1]


def test_the_sql_mode_of_the_session_decides_how_it_is_read() -> None:
    flow = of(
        transaction(r"SELECT a FROM t WHERE b = 'C:\'", "COMMIT", sql_mode="NO_BACKSLASH_ESCAPES")
    )
    select = next(s for s in flow.statements if s.literals)
    assert select.literals[0].value == b"C:\\"
    assert flow.sql_modes == {"NO_BACKSLASH_ESCAPES"}

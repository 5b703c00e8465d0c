"""Deadlocks and lock timeouts: the transaction is tried again, as an application would."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.fakes.flows import TextFlow
from tests.fakes.playing import Played, play, steady
from tests.fakes.wire import Answer, WireServer, error, ok

SHOP = ("SELECT 0", "BEGIN", "UPDATE a", "INSERT {n}", "SELECT {id}", "COMMIT")


def failing(sql: bytes, times: int, code: int) -> Answer:
    """An answer that refuses a statement so many times."""
    left = [times]

    def answer(asked: bytes) -> bytes:
        if asked == sql and left[0]:
            left[0] -= 1
            return error(code)
        return ok(7)

    return answer


def one_checkout(
    texts: Sequence[str], answer: Answer, **options: object
) -> tuple[Played, list[bytes]]:
    server = WireServer(answer)
    played = play(TextFlow(texts), server.connect, steady(2, 0.5), **options)
    server.wait_closed()
    return played, server.queries


@pytest.mark.parametrize("code", [1205, 1213, 1020])
def test_the_whole_transaction_is_rolled_back_and_run_again(code: int) -> None:
    played, queries = one_checkout(SHOP, failing(b"UPDATE a", 1, code))
    assert queries == [
        b"SELECT 0", b"BEGIN", b"UPDATE a", b"ROLLBACK",
        b"BEGIN", b"UPDATE a", b"INSERT 0", b"SELECT 7", b"COMMIT",
    ]  # fmt: skip
    assert (played.report.ok, played.report.failed, played.total("retried")) == (1, 0, 1)


def test_a_retry_is_counted_by_statement_and_code_and_is_no_error() -> None:
    played, _ = one_checkout(SHOP, failing(b"INSERT 0", 2, 1213))
    assert (played.report.retries, played.report.errors) == ({("s004", 1213): 2}, {})
    assert played.report.statements["rollback"].count == 2
    assert played.report.statements["s003"].count == 3


def test_the_last_try_fails_the_checkout() -> None:
    played, queries = one_checkout(SHOP, failing(b"UPDATE a", 9, 1213), retries=2)
    assert (played.report.failed, played.report.errors) == (1, {("s003", 1213): 1})
    assert (played.report.retries, queries.count(b"ROLLBACK")) == ({("s003", 1213): 2}, 2)


def test_no_retries_where_none_are_wanted() -> None:
    played, queries = one_checkout(SHOP, failing(b"UPDATE a", 1, 1213), retries=0)
    assert (played.report.failed, b"ROLLBACK" in queries) == (1, False)


def test_other_errors_are_never_tried_again() -> None:
    played, _ = one_checkout(SHOP, failing(b"INSERT 0", 1, 1062))
    assert (played.report.errors, played.report.retries) == ({("s004", 1062): 1}, {})


def test_a_statement_without_a_transaction_is_sent_again_alone() -> None:
    played, queries = one_checkout(("SELECT 0", "UPDATE a"), failing(b"UPDATE a", 1, 1205))
    assert (queries, played.report.ok) == ([b"SELECT 0", b"UPDATE a", b"UPDATE a"], 1)


def test_each_transaction_has_its_own_tries() -> None:
    twice = ("BEGIN", "UPDATE a", "COMMIT", "BEGIN", "UPDATE b", "COMMIT")
    left = {b"UPDATE a": 2, b"UPDATE b": 2}

    def answer(sql: bytes) -> bytes:
        if left.get(sql, 0):
            left[sql] -= 1
            return error(1213)
        return ok()

    played, _ = one_checkout(twice, answer, retries=2)
    assert (played.report.ok, played.total("retried")) == (1, 4)


def test_what_another_transaction_did_meanwhile_is_not_done_again() -> None:
    mixed = (
        "0: BEGIN", "0: UPDATE a", "1: BEGIN", "1: UPDATE b", "0: UPDATE c", "1: COMMIT", "0: COMMIT",
    )  # fmt: skip
    played, queries = one_checkout(mixed, failing(b"UPDATE c", 1, 1213))
    assert (queries.count(b"UPDATE a"), queries.count(b"UPDATE b")) == (2, 1)
    assert (queries.count(b"COMMIT"), played.report.ok) == (2, 1)


def test_turns_that_a_checkout_left_out_stay_left_out() -> None:
    server = WireServer(failing(b"UPDATE b", 1, 1213))
    flow = TextFlow(("BEGIN", "[2] UPDATE a", "UPDATE b", "COMMIT"), counts=(1,))
    flow.may_skip = [False, True, False, False]
    played = play(flow, server.connect, steady(2, 0.5))
    assert (played.report.ok, b"UPDATE a" in server.queries) == (1, False)


def test_a_rollback_that_fails_fails_the_checkout() -> None:
    def answer(sql: bytes) -> bytes:
        return error(1213 if sql == b"UPDATE a" else 1317 if sql == b"ROLLBACK" else 0) if sql in {
            b"UPDATE a", b"ROLLBACK",
        } else ok()  # fmt: skip

    played, _ = one_checkout(SHOP, answer)
    assert played.report.errors == {("rollback", 1317): 1}


def test_a_server_that_hangs_up_at_the_rollback_loses_the_checkout() -> None:
    def answer(sql: bytes) -> bytes | None:
        return None if sql == b"ROLLBACK" else error(1213) if sql == b"UPDATE a" else ok()

    played, _ = one_checkout(SHOP, answer)
    assert (played.report.errors, played.report.failed) == ({("lost", 2013): 1}, 1)

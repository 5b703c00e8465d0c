"""A part of a log is picked by session, time, comment tag or marker; the rest is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.fakes.captures import alone, transaction

from readiness.capture.choice import Chosen, choose
from readiness.capture.selection import Selection, tags_of
from readiness.errors import CaptureError
from readiness.model.transactions import RawTransaction


def chosen(transactions: Sequence[RawTransaction], selection: Selection) -> Chosen:
    return choose(enumerate(transactions), selection)


def kept(transactions: Sequence[RawTransaction], selection: Selection) -> list[list[bytes]]:
    return [
        [s.sql for t in flow.transactions for s in t.statements]
        for flow in chosen(transactions, selection).flows
    ]


def test_sessions_are_picked_by_connection_and_by_user() -> None:
    log = [alone("a", thread=1), replace(alone("b", thread=2), user="cron"), alone("c", thread=2)]
    assert kept(log, Selection(threads=frozenset({2}))) == [[b"b", b"c"]]
    assert kept(log, Selection(users=frozenset({"cron"}))) == [[b"b"]]
    left_out = chosen(log, Selection(users=frozenset({"cron"}))).left_out
    assert left_out == {"of another session": 2}


def test_a_time_window_takes_its_begin_and_leaves_its_end() -> None:
    log = [replace(alone(str(at)), began_ns=at) for at in (9, 10, 19, 20)] + [alone("untimed")]
    selection = Selection(from_ns=10, to_ns=20)
    assert kept(log, selection) == [[b"10", b"19"]]
    assert chosen(log, selection).left_out == {"at another time": 3}


def test_a_tag_takes_the_whole_transaction_of_a_statement_that_has_it() -> None:
    tagged = transaction("BEGIN", "SELECT 1 /*route='%2Fpay',app='x'*/", "COMMIT")
    log = [tagged, alone("SELECT 2 /*route='/cart'*/"), alone("SELECT '/*route=''/pay''*/'")]
    assert kept(log, Selection(tags=(("route", "/pay"),))) == [
        [b"BEGIN", b"SELECT 1 /*route='%2Fpay',app='x'*/", b"COMMIT"]
    ]
    assert kept(log, Selection(tags=(("app", "x"), ("route", "/pay"))))[0][0] == b"BEGIN"


@pytest.mark.parametrize(
    ("comment", "pairs"),
    [
        ("/*key='value'*/", [("key", "value")]),
        ("/* controller:checkouts,action:create */", [("controller", "checkouts"), ("action", "create")]),
        ("/*traceparent='00-5bd6-01',route='caf%C3%A9'*/", [("traceparent", "00-5bd6-01"), ("route", "café")]),
        ("/*a='it\\'s'*/", [("a", "it\\'s")]),
        ("/*! STRAIGHT_JOIN=1 */", []),
        ("/*+ NO_ICP(t) a=1 */", []),
        ("", []),
        ("/* never ends a='1'", []),
        ("FROM t WHERE a = '/*b=1*/' AND `/*c=1*/` = \"/*d=1*/\" -- /*e=1*/", []),
        ("/*! 1 */ /*a='1'*/ # /*b='1'*/", [("a", "1")]),
    ],
)  # fmt: skip
def test_tags_are_the_pairs_in_comments(comment: str, pairs: list[tuple[str, str]]) -> None:
    assert tags_of(f"SELECT 1 {comment}".encode()) == pairs


def marked(name: str, *inside: str, end: bool = True) -> list[RawTransaction]:
    begin = alone(f"SELECT 'readiness:begin {name}'", thread=99)
    last = [alone(f"select 'readiness:end {name}';", thread=99)] if end else []
    return [begin, *(alone(sql) for sql in inside), *last]


def test_each_marker_is_a_flow_and_no_marker_stays_in_one() -> None:
    log = [alone("x"), *marked("pay-1", "a", "b"), alone("y"), *marked("pay-2", "c")]
    found = chosen(log, Selection(marker="pay"))
    assert [flow.name for flow in found.flows] == ["pay-1", "pay-2"]
    assert kept(log, Selection(marker="pay")) == [[b"a", b"b"], [b"c"]]
    assert kept(log, Selection(marker="pay-2")) == [[b"c"]]
    assert found.left_out == {"marker statements": 4, "outside the markers": 2}


def test_a_marker_used_again_is_numbered() -> None:
    found = chosen([*marked("pay", "a"), *marked("pay", "b")], Selection(marker="pay"))
    assert [flow.name for flow in found.flows] == ["pay #1", "pay #2"]


def test_with_autocommit_off_a_marker_stands_within_a_transaction() -> None:
    log = [
        transaction("SELECT 'readiness:begin pay'", "INSERT INTO t VALUES (1)", "COMMIT"),
        transaction("SELECT 'readiness:end pay'", "COMMIT"),
        alone("y"),
    ]
    assert kept(log, Selection(marker="pay")) == [[b"INSERT INTO t VALUES (1)", b"COMMIT"]]


def test_a_transaction_that_holds_but_a_marker_goes_with_it() -> None:
    begin = transaction("BEGIN", "SELECT 'readiness:begin pay'", "commit work;")
    log = [begin, alone("a"), transaction("SELECT 'readiness:end pay'", "ROLLBACK")]
    assert kept(log, Selection(marker="pay")) == [[b"a"]]


def test_the_order_in_which_transactions_end_changes_nothing() -> None:
    log = list(enumerate([*marked("pay-1", "a", "b"), *marked("pay-2", "c"), alone("y")]))
    ordered = choose(log, Selection(marker="pay"))
    backwards = choose(reversed(log), Selection(marker="pay"))
    assert backwards == ordered


@pytest.mark.parametrize(
    ("log", "said"),
    [([alone("x")], "does not stand"), (marked("pay", "a", end=False), "never ends")],
)
def test_a_marker_that_is_not_there_says_how_to_set_it(
    log: list[RawTransaction], said: str
) -> None:
    with pytest.raises(CaptureError, match=said) as caught:
        chosen(log, Selection(marker="pay"))
    assert "readiness:begin pay" in caught.value.hint


def test_a_selection_that_takes_nothing_says_what_was_there() -> None:
    with pytest.raises(CaptureError, match="2 of another session"):
        chosen([alone("a"), alone("b")], Selection(threads=frozenset({7})))

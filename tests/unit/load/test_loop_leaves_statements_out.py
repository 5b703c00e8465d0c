"""What a checkout leaves out is not sent, not waited for and not counted; the rest goes on."""

from __future__ import annotations

import pytest
from tests.fakes.flows import TextFlow
from tests.fakes.playing import play, steady
from tests.fakes.wire import WireServer, ok, slowly

from readiness.load.plan import pause_ns
from readiness.model.load import LoadOptions

# Checkout n has 1, 2 or 5 items in turn.
BASKETS = (1, 2, 5)
BASKET = ["BEGIN", *(f"[{turn}] SELECT {turn}" for turn in range(1, 6)), "COMMIT"]


def test_a_statement_runs_as_often_as_checkouts_draw_its_turn() -> None:
    server = WireServer()
    played = play(TextFlow(BASKET, counts=BASKETS), server.connect, steady(30, 1))
    assert (played.report.ok, played.report.errors) == (30, {})
    ran = {name: histogram.count for name, histogram in played.report.statements.items()}
    assert ran == {
        "s001": 30, "s002": 30, "s003": 20, "s004": 10, "s005": 10, "s006": 10, "s007": 30,
    }  # fmt: skip
    assert len(server.queries) == sum(ran.values()) == 30 * 2 + 10 * (1 + 2 + 5)


def test_what_is_left_out_is_not_waited_for() -> None:
    flows = [TextFlow(BASKET, counts=(count,), gap_ms=40) for count in (1, 2)]
    one, two = (play(f, WireServer().connect, steady(10, 0.5), pacing=1.0) for f in flows)
    assert one.histogram("checkout").minimum >= 80e6
    assert two.histogram("checkout").minimum >= 120e6
    assert one.histogram("checkout").minimum < 120e6


@pytest.mark.parametrize("connections", ["pooled", "per-checkout"])
@pytest.mark.parametrize(
    "texts",
    [
        ["[1] SELECT 1", "SELECT 2", "SELECT 3"],
        ["SELECT 1", "SELECT 2", "[1] SELECT 3"],
        ["SELECT 1", "[1] SELECT 2", "[1] SELECT 3"],
        ["[1] SELECT 1", "[1] SELECT 2", "SELECT 3"],
    ],
)
def test_the_first_and_the_last_statement_may_be_left_out(
    texts: list[str], connections: str
) -> None:
    server = WireServer()
    flow = TextFlow(texts, counts=(0, 1))
    played = play(flow, server.connect, steady(20, 0.5), connections=connections)
    assert (played.report.ok, played.report.errors) == (10, {})
    always = sum(text[0] != "[" for text in texts)
    assert len(server.queries) == 5 * always + 5 * len(texts)


def test_a_checkout_without_its_first_statement_begins_without_a_pause() -> None:
    flow = TextFlow(["[1] SELECT 1", "SELECT 2"], counts=(0,), gap_ms=200)
    played = play(flow, WireServer().connect, steady(10, 0.5), pacing=1.0)
    assert played.histogram("checkout").minimum < 150e6


@pytest.mark.parametrize("connections", ["pooled", "per-checkout"])
def test_a_checkout_that_does_nothing_ends_well_at_once(connections: str) -> None:
    server = WireServer()
    flow = TextFlow(["[1] BEGIN", "[1] COMMIT"], counts=(0, 1))
    played = play(flow, server.connect, steady(20, 0.5), connections=connections)
    assert (played.report.ok, len(server.queries)) == (10, 10)
    assert played.total("finished") == 10


def test_a_crowd_of_checkouts_that_do_nothing_waits_for_one_connection() -> None:
    def late() -> None:
        slowly(0.8)(b"")

    flow = TextFlow(["[1] SELECT 1"], counts=(0,))
    played = play(
        flow,
        WireServer(before_connect=late).connect,
        steady(4000, 0.5),
        connections="pooled",
        pool_size=1,
        in_flight_limit=5000,
    )
    assert (played.report.ok, played.report.errors) == (2000, {})


def test_closed_loop_clients_go_on_after_a_checkout_that_does_nothing() -> None:
    flow = TextFlow(["[1] SELECT 1"], counts=(0, 1))
    server = WireServer(slowly(0.01))
    played = play(flow, server.connect, steady(0, 0.5), closed_loop_clients=2)
    assert played.report.ok > 4  # two clients that stop at an empty checkout make at most 4
    assert len(server.queries) == pytest.approx(played.report.ok / 2, abs=2)


@pytest.mark.parametrize(("connections", "opened"), [("pooled", 2), ("per-checkout", 20)])
def test_a_connection_that_a_checkout_does_not_use_stays_whole(
    connections: str, opened: int
) -> None:
    server = WireServer()
    flow = TextFlow(["0: SELECT 1", "1: [2] SELECT 2"], counts=(1, 2))
    played = play(flow, server.connect, steady(20, 0.5), connections=connections, pool_size=1)
    server.wait_closed()
    assert (played.report.ok, played.report.errors) == (10, {})
    assert (server.connections, server.goodbyes) == (opened, opened)


def test_an_unused_connection_that_the_server_ends_fails_no_checkout() -> None:
    # Each second statement goes to connection 1, which hangs up after its first reply.
    server = WireServer(lambda sql: None if sql == b"SELECT 9" else ok())
    flow = TextFlow(["1: [2] SELECT 9", "0: SELECT 1"], counts=(2, 1))
    played = play(flow, server.connect, steady(20, 0.5), connections="pooled", pool_size=1)
    assert (played.report.ok, played.report.failed) == (5, 5)


def test_ids_reach_the_statements_behind_one_that_is_left_out() -> None:
    server = WireServer(lambda sql: ok(777) if sql.startswith(b"INSERT") else ok())
    flow = TextFlow(["INSERT INTO orders VALUES (1)", "[2] SELECT 0", "SELECT {id}"])
    play(flow, server.connect, steady(5, 0.2))
    assert b"SELECT 777" in server.queries
    assert b"SELECT 0" not in server.queries


def test_the_pause_is_that_of_a_transaction_where_the_step_before_was_of_another() -> None:
    flow = TextFlow(["BEGIN", "[2] SELECT 1", "COMMIT", "BEGIN", "COMMIT"])
    options = LoadOptions(statement_pause_ms=1, transaction_pause_ms=9)
    assert pause_ns(flow, options, 0, 2) == 1_000_000
    assert pause_ns(flow, options, 0, 3) == 9_000_000

"""What the loop counts and measures on a server that answers well."""

from __future__ import annotations

import pytest
from tests.fakes.flows import TextFlow
from tests.fakes.playing import play, steady
from tests.fakes.wire import WireServer, ok, result_set, row, slowly

from readiness.model.load import Stage

CHECKOUT = ["BEGIN", "INSERT INTO orders VALUES ({n})", "SELECT {id}", "COMMIT"]


def test_every_arrival_becomes_one_finished_checkout() -> None:
    played = play(TextFlow(CHECKOUT), WireServer().connect, steady(40, 1))
    assert (played.total("offered"), played.total("finished"), played.report.ok) == (40, 40, 40)
    assert (played.total("failed"), played.total("dropped"), played.report.errors) == (0, 0, {})


def test_each_statement_reaches_the_server_once_per_checkout_in_order() -> None:
    server = WireServer()
    play(TextFlow(["BEGIN", "SELECT 1", "COMMIT"]), server.connect, steady(5, 0.2))
    assert server.queries == [b"BEGIN", b"SELECT 1", b"COMMIT"]


def test_service_times_are_kept_by_statement_and_commit_apart() -> None:
    played = play(TextFlow(CHECKOUT), WireServer().connect, steady(20, 1))
    counts = {name: h.count for name, h in played.report.statements.items()}
    assert counts == {"s001": 20, "s002": 20, "s003": 20, "s004": 20}
    assert played.histogram("commit").count == 20


def test_response_is_at_least_the_sum_of_slow_statements() -> None:
    played = play(
        TextFlow(["SELECT 1", "SELECT 2"]), WireServer(slowly(0.03)).connect, steady(10, 0.5)
    )
    assert played.histogram("checkout").minimum >= 60e6
    assert played.report.statements["s001"].minimum >= 30e6


def test_the_insert_id_of_the_server_reaches_the_later_statements() -> None:
    server = WireServer(lambda sql: ok(777) if sql.startswith(b"INSERT") else ok())
    play(TextFlow(CHECKOUT), server.connect, steady(5, 0.2))
    assert b"SELECT 777" in server.queries


def test_a_result_set_larger_than_one_read_ends_one_statement() -> None:
    answer = result_set([row(b"x" * 50_000, None) for _ in range(20)])
    played = play(
        TextFlow(["SELECT 1", "SELECT 2"]), WireServer(lambda _: answer).connect, steady(10, 0.5)
    )
    assert (played.report.ok, played.report.errors) == (5, {})


def test_a_statement_larger_than_the_socket_buffer_is_sent_whole() -> None:
    server = WireServer()
    text = "INSERT INTO notes VALUES ('" + "x" * 3_000_000 + "')"
    played = play(TextFlow([text]), server.connect, steady(2, 1))
    assert (played.report.ok, server.queries) == (2, [text.encode()] * 2)


def test_per_checkout_connections_are_opened_and_closed_for_each() -> None:
    server = WireServer()
    flow = TextFlow(["0: SELECT 1", "1: SELECT 2"])
    played = play(flow, server.connect, steady(10, 1))
    server.wait_closed()
    assert (server.connections, server.goodbyes) == (20, 20)
    assert played.histogram("connect").count == 20


def test_pooled_connections_are_used_again() -> None:
    server = WireServer()
    played = play(
        TextFlow(CHECKOUT), server.connect, steady(40, 1), connections="pooled", pool_size=2
    )
    assert (played.report.ok, server.connections) == (40, 2)


def test_arrivals_wait_for_a_full_pool_and_the_wait_is_in_the_response() -> None:
    server = WireServer(slowly(0.05))
    played = play(
        TextFlow(["SELECT 1"]), server.connect, steady(40, 0.5), connections="pooled", pool_size=1
    )
    assert (played.report.ok, server.connections) == (20, 1)
    assert played.histogram("checkout").maximum > 300e6
    assert played.report.statements["s001"].maximum < 300e6


def test_beyond_the_in_flight_limit_arrivals_are_dropped_and_counted() -> None:
    played = play(
        TextFlow(["SELECT 1"]), WireServer(slowly(0.4)).connect, steady(50, 0.4), in_flight_limit=3
    )
    assert played.total("dropped") == 17
    assert played.total("offered") == played.report.ok + played.total("dropped") == 20


def test_pauses_lie_between_statements_and_between_transactions() -> None:
    flow = TextFlow(["BEGIN", "COMMIT", "SELECT 1"])
    played = play(
        flow, WireServer().connect, steady(10, 0.3), statement_pause_ms=20, transaction_pause_ms=50
    )
    assert played.histogram("checkout").minimum >= 70e6


def test_captured_pauses_are_taken_times_the_pacing() -> None:
    played = play(
        TextFlow(["SELECT 1"] * 3, gap_ms=40), WireServer().connect, steady(10, 0.3), pacing=0.5
    )
    assert 40e6 <= played.histogram("checkout").minimum < 80e6


def test_statements_of_the_warm_up_are_not_measured() -> None:
    stage = Stage("x", rate_per_s=20, hold_s=2, warmup_s=1)
    played = play(TextFlow(["SELECT 1"]), WireServer().connect, stage)
    assert played.report.ok == 40
    assert played.report.statements["s001"].count == pytest.approx(20, abs=2)


def test_each_second_is_reported_with_its_own_counts() -> None:
    played = play(TextFlow(["SELECT 1"]), WireServer().connect, steady(20, 2))
    assert [(t.second, t.offered) for t in played.ticks] == [(0, 20), (1, 20)]


def test_the_worker_observes_itself() -> None:
    played = play(TextFlow(["SELECT 1"]), WireServer().connect, steady(20, 1))
    assert played.ticks[0].timer_floor.count >= 20
    assert 0 < played.ticks[0].generator_cpu_ratio <= 2


def test_closed_loop_clients_keep_the_server_busy() -> None:
    server = WireServer(slowly(0.01))
    played = play(TextFlow(["SELECT 1"]), server.connect, steady(0, 1), closed_loop_clients=4)
    assert played.report.ok > 50
    assert all(tick.in_flight <= 4 for tick in played.parts)


def test_checkout_numbers_never_repeat_over_workers() -> None:
    flow = TextFlow(["SELECT 1"])
    played = play(flow, WireServer().connect, steady(20, 0.5), workers=2)
    assert flow.started == [0, 2, 4, 6, 8]
    assert played.report.next_number == 9

"""What the loop does when the server fails, refuses, hangs up or freezes, and when it is stopped."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NoReturn

import pytest
from tests.fakes.flows import TextFlow
from tests.fakes.playing import Commands, play, steady
from tests.fakes.wire import WireServer, error, ok, packet, slowly

from readiness.errors import TargetUnavailable, WorkloadError


def test_an_error_fails_the_checkout_and_names_statement_and_code() -> None:
    server = WireServer(lambda sql: error(1062) if sql.startswith(b"INSERT") else ok())
    played = play(TextFlow(["BEGIN", "INSERT {n}", "COMMIT"]), server.connect, steady(10, 0.5))
    assert played.report.errors == {("s002", 1062): 5}
    assert (played.report.failed, played.total("failed"), played.report.ok) == (5, 5, 0)


def test_what_failed_is_in_no_latency() -> None:
    played = play(
        TextFlow(["SELECT 1"]), WireServer(lambda _: error(1205)).connect, steady(10, 0.5)
    )
    assert (played.report.statements, played.histogram("checkout").count) == ({}, 0)


def test_a_failed_checkout_is_rolled_back_by_closing_its_connections() -> None:
    server = WireServer(lambda sql: error(1213) if sql == b"SELECT 1" else ok())
    play(TextFlow(["0: BEGIN", "1: BEGIN", "0: SELECT 1"]), server.connect, steady(5, 0.4))
    server.wait_closed()
    assert (server.connections, server.goodbyes) == (4, 4)


def test_a_pool_replaces_the_connections_that_failed() -> None:
    server = WireServer(lambda _: error(1205))
    played = play(
        TextFlow(["SELECT 1"]), server.connect, steady(20, 0.5), connections="pooled", pool_size=1
    )
    assert played.report.failed == 10
    assert server.connections >= 10


def test_a_server_that_hangs_up_gives_lost_checkouts() -> None:
    played = play(TextFlow(["SELECT 1"]), WireServer(lambda _: None).connect, steady(10, 0.5))
    assert played.report.errors == {("lost", 2013): 5}


def test_a_refusing_server_fails_each_arrival_once() -> None:
    def refuse() -> NoReturn:
        raise TargetUnavailable("refused", code=1040)

    played = play(
        TextFlow(["SELECT 1"]), WireServer(before_connect=refuse).connect, steady(20, 0.5)
    )
    assert played.report.errors == {("connect", 1040): 10}
    assert (played.report.failed, played.total("started")) == (10, 0)


def test_slow_logins_do_not_hold_each_other_up() -> None:
    """At 200 a second, 0.2 s each: eight at a time would fall behind by four fifths."""
    server = WireServer(before_connect=lambda: time.sleep(0.2))
    played = play(TextFlow(["SELECT 1"]), server.connect, steady(200, 2))
    assert played.report.ok == 400
    late = played.histogram("checkout").percentile(0.99) or 0
    assert late < 1.0e9
    assert (played.ticks[-1].checkout.percentile(0.5) or 0) < 0.1e9


def test_local_infile_is_refused_as_an_error() -> None:
    server = WireServer(lambda _: packet(b"\xfb/etc/passwd"))
    played = play(TextFlow(["LOAD DATA"]), server.connect, steady(5, 0.4))
    assert played.report.errors == {("s001", 2068): 2}


def test_a_connection_that_died_idle_is_replaced_before_use() -> None:
    server = WireServer(lambda sql: None if sql == b"SELECT 2" else ok())
    flow = TextFlow(["0: SELECT 1", "1: SELECT 2"])
    played = play(flow, server.connect, steady(5, 0.4))
    assert played.report.errors == {("lost", 2013): 2}


def test_a_freeze_makes_responses_late_and_loses_none() -> None:
    began = time.monotonic()

    def answer(_: bytes) -> bytes:
        if 0.3 < time.monotonic() - began < 0.8:
            time.sleep(0.8 - (time.monotonic() - began))
        return ok()

    played = play(TextFlow(["SELECT 1"]), WireServer(answer).connect, steady(40, 1))
    assert (played.report.ok, played.report.failed) == (40, 0)
    # About 20 arrivals fell into the freeze: their mean wait is half of it.
    assert played.histogram("checkout").total > 20 * 0.15e9


def test_slow_connecting_is_in_the_response_and_not_in_the_schedule_lag() -> None:
    server = WireServer(before_connect=lambda: time.sleep(0.5))
    played = play(TextFlow(["SELECT 1"]), server.connect, steady(10, 0.4))
    assert played.histogram("checkout").minimum > 100e6
    assert played.histogram("lag").maximum < 100e6


def test_what_the_drain_does_not_finish_is_lost() -> None:
    played = play(
        TextFlow(["SELECT 1"]), WireServer(slowly(1.5)).connect, steady(10, 0.5), drain_s=0.2
    )
    assert played.report.errors == {("lost", 0): 5}
    assert (played.report.failed, played.report.ok, played.took_s < 1.4) == (5, 0, True)


def test_what_ends_late_in_the_drain_is_measured_but_not_achieved() -> None:
    server = WireServer(slowly(0.1))
    played = play(
        TextFlow(["SELECT 1"]), server.connect, steady(20, 1), connections="pooled", pool_size=1
    )
    assert (played.report.ok, played.histogram("checkout").count) == (20, 20)
    assert played.total("finished") < 16  # the server does 10 per second


def test_what_ends_in_the_drain_as_fast_as_before_is_achieved() -> None:
    played = play(TextFlow(["SELECT 1"]), WireServer(slowly(0.2)).connect, steady(20, 1))
    assert played.report.ok == 20
    assert played.total("finished") > 16  # those of the last 0.2 s end in the drain


@pytest.mark.parametrize(
    ("speak", "reason"),
    [
        (lambda commands: commands.say(b'{"stop": "operator"}'), "operator"),
        (lambda commands: commands.hang_up(), "the coordinator is gone"),
    ],
)
def test_a_stop_or_a_lost_coordinator_ends_the_load_within_two_seconds(
    speak: Callable[[Commands], None], reason: str
) -> None:
    def later(commands: Commands) -> None:
        time.sleep(0.5)
        speak(commands)

    played = play(
        TextFlow(["SELECT 1"]), WireServer(slowly(5)).connect, steady(10, 30), later=later
    )
    assert played.took_s < 2.5
    assert played.report.stopped_by == reason
    assert (played.report.failed, played.report.cut > 0) == (0, True)


def test_without_heartbeats_for_three_seconds_the_load_stops() -> None:
    played = play(TextFlow(["SELECT 1"]), WireServer().connect, steady(10, 30))
    assert played.report.stopped_by == "no heartbeat from the coordinator for 3 s"
    assert played.report.ok == played.total("offered")
    assert played.took_s < 5


def test_an_engine_fault_in_a_connecting_thread_is_raised() -> None:
    def broken() -> NoReturn:
        raise WorkloadError("not a connector's error")

    with pytest.raises(WorkloadError, match="not a connector's"):
        play(TextFlow(["SELECT 1"]), WireServer(before_connect=broken).connect, steady(10, 1))

"""The admission gate: so many in each interval, the others wait outside without a connection."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.flows import TextFlow
from tests.fakes.playing import Played, play, steady
from tests.fakes.wire import WireServer

from readiness.load.gate import Gate


@given(limit=st.integers(1, 200), workers=st.integers(1, 64), window=st.integers(0, 10_000))
def test_the_workers_shares_add_up_to_the_limit_in_every_window(
    limit: int, workers: int, window: int
) -> None:
    shares = [Gate(limit, 1, 0, worker, workers).slots(window) for worker in range(workers)]
    assert sum(shares) == limit
    assert max(shares) - min(shares) <= 1


def played_at(rate_per_s: float, hold_s: float, **options: object) -> tuple[Played, WireServer]:
    server = WireServer()
    return play(
        TextFlow(["SELECT 1"]), server.connect, steady(rate_per_s, hold_s), **options
    ), server


def test_no_window_lets_in_more_than_the_limit() -> None:
    begun: list[float] = []

    def note(_: bytes) -> bytes:
        begun.append(time.monotonic())
        return b"\x07\0\0\x01\0\0\0\x02\0\0\0"

    played = play(
        TextFlow(["SELECT 1"]), WireServer(note).connect, steady(40, 1), admit=5, admit_every_s=0.25
    )
    # Windows are of the stage's clock; a reply is noted a moment after its window opened.
    assert next(t.started for t in played.ticks) == 20
    assert played.report.ok == 40
    assert begun[-1] - begun[0] > 1.5


def test_time_outside_is_told_apart_and_is_part_of_the_response() -> None:
    played, _ = played_at(20, 1, admit=10, admit_every_s=1.0)
    queue, response = played.histogram("queue"), played.histogram("checkout")
    assert (queue.count, response.count) == (20, 20)
    assert 0.3e9 < queue.maximum <= response.maximum
    assert played.report.service.maximum < 0.2e9


def test_who_waits_longer_than_the_expiry_leaves() -> None:
    played, _server = played_at(20, 1, admit=5, admit_every_s=1.0, admit_expire_s=0.3)
    assert played.total("offered") == played.report.ok + played.total("expired") == 20
    assert played.total("expired") >= 9
    assert played.report.failed == 0
    assert played.histogram("queue").maximum < 0.32e9


def test_who_waits_outside_holds_no_connection() -> None:
    played, server = played_at(40, 0.5, admit=2, admit_every_s=0.5, admit_expire_s=1.0)
    assert server.connections <= played.report.ok + 2 + 11  # those ahead of the first window's end
    assert played.total("expired") > 10


def test_who_is_left_outside_at_the_end_has_expired_and_did_not_fail() -> None:
    server = WireServer()
    played = play(
        TextFlow(["SELECT 1"]),
        server.connect,
        steady(20, 0.5),
        drain_s=0.3,
        admit=2,
        admit_every_s=1.0,
    )
    assert (played.report.ok, played.report.failed, played.total("expired")) == (2, 0, 8)


def test_the_line_outside_is_bounded() -> None:
    played, _ = played_at(100, 0.5, admit=1, admit_every_s=9, admit_expire_s=0.2, in_flight_limit=5)
    assert played.total("dropped") > 20
    assert played.total("offered") == 50


def test_without_a_gate_nobody_queues() -> None:
    played, _ = played_at(20, 0.5)
    assert (played.histogram("queue").count, played.total("expired")) == (0, 0)


def test_a_closed_loop_has_no_gate() -> None:
    server = WireServer()
    played = play(
        TextFlow(["SELECT 1"]), server.connect, steady(0, 0.5), closed_loop_clients=2, admit=1
    )
    assert played.report.ok > 10

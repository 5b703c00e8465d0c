"""A server that is full, restarts or dies under load: errors are counted, and the stage ends on time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest
from tests.fakes.engines import binary_of
from tests.integration.load.conftest import Run

from readiness.adapters.local_server import LocalServer
from readiness.adapters.server_command import ServerOptions
from readiness.adapters.server_room import free_port
from readiness.load.coordinator import OnTick
from readiness.load.messages import Job
from readiness.model.load import Stage, StageResult, Tick
from readiness.ports import Session

pytestmark = [pytest.mark.mysql, pytest.mark.long]


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def private_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    """One that comes back on the port that it had."""
    folder, binary = tmp_path_factory.mktemp("server"), binary_of(request.param)
    with LocalServer(folder, options=ServerOptions(port=free_port()), binary=binary) as server:
        yield server


@pytest.fixture
def job(one_statement: Job) -> Job:
    return one_statement


def timed(run: Run, stage: Stage, **options: object) -> tuple[StageResult, float]:
    begun = time.monotonic()
    return run(stage, **options), time.monotonic() - begun


def at_second(second: int, act: Callable[[], object]) -> tuple[OnTick, Callable[[], None]]:
    """What the coordinator calls each second, and what waits until `act` has been done."""
    thread = threading.Thread(target=act)

    def look(tick: Tick) -> None:
        if tick.second == second:
            thread.start()

    return look, thread.join


def codes(result: StageResult) -> set[int]:
    return {code for _, code in result.errors}


def test_a_server_without_free_connections_is_an_error_for_each_arrival(
    run: Run, root: Session
) -> None:
    (kept,) = root.query("SELECT @@max_connections")[0]
    root.query("SET GLOBAL max_connections = 12")
    try:
        result, took_s = timed(run, Stage("x", 50, 3), statement_pause_ms=0, pacing=0.0)
        slow, _ = timed(run, Stage("x", 200, 3), connections="pooled", pool_size=100)
    finally:
        root.query(f"SET GLOBAL max_connections = {kept}")
    assert took_s < 15
    assert result.checkouts_ok + result.checkouts_failed == 150
    assert slow.checkouts_ok + slow.checkouts_failed == 600
    assert ("connect", 1040) in slow.errors


def test_a_server_that_restarts_gives_errors_and_then_goes_on(
    run: Run, private_server: LocalServer
) -> None:
    def restart() -> None:
        private_server.kill()
        private_server.start()

    look, wait = at_second(2, restart)
    result, took_s = timed(run, Stage("x", 30, 15), on_tick=look)
    wait()
    assert took_s < 30
    assert result.checkouts_ok + result.checkouts_failed == 450
    assert result.checkouts_failed > 0
    assert codes(result) <= {2003, 2006, 2013, 2002, 1053, 0}
    last = [tick for tick in result.ticks if tick.second >= 12]
    assert sum(tick.finished - tick.failed for tick in last) > 60


def test_a_server_that_dies_is_no_hang(run: Run, private_server: LocalServer) -> None:
    look, wait = at_second(1, private_server.kill)
    result, took_s = timed(run, Stage("x", 30, 6), on_tick=look)
    wait()
    assert took_s < 20
    assert result.checkouts_ok + result.checkouts_failed == 180
    assert sum(tick.finished - tick.failed for tick in result.ticks[-2:]) == 0
    assert codes(result) <= {2003, 2013, 2006, 0}

"""A server that is full, restarts or dies under load: errors are counted, and the stage ends on time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest
from tests.integration.load.conftest import Run

from readiness.adapters.local_server import LocalServer
from readiness.load.messages import Job
from readiness.model.load import Stage, StageResult
from readiness.ports import Session

pytestmark = [pytest.mark.mysql, pytest.mark.long]


@pytest.fixture
def job(one_statement: Job) -> Job:
    return one_statement


def timed(run: Run, stage: Stage, **options: object) -> tuple[StageResult, float]:
    begun = time.monotonic()
    return run(stage, **options), time.monotonic() - begun


def later(after_s: float, act: Callable[[], object]) -> threading.Thread:
    def wait_and_act() -> None:
        time.sleep(after_s)
        act()

    thread = threading.Thread(target=wait_and_act)
    thread.start()
    return thread


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
    port = private_server.running_state().port

    def restart() -> None:
        private_server.kill()
        private_server._start_on(port, 60.0)

    restarting = later(3.0, restart)
    result, took_s = timed(run, Stage("x", 30, 15))
    restarting.join()
    assert took_s < 30
    assert result.checkouts_ok + result.checkouts_failed == 450
    assert result.checkouts_failed > 0
    assert codes(result) <= {2003, 2006, 2013, 2002, 1053, 0}
    last = [tick for tick in result.ticks if tick.second >= 12]
    assert sum(tick.finished - tick.failed for tick in last) > 60


def test_a_server_that_dies_is_no_hang(run: Run, private_server: LocalServer) -> None:
    killing = later(2.0, private_server.kill)
    result, took_s = timed(run, Stage("x", 30, 6))
    killing.join()
    assert took_s < 20
    assert result.checkouts_ok + result.checkouts_failed == 180
    assert sum(tick.finished - tick.failed for tick in result.ticks[-2:]) == 0
    assert codes(result) <= {2003, 2013, 2006, 0}

"""The load engine on a real server: exact counts, pools, a freeze, capacity, an abort."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest
from tests.integration.load.conftest import Run

from readiness.adapters.local_server import LocalServer
from readiness.load.calibrate import capacity
from readiness.model.histogram import bucket_of, merged
from readiness.model.load import Stage, Tick
from readiness.ports import Session

pytestmark = pytest.mark.mysql


def counters(root: Session) -> dict[str, int]:
    rows = root.query(
        "SHOW GLOBAL STATUS WHERE Variable_name IN"
        " ('Com_begin', 'Com_commit', 'Com_insert', 'Com_select', 'Aborted_clients')"
    )
    return {str(name): int(str(value)) for name, value in rows}


def orders(root: Session) -> int:
    return int(str(root.query("SELECT COUNT(*) FROM shop.orders")[0][0]))


def test_the_server_counted_what_the_engine_counted(run: Run, root: Session) -> None:
    rows, before = orders(root), counters(root)
    result = run(Stage("x", rate_per_s=30, hold_s=2), workers=2)
    after = counters(root)
    delta = {name: after[name] - before[name] for name in after}
    done = {name: histogram.count for name, histogram in result.statements.items()}
    assert (result.checkouts_ok, result.checkouts_failed, result.errors) == (60, 0, {})
    assert delta["Com_begin"] == delta["Com_commit"] == delta["Com_insert"] == done["s001"] == 60
    assert delta["Com_select"] == done["s002"] + done["s005"] == 120
    assert delta["Aborted_clients"] == 0
    assert orders(root) == rows + 60
    assert sum(tick.commit.count for tick in result.ticks) == 60


def test_pooled_connections_do_the_same_work_with_fewer_logins(run: Run) -> None:
    result = run(Stage("x", rate_per_s=30, hold_s=2), connections="pooled", pool_size=4)
    assert (result.checkouts_ok, result.errors) == (60, {})
    assert merged(tick.connect for tick in result.ticks).count == 4


def test_a_frozen_server_makes_checkouts_late_and_loses_none(
    run: Run, private_server: LocalServer
) -> None:
    pid = private_server.running_state().pid

    def freeze() -> None:
        time.sleep(2.0)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(2.0)
        os.kill(pid, signal.SIGCONT)

    thread = threading.Thread(target=freeze)
    thread.start()
    result = run(Stage("x", rate_per_s=20, hold_s=5), connections="pooled", pool_size=4)
    thread.join()
    response = merged(tick.checkout for tick in result.ticks)
    assert (result.checkouts_ok, result.checkouts_failed) == (100, 0)
    # 2 s frozen of 5 s: two fifths of the arrivals wait 1 s on the mean.
    assert response.mean() == pytest.approx(0.4e9, rel=0.35)
    assert response.maximum > 1.5e9
    assert (merged(tick.lag for tick in result.ticks).percentile(0.9) or 0) < 0.2e9
    slow_services = sum(
        count
        for histogram in result.statements.values()
        for bucket, count in histogram.counts.items()
        if bucket >= bucket_of(1_000_000_000)
    )
    assert slow_services <= 4


def test_a_closed_loop_finds_the_capacity(run: Run) -> None:
    result = run(Stage("calibration", rate_per_s=0, hold_s=4), closed_loop_clients=4)
    assert capacity(result) > 50
    assert result.errors == {}


def test_a_reason_from_the_watcher_stops_the_load_within_two_seconds(run: Run) -> None:
    stopped: list[float] = []

    def watch(tick: Tick) -> str | None:
        if tick.second < 1:
            return None
        stopped.append(time.monotonic())
        return "error_ratio above 5 %"

    result = run(Stage("x", rate_per_s=20, hold_s=60), on_tick=watch)
    assert time.monotonic() - stopped[0] < 2.5
    assert result.aborted_by == "error_ratio above 5 %"
    assert result.checkouts_ok >= 35

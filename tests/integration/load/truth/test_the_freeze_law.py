"""A server that stands still for 5 of 20 s: what the customers waited, by arithmetic and by the engine.

Arrivals go on while it stands: they wait 2.5 s on the mean, a quarter of all, so 0.625 s over the
stage. A tool that waits for its reply before it asks again would show eight slow requests.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.integration.load.conftest import Run

from readiness.adapters.local_server import LocalServer
from readiness.load.messages import Job
from readiness.model.histogram import Histogram, bucket_of, merged
from readiness.model.load import Stage, StageResult

pytestmark = [pytest.mark.mysql, pytest.mark.long]

RATE_PER_S = 40.0  # far below a tenth of what one statement allows
FREEZE_S, STAGE_S = 5.0, 20.0
LAW_S = FREEZE_S**2 / 2 / STAGE_S
POOL = 8


@pytest.fixture
def job(one_statement: Job) -> Job:
    return one_statement


@contextmanager
def frozen_for_a_while(server: LocalServer, *, after_s: float) -> Iterator[None]:
    pid = server.running_state().pid

    def freeze() -> None:
        time.sleep(after_s)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(FREEZE_S)
        os.kill(pid, signal.SIGCONT)

    thread = threading.Thread(target=freeze)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def response(result: StageResult) -> Histogram:
    return merged(tick.checkout for tick in result.ticks)


def longer_than_a_second(histogram: Histogram) -> int:
    least = bucket_of(1_000_000_000)
    return sum(count for bucket, count in histogram.counts.items() if bucket >= least)


@pytest.mark.parametrize("connections", ["pooled", "per-checkout"])
def test_the_mean_response_is_what_the_law_says(
    run: Run, private_server: LocalServer, connections: str
) -> None:
    how = {"connections": connections, "pool_size": POOL if connections == "pooled" else 0}
    base_s = response(run(Stage("base", RATE_PER_S, 3), **how)).mean() / 1e9
    with frozen_for_a_while(private_server, after_s=6.0):
        result = run(Stage("frozen", RATE_PER_S, STAGE_S), **how)
    assert (result.checkouts_ok, result.checkouts_failed) == (800, 0)
    assert response(result).mean() / 1e9 == pytest.approx(LAW_S + base_s, rel=0.1)
    service = merged(result.statements.values())
    if connections == "pooled":
        assert longer_than_a_second(service) <= POOL
    else:
        connect = merged(tick.connect for tick in result.ticks)
        assert max(service.maximum, connect.maximum) > 4e9

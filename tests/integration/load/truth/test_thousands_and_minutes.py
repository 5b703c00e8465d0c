"""Thousands of connections, and ten minutes: memory stays what it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.fakes.engines import binary_of
from tests.fakes.memory import resident_bytes
from tests.integration.load.conftest import Run

from readiness.adapters.local_server import LocalServer
from readiness.adapters.server_command import ServerOptions
from readiness.adapters.worker_process import ChildWorker
from readiness.load.messages import Job
from readiness.model.load import Stage, Tick
from readiness.ports import Session

pytestmark = [pytest.mark.mysql, pytest.mark.long]

THOUSANDS = 5000
WAITING_BYTES = 12 * 1024


@pytest.fixture(scope="module")
def private_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    """One that lets thousands in."""
    options = ServerOptions(extra=("--max-connections=6000", "--open-files-limit=16000"))
    folder, binary = tmp_path_factory.mktemp("server"), binary_of("mariadb")
    with LocalServer(folder, options=options, binary=binary) as server:
        yield server


def test_five_thousand_waiting_connections_are_cheap_and_end_clean(
    run: Run, root: Session, job: Job
) -> None:
    started: list[ChildWorker] = []
    seen: list[tuple[int, int]] = []

    def look(tick: Tick) -> None:
        seen.append((tick.in_flight, resident_bytes(started[0].pid)))

    stage = Stage("x", rate_per_s=THOUSANDS / 20, hold_s=20)
    result = run(
        stage, on_tick=look, started=started, statement_pause_ms=60_000, in_flight_limit=6000
    )
    (few, before), (many, after) = seen[0], seen[-1]
    assert many >= THOUSANDS - 100
    assert (after - before) / (many - few) < WAITING_BYTES
    assert result.checkouts_failed == THOUSANDS  # none ends in the drain: all are counted
    (connected,) = root.query("SHOW STATUS LIKE 'Threads_connected'")[0][1:]
    assert int(str(connected)) <= 2


def test_ten_minutes_at_fifty_a_second_have_flat_memory(run: Run) -> None:
    started: list[ChildWorker] = []
    memory: dict[int, tuple[int, int]] = {}

    def look(tick: Tick) -> None:
        memory[tick.second] = resident_bytes(started[0].pid), resident_bytes("self")

    result = run(Stage("soak", rate_per_s=50, hold_s=600), on_tick=look, started=started)
    grown = [
        (after - before) / 1024 for before, after in zip(memory[120], memory[590], strict=True)
    ]
    assert (result.checkouts_ok, result.errors) == (30_000, {})
    assert grown[0] < 1024, "KiB of the worker"
    assert grown[1] < 2048, "KiB of the coordinator"

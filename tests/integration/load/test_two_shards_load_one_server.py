"""Two processes that know each other by a folder make one load, and neither loads on alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.integration.load import shard_process
from tests.integration.load.shard_process import coordinate
from tests.integration.load.test_the_engine_measures_a_real_server import counters, orders
from tests.integration.load.test_workers_end_with_their_coordinator import is_alive, wait_until

from readiness.adapters.worker_process import ChildWorker
from readiness.errors import WorkerLost
from readiness.load.coordinator import Outside
from readiness.load.messages import Job
from readiness.model.load import RateChange, Stage, Tick
from readiness.ports import Session

pytestmark = pytest.mark.mysql

Start = Callable[[str, Job], "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the coordinator or the shard of a job as a process."""
    processes: list[subprocess.Popen[str]] = []

    def go(role: str, job: Job) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, shard_process.__file__ or "", role],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        processes.append(process)
        assert process.stdin is not None
        process.stdin.write(json.dumps({"job": job.to_json(), "folder": str(tmp_path)}) + "\n")
        process.stdin.flush()
        return process

    yield go
    for process in processes:
        process.kill()
        process.communicate(timeout=10)


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_two_shards_do_what_one_schedule_says(
    start: Start, job: Job, root: Session, tmp_path: Path
) -> None:
    told = replace(job, stage=Stage("x", rate_per_s=30, hold_s=2))
    shard, mail = start("shard", told), b""

    def read_mail(_: Tick) -> str | None:
        nonlocal mail
        mail = b"".join(path.read_bytes() for path in tmp_path.glob("shards/x/1/*"))
        return None

    rows, before = orders(root), counters(root)
    result = coordinate(told, tmp_path, on_tick=read_mail, started=lambda _: None)
    assert shard.wait(timeout=10) == 0
    delta = {name: value - before[name] for name, value in counters(root).items()}
    assert (result.checkouts_ok, result.checkouts_failed, result.errors) == (60, 0, {})
    assert [tick.offered for tick in result.ticks] == [30, 30]
    assert delta["Com_begin"] == delta["Com_commit"] == result.statements["s001"].count == 60
    assert orders(root) == rows + 60
    assert b'"tick"' in mail
    assert b"secret-word" not in mail
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.glob("shards/x/**/*")}
    assert left == {"shards/x/over", "shards/x/1", "shards/x/1/to-1.ndjson"}


@pytest.mark.long
def test_a_rate_by_hand_holds_from_the_same_second_in_both_shards(
    start: Start, job: Job, root: Session, tmp_path: Path
) -> None:
    told, rows = replace(job, stage=Stage("x", 11, 600, tuned_max_per_s=90)), orders(root)
    shard, wishes = start("shard", told), iter((31.0, 0.0))

    def tune(from_s: int) -> RateChange:
        return RateChange(from_s, next(wishes))

    result = coordinate(
        told, tmp_path, on_tick=lambda _: None, started=lambda _: None, outside=Outside(tune=tune)
    )
    assert shard.wait(timeout=10) == 0
    faster, over = (change.from_s for change in result.rates)
    assert [t.offered for t in result.ticks] == [11] * faster + [31] * (over - faster)
    assert result.checkouts_ok == 11 * faster + 31 * (over - faster) == orders(root) - rows


@pytest.mark.long
def test_a_killed_shard_ends_the_stage_and_leaves_nothing(
    start: Start, job: Job, tmp_path: Path
) -> None:
    told = replace(job, stage=Stage("x", rate_per_s=10, hold_s=60))
    shard, here, killed_at = start("shard", told), [], [0.0]

    def kill(tick: Tick) -> str | None:
        if tick.second == 1:
            killed_at[0] = time.monotonic()
            shard.kill()
        return None

    def started(worker: ChildWorker) -> None:
        here.append(worker.pid)

    with pytest.raises(WorkerLost, match="Shard 1 of stage x has said nothing for 4 s"):
        coordinate(told, tmp_path, on_tick=kill, started=started)
    assert time.monotonic() - killed_at[0] < 8
    there = int(line(shard))
    assert not any(is_alive(pid) for pid in (*here, there))


@pytest.mark.long
def test_a_killed_worker_of_a_shard_is_named_by_the_coordinator(
    start: Start, job: Job, tmp_path: Path
) -> None:
    told = replace(job, stage=Stage("x", rate_per_s=10, hold_s=60))
    shard = start("shard", told)

    def kill(tick: Tick) -> str | None:
        if tick.second == 0:
            os.kill(int(line(shard)), signal.SIGKILL)
        return None

    with pytest.raises(WorkerLost, match=r"Load worker 1 ended before its report \(signal 9\)"):
        coordinate(told, tmp_path, on_tick=kill, started=lambda _: None)
    assert shard.wait(timeout=10) == 0


@pytest.mark.long
def test_a_killed_coordinator_stops_the_load_of_its_shard(
    start: Start, job: Job, root: Session
) -> None:
    told = replace(job, stage=Stage("x", rate_per_s=20, hold_s=60))
    shard, coordinator = start("shard", told), start("coordinator", told)
    here, there = int(line(coordinator)), int(line(shard))
    assert line(coordinator) == "tick"
    coordinator.kill()
    assert wait_until(lambda: not is_alive(there), 4.5)
    assert not is_alive(here)
    rows = orders(root)
    assert line(shard) == (
        "WorkerLost: The coordinator of stage x has said nothing for 3 s: shard 1 has ended its load."
    )
    assert shard.wait(timeout=10) == WorkerLost.exit_code
    assert orders(root) == rows

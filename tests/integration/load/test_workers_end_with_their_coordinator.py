"""Worker processes: lost, stopped, refused, orphaned; none is left in any case."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.integration.load.conftest import Run

from readiness.adapters.worker_process import ChildWorker
from readiness.errors import ConfigError, TargetError, WorkerLost
from readiness.load.messages import Job
from readiness.model.load import Stage, Tick
from readiness.ports import Session

pytestmark = pytest.mark.mysql


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not condition():
        time.sleep(0.05)
    return condition()


def test_a_killed_worker_ends_the_stage_and_the_other_worker(run: Run) -> None:
    started: list[ChildWorker] = []

    def kill(_: Tick) -> str | None:
        os.kill(started[0].pid, signal.SIGKILL)
        return None

    with pytest.raises(WorkerLost, match=r"Load worker 0 .*signal 9"):
        run(Stage("x", rate_per_s=10, hold_s=60), on_tick=kill, started=started, workers=2)
    assert not any(is_alive(worker.pid) for worker in started)


def test_a_terminated_worker_reports_what_it_measured(run: Run) -> None:
    started: list[ChildWorker] = []

    def terminate(tick: Tick) -> str | None:
        if tick.second == 1:
            os.kill(started[0].pid, signal.SIGTERM)
        return None

    result = run(Stage("x", rate_per_s=20, hold_s=60), on_tick=terminate, started=started)
    assert result.aborted_by == "SIGTERM"
    assert result.checkouts_ok >= 35


@pytest.mark.long
def test_a_frozen_worker_is_lost_and_killed(run: Run) -> None:
    started: list[ChildWorker] = []

    def freeze(tick: Tick) -> str | None:
        if tick.second == 0:
            os.kill(started[1].pid, signal.SIGSTOP)
        return None

    with pytest.raises(WorkerLost, match="Load worker 1 said nothing for 6 s"):
        run(Stage("x", rate_per_s=10, hold_s=60), on_tick=freeze, started=started, workers=2)
    assert not any(is_alive(worker.pid) for worker in started)


def test_ctrl_c_leaves_no_worker(run: Run) -> None:
    started: list[ChildWorker] = []

    def interrupt(_: Tick) -> str | None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(Stage("x", rate_per_s=10, hold_s=60), on_tick=interrupt, started=started)
    assert not any(is_alive(worker.pid) for worker in started)


def test_a_wrong_password_is_one_clear_refusal(run: Run, job: Job) -> None:
    wrong = replace(job.target, password="another-word")
    with pytest.raises(TargetError, match="does not let user loader into database shop") as caught:
        run(Stage("x", rate_per_s=10, hold_s=5), target=wrong)
    assert "password" in caught.value.hint


def test_an_unknown_tls_mode_is_refused(run: Run, job: Job) -> None:
    odd = replace(job.target, tls="maybe")
    with pytest.raises(ConfigError, match="maybe"):
        run(Stage("x", rate_per_s=10, hold_s=5), target=odd)


COORDINATOR = """
import json, sys
from pathlib import Path
from readiness.adapters.worker_process import ChildWorker
from readiness.load.coordinator import run_stage
from readiness.load.messages import Job
job = Job.from_json(json.loads(sys.stdin.readline()))
def launch(index):
    worker = ChildWorker(job, log=Path(sys.argv[1]))
    print(worker.pid, flush=True)
    return worker
run_stage(job.stage, job.options, launch=launch, on_tick=lambda t: print("tick", flush=True))
"""


@contextmanager
def coordinator_under_load(
    job: Job, tmp_path: Path
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A process that coordinates a minute of load, when its first second is over; and its worker."""
    long = replace(job, stage=Stage("x", 10, 60))
    with subprocess.Popen(
        [sys.executable, "-c", COORDINATOR, str(tmp_path / "worker.log")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    ) as coordinator:
        assert coordinator.stdin is not None
        assert coordinator.stdout is not None
        coordinator.stdin.write(json.dumps(long.to_json()).encode() + b"\n")
        coordinator.stdin.flush()
        worker = int(coordinator.stdout.readline())
        assert coordinator.stdout.readline() == b"tick\n"
        yield coordinator, worker
        coordinator.kill()


def test_a_killed_coordinator_leaves_no_worker_after_three_seconds(
    job: Job, tmp_path: Path
) -> None:
    with coordinator_under_load(job, tmp_path) as (coordinator, worker):
        coordinator.kill()
    assert wait_until(lambda: not is_alive(worker), 3)


@pytest.mark.long
def test_a_frozen_coordinator_stops_the_load_within_five_seconds(
    job: Job, tmp_path: Path, root: Session
) -> None:
    def orders() -> object:
        return root.query("SELECT COUNT(*) FROM shop.orders")

    with coordinator_under_load(job, tmp_path) as (coordinator, worker):
        coordinator.send_signal(signal.SIGSTOP)
        time.sleep(5)
        before = orders()
        time.sleep(2)
        assert orders() == before
    assert wait_until(lambda: not is_alive(worker), 3)

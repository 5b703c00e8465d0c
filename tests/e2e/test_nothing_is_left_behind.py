"""However a demo ends, no process, temporary folder or lock of it is left; the next one cleans up
what a killed one could not."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from tests.e2e.demo_process import (
    DemoProcess,
    assert_lock_is_free,
    assert_nothing_left,
    wait_until_none,
)

from readiness.adapters import leftovers

pytestmark = pytest.mark.e2e

EARLY = ["database server", "production with a shop", "capture", "build the workload"]
LATE = [
    "snapshot of production",
    "clone",
    "checkouts, one by one",
    "calibration",
    "load stage smoke",
]
# Right at a step's end, and within the next one, each at another point of it.
LATER_S = [0.3, 1.2, 0.1, 0.05, 2.5, 0.7, 0.4, 2.5, 6.0]
MOMENTS = [
    (moment, delay_s)
    for moment, later_s in zip(EARLY + LATE, LATER_S, strict=True)
    for delay_s in (0.0, later_s)
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all demos of this module, so that the shop is loaded once."""
    return tmp_path_factory.mktemp("demo")


@pytest.mark.long
def test_after_a_stage_that_failed(place: Path) -> None:
    demo = DemoProcess(place)
    demo.wait_for("load stage smoke")
    time.sleep(2)
    os.kill(worker_of(demo), signal.SIGKILL)
    assert demo.end() == 3, demo.output
    assert "Load worker 0 ended before its report (signal 9)" in demo.output
    assert_nothing_left(place)


def test_after_ctrl_c(place: Path) -> None:
    interrupt_at(place, "production with a shop", times=1)


@pytest.mark.long  # most of a demo; the kill below is as hard, and runs each time
def test_after_ctrl_c_twice(place: Path) -> None:
    interrupt_at(place, "load stage smoke", times=2)


@pytest.mark.long
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(("moment", "delay_s"), MOMENTS)
def test_after_ctrl_c_at_any_moment(place: Path, moment: str, times: int, delay_s: float) -> None:
    interrupt_at(place, moment, times=times, delay_s=delay_s)


def test_after_kill_9_of_the_coordinator(place: Path) -> None:
    kill_at(place, "load stage smoke", delay_s=2.0)
    following = DemoProcess(place)
    following.wait_for("removed what an earlier demo left")
    following.process.send_signal(signal.SIGTERM)
    assert following.end() == 5, following.output
    assert_nothing_left(place)


@pytest.mark.long
@pytest.mark.parametrize(("moment", "delay_s"), MOMENTS)
def test_after_kill_9_at_any_moment(place: Path, moment: str, delay_s: float) -> None:
    kill_at(place, moment, delay_s=delay_s)
    leftovers.clean(place / ".local" / "demo")
    assert_nothing_left(place)


def test_a_second_demo_is_refused_with_the_pid_that_holds_the_lock(place: Path) -> None:
    first = DemoProcess(place)
    first.wait_for("database server")
    second = DemoProcess(place)
    assert second.end() == 2
    assert str(first.process.pid) in second.output
    first.process.send_signal(signal.SIGINT)
    assert first.end() == 5
    assert_nothing_left(place)


def interrupt_at(place: Path, moment: str, *, times: int, delay_s: float = 0.5) -> None:
    demo = DemoProcess(place)
    demo.wait_for(moment)
    time.sleep(delay_s)
    for _ in range(times):
        demo.process.send_signal(signal.SIGINT)
        time.sleep(0.2)
    assert demo.end(timeout_s=30) == 5, demo.output
    assert "Interrupted. Nothing is left running." in demo.output
    assert_nothing_left(place)


def kill_at(place: Path, moment: str, *, delay_s: float) -> None:
    demo = DemoProcess(place)
    demo.wait_for(moment)
    time.sleep(delay_s)
    demo.process.kill()
    demo.end(timeout_s=10)
    assert wait_until_none(place) == []
    assert_lock_is_free(place)
    assert [line for line in leftovers.find(place / ".local" / "demo") if "folder" in line] == []


def worker_of(demo: DemoProcess) -> int:
    """The pid of the demo's load worker, a child of its Airflow."""
    for child in children_of(demo.process.pid):
        for pid in children_of(child):
            if b"readiness.worker" in Path(f"/proc/{pid}/cmdline").read_bytes():
                return pid
    raise AssertionError("the demo has no load worker now")


def children_of(pid: int) -> list[int]:
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

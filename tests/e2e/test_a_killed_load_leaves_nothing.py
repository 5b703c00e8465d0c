"""kill -9 and SIGSTOP of `readiness load` and of its workers: in seconds nothing runs any more, here or
on the server, and the exit code says that nothing was measured."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.fakes.load_commands import LoadCommands, end, is_running, until, workers_of

from readiness.adapters.local_server import LocalServer
from readiness.load.coordinator import SILENCE_S

pytestmark = [pytest.mark.e2e, pytest.mark.mysql, pytest.mark.long]

STOPPED_WITHIN_S = 2.0
LOST = 3  # the exit code of a load that lost a worker


@pytest.fixture(scope="module")
def commands(private_server: LocalServer, tmp_path_factory: pytest.TempPathFactory) -> LoadCommands:
    return LoadCommands(private_server, tmp_path_factory.mktemp("load"))


@pytest.fixture
def load(commands: LoadCommands, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A load of two workers that is under way: checkouts of 300 ms, 30 a second."""
    before = commands.rows()
    process = commands.start(
        *("load", "--target", commands.target, "--workload", "checkout.sql", "--rate", 30),
        *("--duration", 60, "--statement-pause", 100, "--workers", 2, "-o", tmp_path / "run"),
    )
    try:
        commands.rows_come(process, above=before)
        time.sleep(1)
        yield process
    finally:
        end(process)


def seconds_until(holds: Callable[[], bool], what: str) -> float:
    begun = time.monotonic()
    until(holds, what)
    return time.monotonic() - begun


def assert_nothing_is_left(commands: LoadCommands, workers: list[int]) -> None:
    assert not any(map(is_running, workers))
    until(lambda: not commands.connections(), "the server sees them go", within_s=1)
    assert commands.open_transactions() == 0


def test_a_killed_command_stops_the_load(
    load: subprocess.Popen[str], commands: LoadCommands, tmp_path: Path
) -> None:
    workers = workers_of(load)
    load.kill()
    took_s = seconds_until(lambda: not any(map(is_running, workers)), "the workers end")
    load.communicate(timeout=10)
    assert (len(workers), took_s < STOPPED_WITHIN_S) == (2, True), took_s
    assert_nothing_is_left(commands, workers)
    assert not (tmp_path / "run" / "verdict.json").exists()


@pytest.mark.parametrize(
    ("how", "said", "within_s"),
    [
        (signal.SIGKILL, "(signal 9)", STOPPED_WITHIN_S),
        # Five seconds more for the other worker, and the frozen one is killed.
        (signal.SIGSTOP, f"said nothing for {SILENCE_S:g} s", SILENCE_S + 5),
    ],
)
def test_a_lost_worker_ends_the_load(
    load: subprocess.Popen[str], commands: LoadCommands, how: int, said: str, within_s: float
) -> None:
    workers = workers_of(load)
    os.kill(workers[0], how)
    took_s = seconds_until(lambda: not any(map(is_running, workers)), "the workers end")
    _, err = load.communicate(timeout=30)
    assert (load.returncode, said in err) == (LOST, True), err
    assert took_s < within_s
    assert_nothing_is_left(commands, workers)

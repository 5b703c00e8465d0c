"""One run at a time: the lock names its holder, and dies with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from readiness.artifacts.lock import RunLock
from readiness.errors import Busy

HOLDER = """
import sys, time
from pathlib import Path
from readiness.artifacts.lock import RunLock
with RunLock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_taken_lock_names_the_pid_that_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "state" / "run.lock"
    with RunLock(path), pytest.raises(Busy, match=f"process {os.getpid()}"):
        RunLock(path).acquire()


def test_a_lock_is_free_and_its_file_gone_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "run.lock"
    with RunLock(path):
        assert path.read_text() == f"{os.getpid()}\n"
    assert not path.exists()
    with RunLock(path):
        assert path.exists()


def test_a_lock_is_freed_by_an_error(tmp_path: Path) -> None:
    path = tmp_path / "run.lock"
    with pytest.raises(KeyboardInterrupt), RunLock(path):
        raise KeyboardInterrupt
    RunLock(path).acquire()


def test_releasing_twice_does_not_take_the_lock_of_the_next(tmp_path: Path) -> None:
    path = tmp_path / "run.lock"
    first = RunLock(path)
    first.acquire()
    first.release()
    with RunLock(path):
        first.release()
        with pytest.raises(Busy):
            RunLock(path).acquire()


def test_a_killed_holder_locks_nobody_out(tmp_path: Path) -> None:
    path = tmp_path / "run.lock"
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=_environment()) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(Busy, match=f"process {holder.pid}"):
            RunLock(path).acquire()
        holder.send_signal(signal.SIGKILL)
    assert path.exists()
    with RunLock(path):
        assert path.read_text() == f"{os.getpid()}\n"


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}

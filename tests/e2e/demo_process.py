"""A demo as a process: started in a folder, watched by what it prints, ended in all ways."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

from readiness.adapters import leftovers
from readiness.artifacts.lock import RunLock

PLANS = Path(__file__).parent / "plans"


class DemoProcess:
    """`python -m readiness.demo` with the state in `folder`/.local; lines are read as they come."""

    def __init__(self, folder: Path, plan: str = "short") -> None:
        self.folder = folder
        self.lines: list[str] = []
        self._new: queue.Queue[str | None] = queue.Queue()
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "readiness.demo", "--plan", str(PLANS / f"{plan}.yaml")],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        threading.Thread(target=self._read, daemon=True).start()

    def wait_for(self, text: str, timeout_s: float = 120.0) -> None:
        """Waits until a line holds `text`; fails when the demo ends first."""
        deadline = time.monotonic() + timeout_s
        while not any(text in line for line in self.lines):
            line = self._new.get(timeout=max(deadline - time.monotonic(), 0.01))
            assert line is not None, f"the demo ended before it said {text!r}:\n{self.output}"
            self.lines.append(line)

    def end(self, timeout_s: float = 180.0) -> int:
        """Waits for the end; its exit code."""
        code = self.process.wait(timeout_s)
        while (line := self._new.get(timeout=10)) is not None:
            self.lines.append(line)
        return code

    @property
    def output(self) -> str:
        """All it has printed so far."""
        return "".join(self.lines)

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as output:
            for line in output:
                self._new.put(line)
        self._new.put(None)


def processes_of(folder: Path) -> list[str]:
    """Every process that works in `folder` or names it, but this one."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                place = str((entry / "cwd").readlink())
            except OSError:
                continue  # it ended meanwhile
            if str(folder) in place or str(folder) in command:
                found.append(f"{entry.name} {command}")
    return found


def wait_until_none(folder: Path, within_s: float = 6.0) -> list[str]:
    """The processes of `folder` that are still there after `within_s` seconds."""
    deadline = time.monotonic() + within_s
    while (found := processes_of(folder)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def assert_nothing_left(place: Path) -> None:
    """No process, no socket folder, no clone, and the lock is free."""
    assert wait_until_none(place) == []
    assert leftovers.find(place / ".local" / "demo") == []
    assert_lock_is_free(place)


def assert_lock_is_free(place: Path) -> None:
    """Another demo may begin."""
    with RunLock(place / ".local" / "demo" / "lock"):
        pass

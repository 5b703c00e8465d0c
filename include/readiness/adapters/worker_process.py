"""A load worker as a process of its own: `python -m readiness.worker`, commands on its stdin."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

import readiness
from readiness.errors import WorkerLost
from readiness.load.messages import Job, encode

_LIVING: weakref.WeakSet[ChildWorker] = weakref.WeakSet()


def kill_all() -> None:
    """Ends every worker that this process has started, at once; safe in a signal handler."""
    for worker in list(_LIVING):
        worker.kill()


class ChildWorker:
    """`ports.WorkerProcess` over a child in a session of its own, so that a terminal's Ctrl-C
    reaches only the coordinator; the child ends when its stdin does."""

    def __init__(self, job: Job, *, log: Path) -> None:
        self._log = log
        self._lock = threading.Lock()  # heartbeats and commands come from two threads
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "readiness.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
                env=_environment(),
            )
        self._stdin = cast("IO[bytes]", self._process.stdin)
        self._stdout = cast("IO[bytes]", self._process.stdout)
        _LIVING.add(self)
        self.send(encode(job.to_json()))

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def lines(self) -> Iterator[bytes]:
        """Each line it writes, until it closes its output."""
        with self._stdout as output:
            yield from output

    def send(self, line: bytes) -> None:
        """Hands it one line; raises WorkerLost when it is gone."""
        with self._lock:
            try:
                self._stdin.write(line + b"\n")
                self._stdin.flush()
            except (OSError, ValueError) as error:
                raise WorkerLost(
                    f"The load worker with pid {self.pid} takes no more commands.",
                    hint=f"What it wrote last stands in {self._log}.",
                ) from error

    def close_input(self) -> None:
        """Tells it that no command follows; it stops within 2 s."""
        with self._lock, contextlib.suppress(OSError):
            self._stdin.close()

    def kill(self) -> None:
        """Ends it at once; nothing when it has ended."""
        self._process.kill()

    def wait(self, timeout_s: float) -> int | None:
        """Its exit code, or None when it still runs after `timeout_s` seconds."""
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def log_path(self) -> str:
        """The file that holds its stderr."""
        return str(self._log)


def _environment() -> dict[str, str]:
    """The parent's, and this very package first, wherever the parent found it."""
    package = str(Path(readiness.__file__).parent.parent)
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH", "")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUNBUFFERED": "1"}

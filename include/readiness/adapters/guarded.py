"""Starts programs that die with this process, through `guardian.py`."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from readiness.adapters import guardian
from readiness.errors import ServerError


@dataclass(slots=True)
class Guarded:
    """A running program and its guardian. The program lives while `pipe` is open here."""

    guardian: subprocess.Popen[bytes]
    pid: int
    pipe: int

    def exit_code(self) -> int | None:
        """The program's exit code (128 + signal); None while it runs."""
        return self.guardian.poll()

    def terminate(self) -> None:
        """Asks the program to end (SIGTERM)."""
        self.guardian.terminate()

    def kill(self) -> None:
        """Ends the program at once; returns when it and its temporary folder are gone."""
        self._let_go()
        self.guardian.wait()

    def wait(self, timeout_s: float) -> int | None:
        """The exit code; None when the program outlives `timeout_s` seconds."""
        try:
            code = self.guardian.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None
        self._let_go()
        return code

    def _let_go(self) -> None:
        if self.pipe >= 0:
            os.close(self.pipe)
            self.pipe = -1


def start_guarded(
    command: list[str],
    *,
    error_log: Path,
    folder: str = "-",
    home: Path = Path(),
    stdin: bytes = b"",
) -> Guarded:
    """Starts `command`; its output goes to the end of `error_log`. `folder` is made for it, with a
    note that it belongs to `home`, and goes when the program ends."""
    watched, kept = os.pipe()
    script = [sys.executable, "-I", "-S", guardian.__file__, str(watched), str(os.getpid())]
    with error_log.open("ab") as log:
        started = subprocess.Popen(
            [*script, folder, str(home), "--", *command],
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            pass_fds=(watched,),
            start_new_session=True,
        )
    os.close(watched)
    running = Guarded(started, 0, kept)
    try:
        running.pid = _pid_of(started)
        _feed(started, stdin)
    except BaseException:
        running.kill()
        raise
    return running


def run_guarded(command: list[str], *, error_log: Path) -> int:
    """Runs `command` to its end, however long it takes; its exit code (128 + signal)."""
    running = start_guarded(command, error_log=error_log)
    try:
        return running.guardian.wait()
    finally:
        running.kill()


def _pid_of(started: subprocess.Popen[bytes]) -> int:
    if started.stdout is None:
        raise ServerError("The guardian of a private server has no output.")
    with started.stdout as answer:
        line = answer.readline()
    if not line.strip().isdigit():
        raise ServerError("The guardian of a private server died at once.")
    return int(line)


def _feed(started: subprocess.Popen[bytes], data: bytes) -> None:
    if started.stdin is None:
        return
    try:
        with started.stdin as pipe:
            pipe.write(data)
    except BrokenPipeError:
        return  # the program ended early: its exit code and log say why

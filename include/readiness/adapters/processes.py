"""Processes told apart for certain: by pid and start time, so that a reused pid is another one."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """One process of this boot. `started_ticks` is field 22 of /proc/PID/stat."""

    pid: int
    started_ticks: int


def identify(pid: int) -> ProcessIdentity | None:
    """Who has this pid now; None when nobody has, or only a zombie."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text("latin-1")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the name may hold spaces and brackets
    return None if fields[0] in {"Z", "X"} else ProcessIdentity(pid, int(fields[19]))


def is_alive(process: ProcessIdentity) -> bool:
    """True while exactly this process runs."""
    return identify(process.pid) == process


def command_line(pid: int) -> list[str]:
    """The process's arguments; [] when it is gone or hides them."""
    try:
        raw = (_PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return []
    return [part.decode("utf-8", "surrogateescape") for part in raw.split(b"\0") if part]


def all_pids() -> Iterator[int]:
    """Every pid there is now."""
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            yield int(entry.name)


def end(process: ProcessIdentity, *, grace_s: float) -> bool:
    """SIGTERM, then SIGKILL after `grace_s` seconds (0: at once). True when it was alive."""
    if not is_alive(process):
        return False
    if grace_s > 0:
        _signal(process, signal.SIGTERM)
        if wait_gone(process, timeout_s=grace_s):
            return True
    _signal(process, signal.SIGKILL)
    wait_gone(process, timeout_s=10)
    return True


def end_all(
    processes: Iterable[ProcessIdentity],
    *,
    grace_s: float,
    first: signal.Signals = signal.SIGTERM,
) -> None:
    """Sends `first` to all at once, and SIGKILL to those that live on after `grace_s` seconds."""
    asked = list(processes)
    for process in asked:
        _signal(process, first)
    deadline = time.monotonic() + grace_s
    for process in asked:
        wait_gone(process, timeout_s=max(deadline - time.monotonic(), 0))
    for process in asked:
        end(process, grace_s=0)


def wait_gone(process: ProcessIdentity, *, timeout_s: float) -> bool:
    """True as soon as the process is gone, False when it outlives `timeout_s` seconds."""
    deadline = time.monotonic() + timeout_s
    while is_alive(process):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _signal(process: ProcessIdentity, number: signal.Signals) -> None:
    """Signals through a pidfd opened before the identity check: never hits a reused pid."""
    try:
        fd = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return
    try:
        if is_alive(process):
            signal.pidfd_send_signal(fd, number)
    except ProcessLookupError:
        return
    finally:
        os.close(fd)

"""Locks that outlive the process that took them: a file names the holder and until when it holds.

For runs whose tasks are processes of their own, one after the other; `lock.RunLock` is for one process.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from readiness.artifacts import json_files
from readiness.artifacts.forms import reading
from readiness.errors import Busy

VERSION = 1


@dataclass(frozen=True, slots=True)
class Held:
    """Who holds a lock, what for, and until when (seconds since the epoch)."""

    owner: str
    what: str
    until: float


class LeaseLocks:
    """The locks of one folder, by name; every operation is one step for all processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def take(self, name: str, held: Held, *, now_s: float) -> None:
        """Takes the lock, or moves its end when `held.owner` has it. A holder whose lease ended is
        taken over. Raises Busy naming the holder."""
        with self._alone():
            there = self._read(name)
            if there and there.owner != held.owner and there.until > now_s:
                raise _busy(there)
            json_files.write_json(self._path(name), asdict(held), version=VERSION)

    def renew(self, name: str, owner: str, *, until: float) -> None:
        """Moves the end to `until`; a later end stays. Raises Busy when another holds it now."""
        with self._alone():
            there = self._read(name)
            if there is None or there.owner != owner:
                raise _busy(there) if there else _lost(name)
            held = Held(owner, there.what, max(there.until, until))
            json_files.write_json(self._path(name), asdict(held), version=VERSION)

    def release(self, name: str, owner: str) -> bool:
        """Frees the lock if `owner` has it; True when it had."""
        with self._alone():
            there = self._read(name)
            if there is None or there.owner != owner:
                return False
            self._path(name).unlink(missing_ok=True)
            return True

    def holder(self, name: str) -> Held | None:
        """Who has the lock, or had it when the lease ended; None when nobody has."""
        with self._alone():
            return self._read(name)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True)
        guard = os.open(self.folder / ".guard", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(guard, fcntl.LOCK_EX)
            yield
        finally:
            os.close(guard)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def _read(self, name: str) -> Held | None:
        path = self._path(name)
        if not path.exists():
            return None
        content = json_files.read_json(path, version=VERSION)
        with reading(path):
            return Held(**content)


def _busy(there: Held) -> Busy:
    until = datetime.fromtimestamp(there.until, tz=UTC)
    return Busy(
        f"Another run uses {there.what}: {there.owner}.",
        hint=f"Wait for it to end. If it is gone, its lock ends at {until:%Y-%m-%d %H:%M} UTC.",
    )


def _lost(name: str) -> Busy:
    return Busy(
        f"This run does not hold the lock {name} any more: its lease ended.",
        hint="Start a new run.",
    )

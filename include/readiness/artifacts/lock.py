"""A run lock on one file: one holder, named by its pid, freed by the kernel however it ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path
from types import TracebackType

from readiness.errors import Busy


class RunLock:
    """`with RunLock(path):` holds the file's flock; taken by another raises Busy with its pid.

    The file holds the pid and is removed at the end. The lock dies with its process (kill -9
    included), so a file that is left over locks nobody out. Not inherited by programs started."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None

    def acquire(self) -> None:
        """Takes the lock at once or raises Busy."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        while self._fd is None:
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.pread(fd, 32, 0).decode("ascii", "replace").strip()
                os.close(fd)
                raise self._busy(holder) from None
            if self._is_still_the_file(fd):
                self._fd = fd
            else:
                os.close(fd)  # its holder removed it between our open and our flock
        os.ftruncate(self._fd, 0)
        with contextlib.suppress(OSError):  # a full disk locks nobody out: the kernel has the lock
            os.pwrite(self._fd, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Removes the file and frees the lock; releasing twice is releasing once."""
        if self._fd is None:
            return
        self.path.unlink(missing_ok=True)
        os.close(self._fd)
        self._fd = None

    def _is_still_the_file(self, fd: int) -> bool:
        try:
            return os.path.samestat(os.fstat(fd), self.path.stat())
        except FileNotFoundError:
            return False

    def _busy(self, holder: str) -> Busy:
        return Busy(
            f"Another run holds {self.path}: process {holder or 'unknown'}.",
            hint=f"Wait for it, or end it:  kill {holder}" if holder else "Wait for it to end.",
        )

    def __enter__(self) -> RunLock:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

"""Copies a datadir that no server has open, and holds the server's own lock while it copies."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from readiness.adapters.guarded import start_guarded
from readiness.adapters.server_state import server_processes_of
from readiness.errors import CloneError

_SYSTEM_TABLESPACE = "ibdata1"


@contextmanager
def closed_datadir(datadir: Path) -> Iterator[None]:
    """Keeps servers out of `datadir` meanwhile. Raises CloneError when one has it open: a copy of
    an open datadir is torn."""
    for process, _ in server_processes_of(datadir):
        raise _open_error(datadir, f" (process {process.pid})")
    try:
        file = (datadir / _SYSTEM_TABLESPACE).open("r+b")
    except OSError as error:
        raise CloneError(f"{datadir} is no datadir we may read: {error.strerror}.") from error
    with file:
        try:
            # InnoDB takes the same POSIX lock. Nobody else here may open and close this file
            # before the copy is done: closing any handle of it would free the lock.
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            raise _open_error(datadir, "") from None
        yield


def copy_tree(source: Path, destination: Path, *, log: Path) -> None:
    """Copies a folder with owners, modes and times, sharing blocks where the file system can.

    `destination` must not exist. The copying process dies with this one. Raises CloneError."""
    command = ["cp", "-a", "--reflink=auto", "--", str(source), str(destination)]
    running = start_guarded(command, error_log=log)
    try:
        code = running.guardian.wait()
    finally:
        running.kill()
    if code != 0:
        said = log.read_text("utf-8", "replace").splitlines()[-1:] or [f"cp ended with {code}"]
        raise CloneError(
            f"The copy to {destination} failed: {said[0]}", hint="Check rights and free space."
        )


def _open_error(datadir: Path, who: str) -> CloneError:
    return CloneError(
        f"A server has {datadir} open{who}: a copy would be torn.",
        hint="Stop it first:  readiness server stop --dir DIR",
    )

"""Copies a datadir that no server has open, and holds the server's own lock while it copies."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from readiness.adapters.guarded import run_guarded
from readiness.adapters.server_room import disk_full
from readiness.adapters.server_state import server_processes_of
from readiness.clones.datadir import SYSTEM_TABLESPACE
from readiness.clones.manifest import TreeSize, size_of
from readiness.errors import CloneError, ReadinessError


@contextmanager
def closed_datadir(datadir: Path) -> Iterator[None]:
    """Keeps servers out of `datadir` meanwhile. Raises CloneError when one has it open: a copy of
    an open datadir is torn."""
    for process, _ in server_processes_of(datadir):
        raise _open_error(datadir, f" (process {process.pid})")
    try:
        file = (datadir / SYSTEM_TABLESPACE).open("r+b")
    except OSError as error:
        raise CloneError(
            f"{datadir} is no datadir we may read: {error.strerror}.",
            hint="Name the folder of a private server, a datadir, or mysql://… of a server here.",
        ) from error
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

    `destination` must not exist. The copying process dies with this one. Raises CloneError, and
    ServerError when the disk is full."""
    command = ["cp", "-a", "--reflink=auto", "--", str(source), str(destination)]
    code = run_guarded(command, error_log=log)
    if code != 0:
        raise _failure(code, source, destination, log)


def require_unchanged(source: Path, before: TreeSize) -> None:
    """Raises CloneError when a file of `source` came, went, grew or was written since `before`: the
    lock keeps servers out, not people."""
    if size_of(source) != before:
        raise CloneError(
            f"Files of {source} changed while they were copied: the copy would be torn.",
            hint="See who writes there, and take the snapshot again.",
        )


def _failure(code: int, source: Path, destination: Path, log: Path) -> ReadinessError:
    said = log.read_text("utf-8", "replace").splitlines()[-1:] or [f"cp ended with {code}"]
    if "No space left on device" in said[0]:
        return disk_full(destination.parent, size_of(source).bytes, what=f"a copy of {source}")
    return CloneError(
        f"The copy to {destination} failed: {said[0]}", hint="Check rights and free space."
    )


def _open_error(datadir: Path, who: str) -> CloneError:
    return CloneError(
        f"A server has {datadir} open{who}: a copy would be torn.",
        hint="Stop it first:  readiness server stop --dir DIR\n"
        "or name the running server:  mysql://user@localhost/?socket=/path&password_file=FILE",
    )

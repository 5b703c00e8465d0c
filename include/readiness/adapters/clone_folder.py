"""The folder of a clone: filled from a snapshot, and removed, by whatever hands at once."""

from __future__ import annotations

import contextlib
import shutil
import time
from pathlib import Path

from readiness.adapters.cold_copy import copy_tree
from readiness.adapters.processes import end, is_alive
from readiness.adapters.server_state import (
    remove_temporary_folder,
    server_processes_of,
    temporary_folders_of,
)
from readiness.clones import lifecycle, manifest
from readiness.errors import CloneError
from readiness.model.clone import Snapshot

_PATIENCE_S = 10.0


def fill(directory: Path, snapshot: Snapshot) -> None:
    """Copies the snapshot's data into the clone's folder, without what belongs to the server it came
    from. `data/` appears whole or not at all. Raises CloneError."""
    wanted = manifest.read_manifest(Path(snapshot.path))
    partial = directory / "data.partial"
    remove_tree(partial)
    copy_tree(Path(snapshot.path) / "data", partial, log=directory / "copy.log")
    copied = manifest.size_of(partial)
    if (copied.files, copied.bytes) != (wanted.files, wanted.bytes):
        raise CloneError(
            f"Snapshot {snapshot.name} is not what its manifest says.", hint="Take it again."
        )
    for path in lifecycle.not_carried(partial):
        path.unlink()
    # Its lines are of the server before: those of the first start judge the copy.
    (directory / "error.log").unlink(missing_ok=True)
    partial.rename(directory / "data")


def end_processes(directory: Path) -> None:
    """Ends the servers that run on the folder, also those whose state file says nothing, and removes
    their socket folders. Raises CloneError for one that stays."""
    for process, _ in list(server_processes_of(directory)):
        try:
            end(process, grace_s=0)
        except PermissionError:
            raise _stays(directory, process.pid) from None
        if is_alive(process):
            raise _stays(directory, process.pid)
    for folder, _ in temporary_folders_of(directory):
        remove_temporary_folder(str(folder))


def remove(directory: Path) -> bool:
    """Removes a clone's folder, its record last: what is killed half way through is still listed.

    False when there was none. Raises CloneError when something of it stays."""
    if not directory.exists():
        return False
    try:
        for entry in _entries(directory):
            if entry.name not in {lifecycle.RECORD_FILE, lifecycle.RECORD_FILE + ".partial"}:
                remove_tree(entry)
        # Folder and record go at once: an empty folder would be nobody's, for ever.
        gone = directory.with_name(directory.name + lifecycle.NEW_SUFFIX)
        remove_tree(gone)
        with contextlib.suppress(FileNotFoundError):  # another hand was faster
            directory.rename(gone)
        remove_tree(gone)
    except PermissionError as error:
        raise _not_ours(directory, error) from None
    except OSError as error:
        raise CloneError(
            f"{directory.name} could not be removed: {error.strerror}: {error.filename}.",
            hint=f"Look at what holds it, then:  readiness clone destroy {directory.name}",
        ) from error
    return True


def remove_tree(path: Path) -> None:
    """Removes a file or folder, also while others remove from it or still write into it."""
    deadline = time.monotonic() + _PATIENCE_S
    while path.is_symlink() or path.exists():
        try:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        except PermissionError:
            raise
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _entries(directory: Path) -> list[Path]:
    try:
        return list(directory.iterdir())
    except FileNotFoundError:
        return []


def _not_ours(directory: Path, error: PermissionError) -> CloneError:
    try:
        owner = directory.owner()
    except (OSError, KeyError):
        owner = "another user"
    return CloneError(
        f"{directory.name} could not be removed: this user may not delete {error.filename},"
        f" and the clone's folder belongs to {owner}.",
        hint=f"As {owner}:  readiness clone destroy {directory.name}",
    )


def _stays(directory: Path, pid: int) -> CloneError:
    return CloneError(
        f"The server of {directory.name}, process {pid}, could not be ended.",
        hint=f"As the user that owns it:  kill -9 {pid}",
    )

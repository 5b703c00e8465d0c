"""Finds and removes what a killed run left behind: servers, socket folders, clones, half copies.

A running server counts unless another living process owns it: detached servers and this process's
own do count, so that `find` at the end of a run shows what the run itself forgot. Give it
only folders of runs, and `clean` only under the run lock.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from readiness.adapters.local_snapshots import LocalSnapshots
from readiness.adapters.processes import ProcessIdentity, end
from readiness.adapters.server_state import (
    ServerState,
    read_state,
    remove_temporary_folder,
    server_processes_of,
    temporary_folders_of,
)
from readiness.clones.janitor import Half
from readiness.clones.lifecycle import NEW_SUFFIX


def find(state_dir: Path) -> list[str]:
    """One line for each thing of a run under `state_dir` that should be gone by now."""
    return [
        *(f"server process {process.pid} of {home}" for process, home in _servers(state_dir)),
        *(f"temporary folder {folder}" for folder in _socket_folders(state_dir)),
        *(f"clone {path.name}" for path in _clones(state_dir)),
        *(f"half copy {path}" for path in _half_copies(state_dir)),
    ]


def clean(state_dir: Path) -> list[str]:
    """Ends and removes all that `find` finds; returns its lines. Complete snapshots and the data of
    servers that are no clones stay."""
    found = find(state_dir)
    for process, _ in _servers(state_dir):
        end(process, grace_s=0)
    for folder in _socket_folders(state_dir):
        remove_temporary_folder(str(folder))
    for path in [*_clones(state_dir), *_half_copies(state_dir)]:
        shutil.rmtree(path)
    return found


def half_made(state_dir: Path) -> list[Half]:
    """Snapshots and clones of which not even the record is whole, also those that are being made."""
    now_s = time.time()
    found = [
        Half(f"snapshot {half.name}", str(half.path), now_s - half.age_s, half.is_alive)
        for half in LocalSnapshots(state_dir).half()
    ]
    for path in sorted(state_dir.glob(f"clones/*{NEW_SUFFIX}")):
        with contextlib.suppress(FileNotFoundError):  # it is whole by now, or gone
            found.append(Half(f"clone {path.stem}", str(path), path.stat().st_mtime))
    return found


def _servers(state_dir: Path) -> list[tuple[ProcessIdentity, Path]]:
    pairs = ((p, datadir.parent) for p, datadir in server_processes_of(state_dir))
    return [(p, home) for p, home in pairs if not _is_in_use(home)]


def _socket_folders(state_dir: Path) -> list[Path]:
    return [f for f, home in temporary_folders_of(state_dir) if not _is_in_use(home)]


def _clones(state_dir: Path) -> list[Path]:
    found = (path for path in sorted(state_dir.glob("**/clones/*")) if path.is_dir())
    return [path for path in found if not _is_in_use(path)]


def _half_copies(state_dir: Path) -> Iterator[Path]:
    for pattern in ("snapshots/*.partial", "*/data.partial"):
        yield from sorted(state_dir.glob(pattern))


def _is_in_use(home: Path) -> bool:
    """True while the server there runs and another living process answers for it."""
    state: ServerState | None = read_state(home)
    if state is None or not state.is_running:
        return False
    return state.has_living_owner and state.owner_pid != os.getpid()

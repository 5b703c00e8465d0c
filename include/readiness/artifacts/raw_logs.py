"""Raw logs that this machine keeps: which there are, and since when.

All files of the captures folders are raw logs. One that was fetched to another place is noted in the
state folder, so that it is deleted in time too; a file that is no longer the one that was written
there is nobody's to delete.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readiness.artifacts import json_files
from readiness.artifacts.forms import reading
from readiness.errors import ArtifactError

VERSION = 1


@dataclass(frozen=True, slots=True)
class RawLog:
    """A file with captured values: where it came from, its bytes, and when it was written (seconds
    since the epoch). `doubt` says why it must not be deleted ("": it may)."""

    path: Path
    origin: str
    size_bytes: int
    written_at: float
    doubt: str = ""


class RawLogs:
    """The raw logs of the captures folder, those that demos recorded in the state folder, and those
    noted there."""

    def __init__(self, state: Path, captures: Path) -> None:
        self._state = state
        self._folders = {
            state / "captures": "recorded by the demo",
            state / "demo" / "captures": "recorded by the demo",
            captures: "captures folder",
        }

    def remember(self, path: Path, origin: str) -> None:
        """Notes a file that was just written. Raises ArtifactError."""
        path = path.absolute()
        made = {"path": str(path), "origin": origin, **_identity(path)}
        json_files.write_json(self._note(path), made, version=VERSION)

    def found(self) -> list[RawLog]:
        """All that are there, by path. Raises ArtifactError for a broken note."""
        logs = [*self._in_folders(), *self._noted()]
        return sorted({log.path: log for log in logs}.values(), key=lambda log: log.path)

    def delete(self, log: RawLog) -> None:
        """Removes the file and its note. Raises OSError."""
        log.path.unlink(missing_ok=True)
        self._note(log.path).unlink(missing_ok=True)

    def _in_folders(self) -> Iterator[RawLog]:
        for folder, origin in self._folders.items():
            for path in sorted(folder.rglob("*")):
                if path.is_symlink() or path.is_file():
                    yield _as_found(path.absolute(), origin)

    def _noted(self) -> Iterator[RawLog]:
        for note in sorted((self._state / "raw-logs").glob("*.json")):
            content = json_files.read_json(note, version=VERSION)
            with reading(note):
                path = Path(content["path"])
                if os.path.lexists(path):
                    yield _as_found(path, content["origin"], content)

    def _note(self, path: Path) -> Path:
        name = hashlib.sha256(os.fsencode(path.absolute())).hexdigest()[:16]
        return self._state / "raw-logs" / f"{name}.json"


def _identity(path: Path) -> dict[str, int]:
    try:
        stat = path.lstat()
    except OSError as error:
        raise ArtifactError(f"{path} cannot be noted: {error.strerror}.") from None
    return {"inode": stat.st_ino, "size_bytes": stat.st_size, "modified_ns": stat.st_mtime_ns}


def _as_found(path: Path, origin: str, noted: dict[str, Any] | None = None) -> RawLog:
    stat, doubt = path.lstat(), ""
    if path.is_symlink():
        doubt = "is a link: what it leads to is not ours"
    elif noted and any(noted[name] != value for name, value in _identity(path).items()):
        doubt = "is another file than the one that was written there"
    return RawLog(path, origin, stat.st_size, stat.st_mtime, doubt)

"""The mail between a stage's coordinator and its shards: files of the shared run folder.

    shards/STAGE/TRY/to-K.ndjson      coordinator → worker K
    shards/STAGE/TRY/from-K.ndjson    worker K → coordinator
    shards/STAGE/over                 no try follows

One JSON object a line, one writer a file. Each line is one append to a file opened for it, and each
look opens the file anew: that is when a directory shared over a network shows what others wrote.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readiness.artifacts.atomic import naming
from readiness.load.messages import encode
from readiness.model.load import SHARDS_MEET_WITHIN_S

SHARDS = "shards"  # of the run folder
POLL_S = 0.05
BEAT_S = 0.5
CLOCKS_APART_S = 0.05


@dataclass(frozen=True, slots=True)
class Patience:
    """How long each side waits for the other. `margin_s` must lie ahead of a start, so that a worker
    that is told of it is never late."""

    come_within_s: float = SHARDS_MEET_WITHIN_S
    coordinator_silent_s: float = 3.0
    shard_silent_s: float = 4.0
    margin_s: float = 0.05


PATIENCE = Patience()


class Sheet:
    """A file of lines that this process alone writes. Every method raises OSError."""

    def __init__(self, path: Path) -> None:
        """Makes the file; FileExistsError when another has."""
        self._path = path
        self._lock = threading.Lock()
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644))

    def add(self, line: bytes) -> None:
        """Adds one line; the newline comes with it."""
        data = memoryview(line + b"\n")
        with self._lock:
            # Never made anew: mail that was thrown away stays away.
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
            try:
                while data:
                    data = data[os.write(descriptor, data) :]
            finally:
                os.close(descriptor)

    def say(self, message: Mapping[str, Any]) -> None:
        """Adds one message."""
        self.add(encode(message))


class Tail:
    """The whole lines that a file has got since the last look."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_bytes = 0

    def new_lines(self) -> list[bytes]:
        """A last line without its end waits for it. A file that cannot be read says nothing: who
        waits for it gives up by the clock."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._read_bytes)
                data = file.read()
        except OSError:
            return []
        whole, newline, _rest = data.rpartition(b"\n")
        self._read_bytes += len(whole) + len(newline)
        return whole.split(b"\n") if newline else []


class StagePost:
    """The mail of one stage, in `folder`; each try of the stage has a box of its own.

    Writing raises ArtifactError naming the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def stage(self) -> str:
        """The stage's name."""
        return self._folder.name

    def open(self) -> None:
        """Says that tries will follow."""
        with naming(self._folder, "written"):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._over.unlink(missing_ok=True)

    def new_box(self) -> Path:
        """An empty folder for the next try."""
        newest = self.newest_box()
        box = self._folder / str(int(newest.name) + 1 if newest else 1)
        with naming(box, "written"):
            box.mkdir()
        return box

    def newest_box(self) -> Path | None:
        """The folder of the latest try; None when there is none."""
        if not self._folder.is_dir():
            return None
        boxes = [entry for entry in self._folder.iterdir() if entry.name.isdigit()]
        return max(boxes, key=lambda box: int(box.name), default=None)

    def close(self) -> None:
        """Says that no try follows."""
        with naming(self._over, "written"):
            self._over.touch()

    @property
    def is_over(self) -> bool:
        """Whether no try follows."""
        return self._over.exists()

    def forget(self) -> None:
        """Removes all mail of the stage: what an earlier run of it left says nothing of the next."""
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def _over(self) -> Path:
        return self._folder / "over"


def to_path(box: Path, worker: int) -> Path:
    """Where the coordinator writes to a worker."""
    return box / f"to-{worker}.ndjson"


def from_path(box: Path, worker: int) -> Path:
    """Where a worker's shard writes to the coordinator."""
    return box / f"from-{worker}.ndjson"


def sent_early_s(sent_wall_ns: int) -> float:
    """By how many seconds a message came before it was sent: more than 0 only where two clocks are
    apart, by at least as much."""
    return (sent_wall_ns - time.time_ns()) / 1e9


def machine() -> str:
    """The same text in two processes that see each other's pids; "" where that cannot be told."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""

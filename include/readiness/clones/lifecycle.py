"""What to do next with a clone that may be half made, and what a restore needs.

A clone's folder holds `clone.json` (written before anything else: the intent), then `data/` (copied
beside and renamed: there whole or not at all), then a running server. So a retry sees how
far the try before came, goes on from there, and never starts a second one.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path

from readiness.errors import CloneError
from readiness.model.clone import Clone, Endpoint, Snapshot

SCHEMA_VERSION = 1
RECORD_FILE = "clone.json"
_SPARE_BYTES = 200 << 20
_NOT_CARRIED = (
    "auto.cnf",  # the server's identity: a copy needs its own
    "multi-master.info",
    "master.info",
    "master-*.info",
    "relay-log.info",
    "relay-log-*.info",
    "*.pid",
    "*.sock",
)


class Step(StrEnum):
    """What a restore has to do next."""

    COPY = "copy"  # from the snapshot, anew
    START = "start"  # the data is whole
    ADOPT = "adopt"  # it runs


def next_step(record: Clone | None, *, snapshot: str, is_copied: bool, is_running: bool) -> Step:
    """How far the try before came; a clone of another snapshot, or without a record, is void."""
    if record is None or record.snapshot != snapshot or not is_copied:
        return Step.COPY
    return Step.ADOPT if is_running else Step.START


def write_record(directory: Path, clone: Clone) -> None:
    """Writes `clone.json` whole or not at all."""
    partial = directory / f"{RECORD_FILE}.partial"
    partial.write_text(json.dumps({"schema_version": SCHEMA_VERSION, **asdict(clone)}, indent=1))
    partial.replace(directory / RECORD_FILE)


def read_record(directory: Path) -> Clone | None:
    """The clone that `directory` is or was to become; None when that is not written there."""
    try:
        data = json.loads((directory / RECORD_FILE).read_text("utf-8"))
        if data.pop("schema_version") != SCHEMA_VERSION:
            return None
        endpoint = Endpoint(**data.pop("endpoint"))
        return Clone(**data, endpoint=endpoint)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def half_made(directory: Path) -> Clone:
    """What can be said of a clone's folder without a record: that it is there."""
    created_at = directory.stat().st_mtime
    return Clone(directory.name, "", "", Endpoint(), 0, str(directory), created_at, created_at)


def as_running(clone: Clone, *, endpoint: Endpoint, pid: int, database: str) -> Clone:
    """The clone once its server answers."""
    return replace(clone, endpoint=endpoint, pid=pid, database=database)


def require_fit(snapshot: Snapshot, *, engine: str, version: str) -> None:
    """Raises CloneError unless a server of `engine` and `version` may open the snapshot: the same
    engine and series (10.11), not an older release."""
    ours, theirs = _numbers(version), _numbers(snapshot.version)
    if engine == snapshot.engine and ours[:2] == theirs[:2] and ours >= theirs:
        return
    raise CloneError(
        f"Snapshot {snapshot.name} is of {snapshot.engine} {snapshot.version};"
        f" the server found here is {engine} {version}.",
        hint="Name a server of that series:  READINESS_MYSQLD=/path/to/the/server",
    )


def restore_need_bytes(snapshot: Snapshot) -> int:
    """Bytes a restored clone needs on the disk: the copy, a third for what load adds, and logs."""
    return snapshot.bytes + snapshot.bytes // 3 + _SPARE_BYTES


def not_carried(datadir: Path) -> list[Path]:
    """Files of a copied datadir that belong to the server it was copied from."""
    return sorted({path for pattern in _NOT_CARRIED for path in datadir.glob(pattern)})


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())

"""What to do next with a clone that may be half made, and what a restore needs.

A clone's folder appears with `clone.json` in it (the intent) and `unmarked`, then gets `data/`
(copied beside and renamed: there whole or not at all), then a running server; `unmarked` goes once
the marker is in it. So a retry sees how far the try before came, goes on from there, and never
starts a second one. A reset puts `unmarked` back before it touches the data.
"""

from __future__ import annotations

import getpass
import json
import os
import socket
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path

from readiness.clones import disk
from readiness.errors import CloneError
from readiness.model.clone import Clone, Endpoint, Snapshot

SCHEMA_VERSION = 1
RECORD_FILE = "clone.json"
UNMARKED_FILE = "unmarked"
NEW_SUFFIX = ".new"  # of a clone's folder without its record
_NOT_CARRIED = (
    "auto.cnf",  # the server's identity: a copy needs its own
    "multi-master.info",
    "master.info",
    "master-*.info",
    "relay-log.info",
    "relay-log-*.info",
    "mysqld-auto.cnf*",  # persisted variables go before our command line: bind_address, log_bin
    "*.pid",
    "*.sock",
    "*.err",
    "*.log",  # general and slow logs hold statements of people
    "*bin*.state",  # of MariaDB's binary log
)
_CARRIED = {"tc.log", "ddl_log.log", "ddl_recovery.log", "ddl_recovery-backup.log"}


class Step(StrEnum):
    """What a restore has to do next."""

    COPY = "copy"  # from the snapshot, anew
    START = "start"  # the data is whole and marked: it stopped or crashed
    ADOPT = "adopt"  # it runs


def next_step(
    record: Clone | None, snapshot: Snapshot, *, is_copied: bool, is_running: bool, is_marked: bool
) -> Step:
    """How far the try before came. A clone of another snapshot, of one that was taken again since,
    or without a record is void.

    A first start that did not get to the marker is not gone on with: only a start on data just
    copied tells whether the copy is torn."""
    if record is None or not is_copied or record.snapshot != snapshot.name:
        return Step.COPY
    if record.created_at < snapshot.created_at:
        return Step.COPY
    if is_running:
        return Step.ADOPT
    return Step.START if is_marked else Step.COPY


def begin(directory: Path, clone: Clone) -> None:
    """Makes the clone's folder with its record in it, at once: what is there can be found."""
    new = directory.with_name(f"{directory.name}{NEW_SUFFIX}")
    new.mkdir(parents=True, mode=0o700, exist_ok=True)
    (new / UNMARKED_FILE).touch()
    write_record(new, clone)
    new.rename(directory)


def write_record(directory: Path, clone: Clone) -> None:
    """Writes `clone.json` whole or not at all. Raises CloneError where the folder is gone."""
    partial = directory / f"{RECORD_FILE}.partial"
    text = json.dumps({"schema_version": SCHEMA_VERSION, **asdict(clone)}, indent=1)
    try:
        with partial.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(directory / RECORD_FILE)
    except FileNotFoundError:
        raise CloneError(
            f"The clone {clone.name} was destroyed meanwhile.",
            hint="Make it anew:  readiness clone create --snapshot " + clone.snapshot,
        ) from None


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


def restore_need_bytes(snapshot: Snapshot, load_bytes: int = 0) -> int:
    """Bytes a restored clone needs on the disk: the copy, what load adds (a third where nobody knows),
    and logs."""
    return disk.need_bytes(snapshot.bytes) + (load_bytes or snapshot.bytes // 3)


def not_carried(datadir: Path) -> list[Path]:
    """Files of a copied datadir that belong to the server it was copied from: its identity, its
    replication, its logs."""
    named = {path for pattern in _NOT_CARRIED for path in datadir.glob(pattern)}
    kept = {datadir / name for name in _CARRIED}
    return sorted(path for path in (named | _binlogs(datadir)) - kept if path.is_file())


def _binlogs(datadir: Path) -> set[Path]:
    """Binary and relay logs, by the index files that list them: they hold rows of people, and a
    clone writes none."""
    found: set[Path] = set()
    for index in datadir.glob("*.index"):
        names = index.read_bytes().splitlines()
        found |= {index, *(datadir / Path(os.fsdecode(name)).name for name in names if name)}
    return found


def owner_here() -> str:
    """Who asks for a clone: user@host; the number where the user has no name."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())

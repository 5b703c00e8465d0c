"""Who searches for captured values: the command, and each task before it publishes something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from readiness.anonymize.allowed import Allowed, read_allowed
from readiness.anonymize.filter import Filter, filter_beside, read_filter
from readiness.anonymize.key import default_path, existing_key
from readiness.anonymize.needles import Needles
from readiness.artifacts import atomic
from readiness.artifacts.run_folder import RunFolder
from readiness.config.settings import read_settings
from readiness.errors import ConfigError
from readiness.flow.publishing import Guard
from readiness.flow.scan import Scanned, Sought, search, sought_in_captures, sought_in_filter
from readiness.ports import Progress


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched for, from captures or from a filter file, and by which key. Logs need a key
    only for hashes and an allow-list; `needs_key` says that it must be there in any case."""

    captures: tuple[Path, ...] = ()
    filter: Path | None = None
    key_file: Path | None = None
    allow: Path | None = None
    needs_key: bool = False


def scan_files(paths: Sequence[Path], asked: Search, progress: Progress) -> tuple[Scanned, Sought]:
    """Searches files and folders. Raises ConfigError (a missing file, no key, another key, an
    allow-list with mistakes), CaptureError, ArtifactError."""
    needs_key = asked.needs_key or asked.filter or asked.allow
    has_key = (asked.key_file or default_path()).is_file()
    key = existing_key(asked.key_file) if needs_key or has_key else None
    allowed = read_allowed(asked.allow, key) if asked.allow and key else Allowed()
    sought = _sought(asked, key, progress)
    return search(paths, sought, allowed=allowed, progress=progress), sought


def _sought(asked: Search, key: bytes | None, progress: Progress) -> Sought:
    if asked.filter and key:
        return sought_in_filter(_filter(asked.filter, key))
    missing = [str(log) for log in asked.captures if not log.is_file()]
    if missing:
        raise ConfigError(
            f"No such log: {', '.join(missing)}.", hint="Name the captures:  --capture LOG"
        )
    progress(f"scan: reading {len(asked.captures)} logs")
    return sought_in_captures(asked.captures, key)


def _filter(path: Path, key: bytes) -> Filter:
    if not path.is_file():
        raise ConfigError(
            f"No such filter: {path}.",
            hint="It is written beside the workload:  --filter workloads/checkout.filter",
        )
    return read_filter(atomic.read_bytes(path), key, path=path)


def guard_of(*paths: Path) -> Guard:
    """What searches the outputs of workloads whose filters lie at `paths`; all passes where there is
    none. Raises ConfigError for a lost or another key, ArtifactError for a broken filter."""
    found = [path for path in paths if path.is_file()]
    if not found:
        return Guard()
    key = existing_key(read_settings().key_file)
    read = [_filter(path, key).needles for path in found]
    # One key, one marking: the needles of all filters are found in one search.
    return Guard(Needles(read[0].marking, tuple(n for needles in read for n in needles.needles)))


def guarded(folder: RunFolder) -> RunFolder:
    """The folder, writing nothing in which a captured value of its run's workloads stands."""
    return RunFolder(folder.path, guard_of(*folder.filter_paths).require)


def require_publishable(folder: RunFolder) -> None:
    """Raises PrivacyError where a captured value stands in the folder. A workload is searched for the
    values of its own captures alone: what varies in one flow may be a word of the code in another."""
    workloads = folder.workload_paths
    guard_of(*folder.filter_paths).require_folder(folder.path, but=workloads)
    for workload in workloads:
        guard_of(filter_beside(workload)).require_file(workload)

"""Deletes what has been kept long enough: raw logs after days, run folders where a setting says so.

A run folder stays while a clone of it lives, and while it is the newest proof of its flow.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from readiness.artifacts.raw_logs import RawLog, RawLogs
from readiness.artifacts.run_folder import RunFolder
from readiness.errors import ArtifactError
from readiness.model.run import RunRecord

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Thing:
    """A raw log or a run folder, and why its fate is what it is (a clause behind its path)."""

    path: Path
    kind: str
    size_bytes: int
    why: str


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was deleted (or would be), what stays, and what a person must look at."""

    deleted: tuple[Thing, ...]
    kept: tuple[Thing, ...]
    told: tuple[Thing, ...]
    is_dry_run: bool = False

    def lines(self) -> list[str]:
        """As people read it."""
        verb = "would be deleted" if self.is_dry_run else "is deleted"
        freed = sum(thing.size_bytes for thing in self.deleted)
        total = f"{len(self.deleted)} deleted, {freed / 1e6:,.1f} MB; {len(self.kept)} stay"
        return [
            *(f"{t.path} ({t.kind}) {verb}: it {t.why}" for t in self.deleted),
            *(f"! {t.path} ({t.kind}) {t.why}" for t in self.told),
            *(f"{t.path} ({t.kind}) stays: it {t.why}" for t in self.kept),
            f"would be: {total}" if self.is_dry_run else total,
        ]

    def to_json(self) -> dict[str, object]:
        """As machines read it."""
        return {
            "deleted": [_entry(thing) for thing in self.deleted],
            "kept": [_entry(thing) for thing in self.kept],
            "told": [_entry(thing) for thing in self.told],
            "is_dry_run": self.is_dry_run,
        }


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept: raw logs, the folder of runs, and the runs whose clones live. Days are how long
    each stays; None is for ever."""

    logs: RawLogs
    runs: Path
    held: Collection[str]
    log_days: float
    run_days: float | None


def prune(kept: Kept, *, now_s: float, is_dry_run: bool = False) -> Pruned:
    """Deletes what is old; a dry run says it. What cannot be deleted is told, and keeps nothing else
    from being. Raises ArtifactError for a broken note of a raw log."""
    made: dict[str, list[Thing]] = {"deleted": [], "kept": [], "told": []}
    for log in kept.logs.found():
        fate, thing = _fate_of_log(log, kept.log_days, now_s)
        delete = _deletes(kept.logs, log)
        _carry_out(made, fate, thing, None if is_dry_run else delete)
    for fate, thing in fates_of_runs(kept, now_s):
        folder = thing.path
        _carry_out(made, fate, thing, None if is_dry_run else _removes(folder))
    return Pruned(tuple(made["deleted"]), tuple(made["kept"]), tuple(made["told"]), is_dry_run)


def days_left(log: RawLog, log_days: float, now_s: float) -> float:
    """Until prune deletes it; 0 when it is due."""
    return max(0.0, log_days - (now_s - log.written_at) / DAY_S)


def _fate_of_log(log: RawLog, days: float, now_s: float) -> tuple[str, Thing]:
    age = f"is {(now_s - log.written_at) / DAY_S:,.1f} days old"
    if log.doubt:
        return "told", Thing(log.path, "raw log", log.size_bytes, log.doubt)
    is_due = not days_left(log, days, now_s)
    fate = "deleted" if is_due else "kept"
    return fate, Thing(log.path, "raw log", log.size_bytes, f"{age}, {days:g} are allowed")


def fates_of_runs(kept: Kept, now_s: float) -> Iterator[tuple[str, Thing]]:
    """Fate and reason of each run folder, by name."""
    records, broken = _records(kept.runs)
    yield from broken
    proofs = _newest_proofs(records)
    for folder, record in records.items():
        age = (now_s - (record.ended_at or record.started_at)) / DAY_S
        why = f"is {age:,.1f} days old"
        fate = "kept"
        if folder.name in kept.held:
            why = "has a clone that still lives"
        elif folder in proofs:
            why = f"is the newest proof of the flow {record.flow}"
        elif kept.run_days is not None and age >= kept.run_days:
            fate, why = "deleted", f"{why}, {kept.run_days:g} are allowed"
        yield fate, Thing(folder, "run", _size(folder), why)


def _records(runs: Path) -> tuple[dict[Path, RunRecord], list[tuple[str, Thing]]]:
    """The record of each run folder, and what is to be told of broken ones."""
    records: dict[Path, RunRecord] = {}
    broken = []
    for file in sorted(runs.glob("*/run.json")):
        folder = file.parent
        try:
            records[folder] = RunFolder(folder).read_run()
        except ArtifactError:
            thing = Thing(folder, "run", _size(folder), "has a run.json that cannot be read")
            broken.append(("told", thing))
    return records, broken


def _newest_proofs(records: dict[Path, RunRecord]) -> set[Path]:
    """Of each flow the latest run with a verdict."""
    newest: dict[str, Path] = {}
    for folder, record in sorted(records.items(), key=lambda item: item[1].started_at):
        if (folder / "verdict.json").is_file():
            newest[record.flow] = folder
    return set(newest.values())


def _carry_out(
    made: dict[str, list[Thing]], fate: str, thing: Thing, delete: Callable[[], None] | None
) -> None:
    try:
        if fate == "deleted" and delete:
            delete()
    except OSError as error:
        why = f"could not be deleted: {error.strerror or type(error).__name__}"
        fate, thing = "told", Thing(thing.path, thing.kind, thing.size_bytes, why)
    made[fate].append(thing)


def _deletes(logs: RawLogs, log: RawLog) -> Callable[[], None]:
    return lambda: logs.delete(log)


def _removes(folder: Path) -> Callable[[], None]:
    return lambda: shutil.rmtree(folder)


def _size(folder: Path) -> int:
    return sum(_sizes(sorted(folder.rglob("*"))))


def _sizes(paths: Sequence[Path]) -> Iterator[int]:
    return (path.lstat().st_size for path in paths if path.is_file())


def _entry(thing: Thing) -> dict[str, object]:
    return {
        "path": str(thing.path),
        "kind": thing.kind,
        "size_bytes": thing.size_bytes,
        "why": thing.why,
    }

"""One round of the janitor: clones whose lease has ended are destroyed, strays are told.

It knows nothing of plans or runs, so it also ends what a plan that is gone has left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from readiness.artifacts import json_files
from readiness.clones.janitor import (
    Decision,
    Fate,
    Half,
    ServerProcess,
    decide,
    decide_half,
    minutes,
    silence_s,
    strays,
)
from readiness.errors import ArtifactError, ReadinessError
from readiness.model.clone import Clone
from readiness.ports import CloneBackend

VERSION = 1


@dataclass(frozen=True, slots=True)
class Round:
    """What one round did. `destroyed` holds the clones as they were; `failed` those that could not
    be destroyed, and why; `removed` what was left half made, without a record; `silent_s` is set when
    the round before was too long ago."""

    at: float
    destroyed: tuple[Clone, ...]
    kept: tuple[Decision, ...]
    told: tuple[Decision, ...]
    failed: tuple[Decision, ...]
    removed: tuple[Decision, ...] = ()
    silent_s: float = 0.0
    is_dry_run: bool = False

    def lines(self) -> list[str]:
        """The round as people read it."""
        verb = "would be destroyed" if self.is_dry_run else "is destroyed"
        gone = "would be removed" if self.is_dry_run else "is removed"
        ended = {c.name: minutes(self.at - c.lease_until) for c in self.destroyed}
        silence = [silence_line(self.silent_s)] if self.silent_s else []
        clones = [
            *(f"{name} {verb}: its lease ended {m} min ago" for name, m in ended.items()),
            *(f"{d.name} {gone}: it {d.why}" for d in self.removed),
            *(f"! {d.name} could not be destroyed: {d.why}" for d in self.failed),
            *(f"! {d.name} {d.why}" for d in self.told),
            *(f"{d.name} stays: {d.why}" for d in self.kept),
        ]
        return [*silence, *(clones or ["no clones"])]

    def to_json(self) -> dict[str, object]:
        """The round for machines and for the diary."""
        return {
            "at": self.at,
            "destroyed": [clone.name for clone in self.destroyed],
            "removed": [asdict(d) for d in self.removed],
            "kept": [asdict(d) for d in self.kept],
            "told": [asdict(d) for d in self.told],
            "failed": [asdict(d) for d in self.failed],
            "silent_s": self.silent_s,
            "is_dry_run": self.is_dry_run,
        }


def _nothing(_half: Half) -> None:
    """What is never found needs no removal."""


@dataclass(frozen=True, slots=True)
class Beat:
    """What a janitor looks after: the clones, the servers that run there, what is half made, and its
    own diary. `remove` deletes something half made."""

    clones: CloneBackend
    processes: Callable[[], Sequence[ServerProcess]]
    diary: Path
    halves: Callable[[], Sequence[Half]] = tuple
    remove: Callable[[Half], object] = _nothing


def make_round(beat: Beat, *, now_s: float, is_dry_run: bool = False) -> Round:
    """Destroys what has expired, and notes in the diary that it was here; a dry run does neither.

    One clone that cannot be destroyed does not keep the others. Raises ArtifactError when the
    diary cannot be written."""
    found = beat.clones.list()
    decisions = [decide(clone, now_s=now_s) for clone in found]
    expired = [c for c, d in zip(found, decisions, strict=True) if d.fate is Fate.DESTROY]
    halves = [(half, decide_half(half, now_s=now_s)) for half in beat.halves()]
    silent_s = silence_s(last_round_at(beat.diary), now_s, found)
    failed = () if is_dry_run else (*_destroy_all(beat, expired), *_remove_all(beat, halves))
    failures = {f.name for f in failed}
    made = Round(
        at=now_s,
        destroyed=tuple(c for c in expired if c.name not in failures),
        kept=(
            *(d for d in decisions if d.fate is Fate.KEEP),
            *(d for _, d in halves if d.fate is Fate.KEEP),
        ),
        told=(
            *(d for d in decisions if d.fate is Fate.TELL),
            *strays(beat.processes(), found),
        ),
        failed=failed,
        removed=tuple(d for _, d in halves if d.fate is Fate.DESTROY and d.name not in failures),
        silent_s=silent_s,
        is_dry_run=is_dry_run,
    )
    if not is_dry_run:
        json_files.write_json(beat.diary, made.to_json(), version=VERSION)
    return made


def last_round_at(diary: Path) -> float | None:
    """When a janitor was here last, seconds since the epoch; None when none was, or who knows."""
    try:
        at = json_files.read_json(diary, version=VERSION).get("at")
    except ArtifactError:
        return None
    return float(at) if isinstance(at, int | float) else None


def silence_line(silent_s: float) -> str:
    """The warning that nobody looks after the clones."""
    return f"! no janitor came for {minutes(silent_s)} min: is readiness_janitor paused?"


def _destroy_all(beat: Beat, expired: Sequence[Clone]) -> Iterator[Decision]:
    """Those that could not be destroyed."""
    for clone in expired:
        failed = _destroy(beat.clones, clone.name)
        if failed:
            yield failed


def _remove_all(beat: Beat, halves: Sequence[tuple[Half, Decision]]) -> Iterator[Decision]:
    """Those that could not be removed."""
    for half, decision in halves:
        if decision.fate is Fate.DESTROY:
            try:
                beat.remove(half)
            except (ReadinessError, OSError) as error:
                yield Decision(half.name, Fate.DESTROY, _words(error))


def _destroy(clones: CloneBackend, name: str) -> Decision | None:
    """None when the clone is gone, whoever removed it."""
    try:
        clones.destroy(name)
    except (ReadinessError, OSError) as error:
        if all(clone.name != name for clone in clones.list()):
            return None
        return Decision(name, Fate.DESTROY, _words(error))
    return None


def _words(error: ReadinessError | OSError) -> str:
    return error.message if isinstance(error, ReadinessError) else str(error.strerror)

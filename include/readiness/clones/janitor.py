"""What a janitor does with each clone, decided from records and leases alone.

Only a lease that has ended lets a clone be destroyed. What has no record is told, never touched:
nobody can say whose it is or how long it is needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from readiness.clones.leases import is_expired
from readiness.model.clone import Clone

GRACE_S = 30 * 60.0  # a restore or destroy under way looks half made for so long at most
SILENT_S = 30 * 60.0


class Fate(StrEnum):
    """What happens to a clone."""

    DESTROY = "destroy"
    KEEP = "keep"
    TELL = "tell"  # a person must look


@dataclass(frozen=True, slots=True)
class Decision:
    """One clone's fate, and why (a clause that can stand after its name)."""

    name: str
    fate: Fate
    why: str


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """A database server that runs on a folder of clones."""

    pid: int
    home: str


@dataclass(frozen=True, slots=True)
class Half:
    """A snapshot or clone of which not even the record is whole. `changed_at`: its last sign of life,
    seconds since the epoch; `is_alive`: the process that makes it lives."""

    name: str
    path: str
    changed_at: float
    is_alive: bool = False


def decide(clone: Clone, *, now_s: float) -> Decision:
    """The fate of one clone as `CloneBackend.list` shows it, also a half-made one."""
    age_s = now_s - clone.created_at
    if not has_record(clone):
        if age_s < GRACE_S:
            return Decision(clone.name, Fate.KEEP, "has no record yet")
        return Decision(clone.name, Fate.TELL, "has no record, so no lease")
    left_s = clone.lease_until - now_s
    if is_expired(clone, now_s):
        return Decision(clone.name, Fate.DESTROY, f"its lease ended {minutes(-left_s)} min ago")
    lease = f"its lease ends in {minutes(left_s)} min"
    if not clone.pid and age_s >= GRACE_S:
        return Decision(clone.name, Fate.TELL, f"is half made or crashed: no server runs; {lease}")
    return Decision(clone.name, Fate.KEEP, lease)


def decide_half(half: Half, *, now_s: float) -> Decision:
    """The fate of what is half made. It goes once nobody can be making it any more: it never was
    whole, so nothing is lost."""
    age_s = now_s - half.changed_at
    if half.is_alive or age_s < GRACE_S:
        return Decision(half.name, Fate.KEEP, "is being made")
    why = f"was left half made {minutes(age_s)} min ago"
    return Decision(half.name, Fate.DESTROY, why)


def strays(processes: Iterable[ServerProcess], clones: Iterable[Clone]) -> list[Decision]:
    """Servers that run on folders without a clone's record."""
    known = {clone.directory for clone in clones if has_record(clone)}
    return [
        Decision(Path(process.home).name, Fate.TELL, f"has no record, but process {process.pid}")
        for process in processes
        if process.home not in known
    ]


def has_record(clone: Clone) -> bool:
    """False for a folder of which only its name is known."""
    return bool(clone.run_id)


def silence_s(last_round_at: float | None, now_s: float, clones: Iterable[Clone] = ()) -> float:
    """How long no janitor came, when that is too long; else 0. Where none ever came, it is missed since
    the first lease of `clones` ended."""
    ended = [clone.lease_until for clone in clones if has_record(clone)]
    since = last_round_at if last_round_at is not None else min(ended, default=now_s)
    silent_s = now_s - since
    return silent_s if silent_s > SILENT_S else 0.0


def minutes(seconds: float) -> str:
    """Whole minutes, as people read them."""
    return f"{seconds / 60:,.0f}"

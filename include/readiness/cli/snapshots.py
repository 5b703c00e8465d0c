"""`readiness clone snapshots|drop`: the snapshots of this machine, and the end of one."""

from __future__ import annotations

import time
from dataclasses import asdict

from readiness.adapters.local_clones import LocalClones
from readiness.errors import CloneError
from readiness.model.clone import Snapshot


def shown(snapshots: list[Snapshot]) -> tuple[dict[str, object], str]:
    """All snapshots, for machines and for people: whose rows they hold is said first."""
    lines = "\n".join(_line(snapshot) for snapshot in snapshots)
    return {"snapshots": [asdict(s) for s in snapshots]}, lines or "no snapshots"


def drop(name: str, clones: LocalClones) -> bool:
    """Removes a snapshot; False when there was none. Raises CloneError while a clone is of it: its
    reset would have nothing to copy."""
    users = [clone.name for clone in clones.list() if clone.snapshot == name]
    if users:
        raise CloneError(
            f"The snapshot {name} is what {', '.join(users)} would be reset from.",
            hint=f"Let it go first:  readiness clone destroy {users[0]}",
        )
    return clones.snapshots.delete(name)


def _line(snapshot: Snapshot) -> str:
    hours = (time.time() - snapshot.created_at) / 3600
    return (
        f"{snapshot.name}  {snapshot.masked or 'NOT masked: rows of production'},"
        f" {snapshot.engine} {snapshot.version}, {snapshot.bytes / 1e6:,.0f} MB, {hours:,.1f} h old"
    )

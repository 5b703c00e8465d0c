"""Where the database that a run loads came from, in words."""

from __future__ import annotations

import os

from readiness import interlock
from readiness.adapters.local_clones import LocalClones
from readiness.config.settings import Settings
from readiness.errors import CloneError
from readiness.wiring.targets import Target


def lineage_of(target: Target, settings: Settings) -> dict[str, str]:
    """What `run.json` keeps of a target: the server, the clone, its snapshot, and how it was masked."""
    with target.admin_session() as session:
        identity, marker = interlock.describe(session), interlock.read_marker(session)
    known = {
        "engine": f"{identity.engine} {identity.version}",
        "endpoint": str(target.endpoint),
        "host cores": str(os.cpu_count() or 1),
    }
    clone = target.clone
    if clone is not None:
        known |= {"clone": clone.name, "snapshot": clone.snapshot}
        known |= _taken(LocalClones(settings.state), clone.snapshot)
    return {**known, "masked": (marker.masked if marker else "") or "no"}


def _taken(clones: LocalClones, snapshot: str) -> dict[str, str]:
    """How the clone's snapshot was taken; it may be gone."""
    try:
        return {"snapshot method": clones.snapshots.named(snapshot).method}
    except CloneError:
        return {}

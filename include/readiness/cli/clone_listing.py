"""A clone as `readiness clone` shows it: for people in two lines, for machines whole."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path

from readiness.adapters.local_clones import LocalClones
from readiness.clones.usage import usage_of
from readiness.errors import ReadinessError
from readiness.model.clone import Clone
from readiness.wiring.targets import clone_dsn


def shown(clone: Clone, clones: LocalClones) -> dict[str, object]:
    """All that is known of a clone. `dsn` is the load user's; before the clone is masked that of root
    on its socket, for masking; "" where no server runs. Ages in seconds, sizes in bytes."""
    usage, now_s = usage_of(Path(clone.directory)), time.time()
    return {
        **asdict(clone),
        "dsn": dsn_of(clone, clones),
        "age_s": now_s - clone.created_at,
        "lease_left_s": clone.lease_until - now_s,
        "disk_bytes": usage.disk_bytes,
        "file_bytes": usage.file_bytes,
    }


def dsn_of(clone: Clone, clones: LocalClones) -> str:
    """How to name the clone as a target; "" where no server runs, or it ended just now."""
    if not clone.pid:
        return ""
    try:
        return clone_dsn(clones, clone) if clone.masked else clones.admin_dsn(clone)
    except ReadinessError:
        return ""


def line(clone: Clone, clones: LocalClones) -> str:
    """What a person wants to know of a clone, and its DSN."""
    age_min = (time.time() - clone.created_at) / 60
    left_min = (clone.lease_until - time.time()) / 60
    disk_bytes = usage_of(Path(clone.directory)).disk_bytes
    state = f"127.0.0.1:{clone.endpoint.port}" if clone.pid else "not running"
    lease = f"lease ends in {left_min:.0f} min" if left_min > 0 else "lease has ended"
    told = [
        f"of {clone.snapshot}" if clone.snapshot else "without a record",
        clone.masked or "not masked",
        f"{disk_bytes / 1e6:,.0f} MB",
        f"{age_min:.0f} min old",
        *([f"asked for by {clone.owner}"] if clone.owner else []),
        lease,
    ]
    dsn = dsn_of(clone, clones)
    return f"{clone.name}  {state}  {', '.join(told)}" + (f"\n  {dsn}" if dsn else "")

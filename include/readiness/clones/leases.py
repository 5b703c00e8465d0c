"""Leases: until when a clone may live. Times are seconds since the epoch."""

from __future__ import annotations

from dataclasses import replace

from readiness.model.clone import Clone


def renewed(clone: Clone, *, now_s: float, lease_s: float) -> Clone:
    """The clone with a lease to now + `lease_s`; a lease that ends later stays."""
    return replace(clone, lease_until=max(clone.lease_until, now_s + lease_s))

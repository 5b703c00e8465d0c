"""The tags a DAG may have: a closed list, so that the filter of the UI stays of use."""

from __future__ import annotations

from enum import StrEnum

from readiness.config.plan import Plan


class Tag(StrEnum):
    """One tag. All DAGs of the suite have `readiness`."""

    SUITE = "readiness"
    LOAD = "load"  # puts load on a clone
    SCHEDULED = "scheduled"
    MANUAL = "manual"
    DEMONSTRATION = "demonstration"  # invented data: proves the suite, not a database
    EVIDENCE = "evidence"
    WORKLOAD = "workload"
    UPKEEP = "upkeep"


def tags_of(plan: Plan) -> list[str]:
    """The tags of a plan's DAG: what it does, how it starts, what its verdict is worth."""
    is_scheduled = plan.schedule is not None and plan.schedule.cron is not None
    start = Tag.SCHEDULED if is_scheduled else Tag.MANUAL
    return [str(tag) for tag in (Tag.SUITE, Tag.LOAD, start, Tag(plan.scope))]

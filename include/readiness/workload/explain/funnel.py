"""The narrowing, step by step: from every literal of the flow to the few values that are made."""

from __future__ import annotations

from collections.abc import Mapping

from readiness.model.workload import Workload

_STEPS = (
    ("literals", "values written in the statements of the flow, {distinct} are different"),
    ("structural", "shape a statement (LIMIT, INTERVAL, a JSON path) and stay"),
    ("constant", "equal in every capture, so they belong to the code and stay"),
    (
        "varying",
        "differ between captures, so they belong to the person, the moment or the database",
    ),
    ("groups", "the varying ones, those that change together counted once"),
    ("fresh", "of the groups, a new similar value for each checkout"),
    (
        "existing",
        "of the groups, columns of a row that exists on the target, as often as it is used there",
    ),
    ("server", "of the groups, ids that the server gives, taken from its answer"),
    ("derived", "of the groups, computed from other values"),
    ("time", "of the groups, move with the clock"),
    ("inline", "of the groups, nothing depends on them, an invented constant stands in the text"),
    ("generated", "fresh and existing: what is made or drawn for each checkout"),
)


def funnel_of(workload: Workload) -> list[Mapping[str, object]]:
    """One row for each step: its name, its count, and what the count says."""
    counts = workload.counts
    return [
        {"step": name, "count": counts[name], "says": says.format_map({"distinct": 0, **counts})}
        for name, says in _STEPS
        if name in counts
    ]


def funnel_line(counts: Mapping[str, int]) -> str:
    """`383 literals → 234 vary → 105 groups of equal values → 41 generated (31 fresh, 10 existing)`."""
    got = {name: counts.get(name, 0) for name, _ in _STEPS}
    return (
        "{literals} literals → {varying} vary → {groups} groups of equal values →"
        " {generated} generated"
        " ({fresh} fresh, {existing} existing)".format_map(got)
    )


def classes_line(counts: Mapping[str, int]) -> str:
    """What the groups became, those that are generated left out."""
    got = {name: counts.get(name, 0) for name, _ in _STEPS}
    return (
        "{structural} structural and {constant} constant literals stay; of the groups {server}"
        " server ids, {derived} derived, {time} time, {inline} inline".format_map(got)
    )

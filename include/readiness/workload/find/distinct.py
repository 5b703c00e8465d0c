"""Whether a group's values will differ in every checkout: what a unique key may be made from."""

from __future__ import annotations

from readiness.model.workload import VariableKind
from readiness.workload.find.groups import Group
from readiness.workload.find.recognize import generator_for

_REPEATING = frozenset({"first_name", "last_name", "date", "datetime", "decimal", "ipv4", "text"})
_ROOMY = 6  # characters of a code or digits of a number, below which values come again


def is_distinct(group: Group) -> bool:
    """A key of the flow's own, a server's id, or values whose generator has room enough. Names and
    dates come again, so do rows that are sampled."""
    if group.kind is VariableKind.SERVER or group.rank == 0:
        return True
    if group.kind is VariableKind.DERIVED:
        return any(is_distinct(need) for need in group.needs)
    if group.kind in (VariableKind.EXISTING, VariableKind.TIME):
        return False
    seen = [v for v in group.values if v is not None]
    name = generator_for(seen, group.column[1], group.home.place.literal.form)
    return name not in _REPEATING and min(map(len, seen)) >= _ROOMY

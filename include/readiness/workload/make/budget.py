"""Are there enough values for the checkouts of a plan? For each fresh variable under a unique key.

Values are used up for every checkout, also where it leaves out the step that would send one. Of
numbered values what the target holds is subtracted; drawn ones are counted up to the point where two
of them are likely to meet. Where the key has other columns too, these keep equal values apart: such
a variable is told, but never refused.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from datetime import date

from readiness.errors import WorkloadError
from readiness.model.generator import Pattern, Specification, parse_specification
from readiness.model.workload import Variable, VariableKind, Workload
from readiness.workload.make.lanes import lane_key, with_shared_lanes
from readiness.workload.make.pools import Pools
from readiness.workload.make.shapes import PHONE, shape_of
from readiness.workload.make.spelling import FIRST_NAMES, LAST_NAMES

_EMAIL_DOMAIN = len("@mail.example")
_WIDER = "Write a wider pattern in its @gen line of the workload file, or plan fewer checkouts."


@dataclass(frozen=True, slots=True)
class Space:
    """Variables of one column that share their values: `left` of them. `beside` names the other
    columns of the unique key; not `is_read` where what the target holds could not be subtracted."""

    variables: tuple[str, ...]
    column: str
    left: int
    beside: tuple[str, ...] = ()
    is_read: bool = True

    def needed(self, checkouts: int) -> int:
        """The values that so many checkouts use up."""
        return checkouts * len(self.variables)


def spaces(workload: Workload, pools: Pools) -> tuple[Space, ...]:
    """What is left for each fresh variable under a unique key, where it is not as good as endless."""
    shared = with_shared_lanes(workload, pools.unique)
    groups: dict[str, list[Variable]] = defaultdict(list)
    for variable in shared.variables:
        if variable.kind is VariableKind.FRESH and variable.column in pools.unique:
            groups[lane_key(variable)].append(variable)
    made = []
    for key, members in groups.items():
        left = _left(members[0], key, pools)
        if left is not None:
            names, column = tuple(v.name for v in members), members[0].column
            beside = pools.unique[column]
            is_read = key in pools.free or not beside or not _is_numbered(members[0])
            made.append(Space(names, column, left, beside, is_read))
    return tuple(made)


def require_values(workload: Workload, pools: Pools, checkouts: int) -> tuple[str, ...]:
    """Warnings for what is used up by more than half.

    Raises WorkloadError where so many checkouts would repeat a value of a key of one column."""
    warnings = []
    for space in spaces(workload, pools):
        needed = space.needed(checkouts)
        if needed > space.left and not space.beside:
            raise WorkloadError(_told(space, needed, checkouts), hint=_WIDER)
        if needed > space.left:
            others = ", ".join(space.beside)
            warnings.append(
                f"{_told(space, needed, checkouts)}: values repeat, and only {others} of the same"
                " unique key keeps them apart"
            )
        elif not space.is_read:
            warnings.append(
                f"{_told(space, needed, checkouts)}; what the target holds was not subtracted, so"
                f" that one may meet a row with the same {', '.join(space.beside)}"
            )
        elif 2 * needed > space.left:
            warnings.append(f"{_told(space, needed, checkouts)}: more than half of them")
    return tuple(warnings)


def _told(space: Space, needed: int, checkouts: int) -> str:
    names = ", ".join(f"@{name}" for name in space.variables)
    of = "of a unique key" if space.beside else "which is unique"
    return (
        f"{names} can make {space.left:,} more values for {space.column}, {of};"
        f" {checkouts:,} checkouts use up {needed:,}"
    )


def _is_numbered(variable: Variable) -> bool:
    return shape_of(parse_specification(variable.generator)) is not None


def _left(variable: Variable, key: str, pools: Pools) -> int | None:
    """The values left; None where they are as good as endless."""
    specification = parse_specification(variable.generator)
    shape = shape_of(specification)
    if shape:
        return pools.free[key].usable if key in pools.free else shape.space
    drawn = _drawn_space(specification)
    if specification.name in ("date", "ipv4"):  # numbered, but not asked for at the target
        return drawn
    return None if drawn is None else math.isqrt(drawn)


def _drawn_space(specification: Specification) -> int | None:
    """How many values there are; None where they hold the time or 122 random bits."""
    name, argument = specification.name, specification.argument
    counted = {"first_name": len(FIRST_NAMES), "last_name": len(LAST_NAMES), "ipv4": 1 << 17}
    if name in counted:
        return counted[name]
    if name in ("date", "datetime"):
        return _days(argument) * (1 if name == "date" else _moments(argument))
    if name in ("hex", "HEX", "binary"):
        return int((256 if name == "binary" else 16) ** specification.size)
    if name == "email":
        return int(16 ** min(max(int(argument or 29) - _EMAIL_DOMAIN, 14), 64))
    if name == "text":
        return int(26 ** int(argument or 24))
    return Pattern.parse(argument or PHONE).space if name in ("pattern", "phone") else None


def _days(argument: str) -> int:
    bounds = argument.partition(",")[0] or "1950-01-01..2004-12-31"
    low, _, high = bounds.partition("..")
    return (date.fromisoformat(high) - date.fromisoformat(low)).days + 1


def _moments(argument: str) -> int:
    """Of a day, as many as the fraction digits tell apart."""
    digits = argument.partition(",")[2].strip()
    return int(86_400 * 10 ** int(digits or 0))

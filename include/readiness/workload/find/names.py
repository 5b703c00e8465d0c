"""Names for variables, after the column they are about: `user_email_0`, `loan_id_0`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from readiness.workload.find.groups import Group

_BARE = frozenset({"id", "uuid", "token", "key"})
_SPEAKING = ("_id", "_no", "_ref")
_MARK = re.compile("@\x01(\\d+)\x01")


def singular(table: str) -> str:
    """`addresses` is `address`, `categories` is `category`, `loans` is `loan`."""
    if table.endswith("ies"):
        return table[:-3] + "y"
    if table.endswith(("sses", "ches", "xes")):
        return table[:-2]
    return table[:-1] if table.endswith("s") and not table.endswith("ss") else table


def stem(table: str, column: str) -> str:
    """The name without its number."""
    if not column:
        return "value"
    row = singular(table)
    is_clear = column.endswith(_SPEAKING) or column.startswith(row)
    name = column if is_clear and column not in _BARE and len(column) > 3 else f"{row}_{column}"
    return re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower() or "value"


Identity = tuple[tuple[int, int], bool, tuple[bytes | None, ...], int]
"""First use, whether it is a stretch of a text, values, and which of several such stretches."""


def identities(groups: Sequence[Group]) -> list[Identity]:
    """What makes each group the same one when the same captures are read again."""
    seen: Counter[tuple[tuple[int, int], bool, tuple[bytes | None, ...]]] = Counter()
    found: list[Identity] = []
    for group in groups:
        key = (group.order, group.is_part, group.values)
        found.append((*key, seen[key]))
        seen[key] += 1
    return found


def give_names(
    groups: Sequence[Group],
    taken: Collection[str],
    known: Mapping[Identity, str] | None = None,
) -> None:
    """Numbers the groups of each stem in order of first use, past the names in `taken` (lower
    case: the application's own user variables), and writes the names into all expressions.
    Groups in `known` keep the name they have there."""
    known = known or {}
    taken = {*taken, *(name.lower() for name in known.values())}
    counts: dict[str, int] = {}
    for group, identity in zip(groups, identities(groups), strict=True):
        group.name = known.get(identity, "")
    for group in sorted((g for g in groups if not g.name), key=lambda g: g.order):
        base = stem(*group.column) + ("_part" if group.is_part and not group.root else "")
        number = counts.get(base, 0)
        while f"{base}_{number}" in taken:
            number += 1
        counts[base] = number + 1
        group.name = f"{base}_{number}"
    names = {str(g.number): g.name for g in groups}
    for group in groups:
        group.expression = _MARK.sub(lambda m: f"@{names[m[1]]}", group.expression)

"""Where the values allow several answers: one was taken, and a person is told which else there are.

Equal in every capture is what makes places one variable. Where two tables number in step, or a
text holds a value that two variables have, equality cannot decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from readiness.model.explanation import Doubt
from readiness.model.workload import VariableKind
from readiness.workload.find.groups import Group, Use
from readiness.workload.schema import Schema

SALT = "readiness workload salt --target DSN, then capture again"
MORE = "one more capture with another basket and persona"


def doubts_of(groups: Sequence[Group], schema: Schema) -> Iterator[Doubt]:
    """Every place that joined one of several groups, and every variable computed from one of several
    that are equal in all captures; in the order of the flow."""
    rivals = _Rivals(groups)
    for group in groups:
        others = rivals.of(group)
        for use in group.uses if others and not group.is_part else ():
            if not _is_its_own(use, group, schema):
                yield Doubt(
                    _place(use), _told(group), tuple(map(_told, others)), _cure(group, schema)
                )
        if group.override.expression:
            continue
        for need in group.needs:
            if others := [o for o in rivals.of(need) if o is not group]:
                taken = f"computed from @{need.name}"
                yield Doubt(f"@{group.name}", taken, tuple(map(_told, others)), _cure(need, schema))


class _Rivals:
    """Groups that hold the same values in every capture."""

    def __init__(self, groups: Sequence[Group]) -> None:
        self._by_values: dict[tuple[bool, tuple[bytes | None, ...]], list[Group]] = {}
        for group in groups:
            if not group.is_part:
                self._by_values.setdefault((group.is_binary, group.values), []).append(group)

    def of(self, group: Group) -> list[Group]:
        """The others with this group's values; what is computed from it, or is the same column of
        another turn, is none."""
        equal = self._by_values.get((group.is_binary, group.values), [])
        equal = [g for g in equal if g.column != group.column]
        return [
            g
            for g in equal
            if g is not group and not group.depends_on(g) and not g.depends_on(group)
        ]


def _is_its_own(use: Use, group: Group, schema: Schema) -> bool:
    """The place's own column says to which group it belongs."""
    return use.is_plain and schema.root(*use.column) == group.column


def _place(use: Use) -> str:
    return f"s{use.place.statement + 1:03d}, literal {use.place.index + 1}"


def _told(group: Group) -> str:
    """A variable as @name; a value that stays in the text by its name alone."""
    return f"@{group.name}" if group.kind else group.name


def _cure(group: Group, schema: Schema) -> str:
    is_numbered = group.kind is VariableKind.SERVER or schema.is_auto_increment(*group.column)
    return SALT if is_numbered else MORE

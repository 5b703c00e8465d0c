"""Which parts of the flow run whenever another one does, and the names of its repeats.

A row that is inserted for the fifth item of a basket is not there in a checkout of one item: what
always runs must not use it. It uses the row of the first item instead."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from readiness.model.workload import Turn, VariableKind
from readiness.workload.find.align import Alignment
from readiness.workload.find.context import INSERTED, Context
from readiness.workload.find.groups import Group, Use, alike


@dataclass(frozen=True, slots=True)
class Scope:
    """When the statements of a flow run: `turns` by statement, `counts` by repeat."""

    turns: Sequence[Turn | None]
    counts: Mapping[str, tuple[int, ...]]

    def relies(self, turn: Turn | None, statement: int) -> bool:
        """Whatever runs in `turn` can rely on the statement: it has run too."""
        return self.covers(self.turns[statement], turn)

    def covers(self, by: Turn | None, turn: Turn | None) -> bool:
        """Whatever runs in `turn` can rely on what is done in `by`."""
        if by is None or by.number <= min(self.counts[by.repeat]):
            return True
        return turn is not None and turn.repeat == by.repeat and turn.number >= by.number


def part_by_turns(
    groups: Sequence[Group], contexts: Sequence[Context], scope: Scope
) -> list[Group]:
    """Uses that cannot rely on the insert of their value become groups of their own, which are the
    first item's value."""
    numbered = {(c.insertion.table, c.insertion.numbered) for c in contexts if c.insertion}
    by_order = {u.place.order: g for g in groups for u in g.uses}
    made: list[Group] = []
    for group in groups:
        origins = _origins(group, is_numbered=group.root in numbered)
        lost = [u for u in group.uses if not _may_rely(u, origins, scope)]
        first = by_order.get(origins[0].place.first or (-1, -1)) if origins else None
        if not lost or first is None or first is group:
            continue
        group.uses = [u for u in group.uses if u not in lost]
        made.append(_derived(alike(group, lost, len(groups) + len(made)), first))
    return made


def _origins(group: Group, *, is_numbered: bool) -> list[Use]:
    """Where the flow itself makes the value: the places that insert it as their own column; for the
    server's ids the first use, which is in the turn of the insert."""
    inserts = [u for u in group.uses if u.is_plain and u.column == group.root]
    inserts = [u for u in inserts if u.meeting.role == INSERTED]
    return inserts or (group.uses[:1] if is_numbered else [])


def _may_rely(use: Use, origins: Sequence[Use], scope: Scope) -> bool:
    """Some origin runs whenever the use runs; what the flow does not make is always there."""
    return not origins or any(scope.covers(o.place.turn, use.place.turn) for o in origins)


def _derived(group: Group, source: Group) -> Group:
    group.kind, group.expression, group.needs = VariableKind.DERIVED, source.reference, [source]
    group.because = "the last item's where the basket has several; always the first item's"
    return group


def repeat_names(
    alignment: Alignment, contexts: Sequence[Context], taken: Collection[str]
) -> dict[str, str]:
    """Names for the repeats, after the table that they first insert into, else the first one that
    they meet; none of `taken`."""
    names: dict[str, str] = {}
    for repeat in alignment.repeats:
        table = _table(alignment, contexts, repeat)
        number = 0
        while f"{table}_{number}" in {*taken, *names.values()}:
            number += 1
        names[repeat] = f"{table}_{number}"
    return names


def _table(alignment: Alignment, contexts: Sequence[Context], repeat: str) -> str:
    inserted: list[str] = []
    met: list[str] = []
    for one, context in zip(alignment.laid, contexts, strict=True):
        turns: list[Turn | None] = [one.part.turn, *(r.turn for r in one.rows)]
        if any(t and t.repeat == repeat for t in turns):
            inserted += [context.insertion.table] if context.insertion else []
            met += [m.table for m in context.meetings]
    found = next((t for t in (*inserted, *met) if t), "")
    return re.sub(r"\W+", "_", found, flags=re.ASCII).strip("_").lower() or "repeat"

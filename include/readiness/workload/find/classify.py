"""Says where each group's value comes from: the server, the flow itself, or a row that exists.

What the flow inserts into its own key is fresh, whatever the database holds by now. What it looks
up, or refers to, and never inserts, exists. AUTO_INCREMENT ids belong to the insert before them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from readiness.model.workload import VariableKind
from readiness.workload.find.context import COMPARED, INSERTED, LISTED, Context, Insertion
from readiness.workload.find.groups import Group
from readiness.workload.find.id_doubts import doubts, release_strays, without_kept_rows
from readiness.workload.find.relations import are_forms_of_one
from readiness.workload.find.turns import Scope
from readiness.workload.schema import Schema

Exists = Callable[[str, str, bytes], bool]

_MANY = 10_000  # rows that an INSERT … SELECT is taken to make at most


def bind_server_ids(
    groups: Sequence[Group], contexts: Sequence[Context], schema: Schema, scope: Scope
) -> list[str]:
    """Marks AUTO_INCREMENT ids as SERVER, each with its insert and its offset; gives warnings."""
    inserts: dict[str, list[tuple[int, Insertion]]] = {}
    for i, context in enumerate(contexts):
        if context.insertion and context.insertion.numbered:
            inserts.setdefault(context.insertion.table, []).append((i, context.insertion))
    warnings: list[str] = []
    sure: list[Group] = []
    for table, made in sorted(inserts.items(), key=lambda i: any(m.may_keep for _, m in i[1])):
        column = schema.tables[table].auto_increment_column
        ids = [g for g in groups if g.root == (table, column) and _may_be_numbered(g, made)]
        ids = without_kept_rows(ids, made, sure)
        _assign(ids, made, scope)
        release_strays(ids, made)
        warnings += _set_offsets(ids, made)
        warnings += doubts(ids, made)
        sure += [g for g in ids if g.bound_by >= 0 and not any(m.may_keep for _, m in made)]
    return warnings


def _may_be_numbered(group: Group, inserts: Sequence[tuple[int, Insertion]]) -> bool:
    """Whole numbers, different in each capture, first used after an insert into the table."""
    seen = [v for v in group.observed if v is not None]
    return (
        not group.is_settled
        and all(v.isdigit() for v in seen)
        and len(set(seen)) == len(seen)
        and group.order[0] > inserts[0][0]
        and not group.is_inserted_into(group.root or ("", ""))
    )


def _assign(ids: Sequence[Group], inserts: Sequence[tuple[int, Insertion]], scope: Scope) -> None:
    """From the highest id down: the latest insert before its first use that has a row left, and that
    runs whenever the id is used. Ids of single turns first: each has an insert of its turn.

    Ids whose order over the captures is not that of most others are rows that existed before."""
    room = {i: insertion.rows or _MANY for i, insertion in inserts}
    latest = inserts[-1][0]
    was_turned = True
    for group in sorted(_in_step(ids), key=_by_turn_and_id(ids), reverse=True):
        is_turned = _is_turned(group)
        latest = latest if is_turned == was_turned else inserts[-1][0]
        was_turned = is_turned
        before = [i for i, _ in inserts if i < group.order[0] and i <= latest and room[i]]
        free = [i for i in before if all(scope.relies(u.place.turn, i) for u in group.uses)]
        if free:
            latest = free[-1]
            room[latest] -= 1
            group.kind = VariableKind.SERVER
            group.bound_by = latest
            group.because = "AUTO_INCREMENT id of an insert in this flow"


def _is_turned(group: Group) -> bool:
    return all(u.place.turn for u in group.uses)


def _by_turn_and_id(ids: Sequence[Group]) -> Callable[[Group], tuple[bool, int]]:
    by_id = _by_id(ids)
    return lambda group: (_is_turned(group), by_id(group))


def _by_id(ids: Sequence[Group]) -> Callable[[Group], int]:
    """The id in the capture that shows most of them: elsewhere padding stands for some."""
    shown = [
        sum(v is not None for v in column)
        for column in zip(*(g.observed for g in ids), strict=True)
    ]
    best = shown.index(max(shown)) if shown else 0

    def id_of(group: Group) -> int:
        return int(group.values[best] or next(v for v in group.values if v is not None))

    return id_of


def _in_step(ids: Sequence[Group]) -> list[Group]:
    """The ids that rise and fall over the captures together with the highest of them.

    A server numbers upward, so all new ids of one table share the captures' order in time."""
    if not ids:
        return []
    by_id = _by_id(ids)
    newest = max(ids, key=lambda g: (sum(v is not None for v in g.observed), by_id(g)))

    def agrees(group: Group) -> bool:
        pairs = [
            (int(a), int(b))
            for a, b in zip(group.observed, newest.observed, strict=True)
            if a is not None and b is not None
        ]
        return sorted(pairs) == sorted(pairs, key=lambda p: p[1])

    return [g for g in ids if agrees(g)]


def _set_offsets(ids: Sequence[Group], inserts: Sequence[tuple[int, Insertion]]) -> list[str]:
    """Offsets of the ids of one multi-row insert, and a warning where captures disagree."""
    warnings = []
    for at, insertion in inserts:
        bound = sorted((g for g in ids if g.bound_by == at), key=_by_id(ids))
        for group in bound:
            offsets = {
                int(v) - int(w)
                for v, w in zip(group.observed, bound[0].observed, strict=True)
                if v is not None and w is not None
            }
            group.offset = min(offsets, default=0)
            if len(offsets) > 1:
                warnings.append(
                    f"the ids of one multi-row insert into {insertion.table} lie apart differently "
                    "in the captures; the smallest distance is used"
                )
    return warnings


def bind_choices(groups: Sequence[Group], scope: Scope) -> None:
    """A value that equals, in each capture, some other of the flow's own keys was chosen by the
    user (the second of three offers): it becomes the one chosen in the first capture, or the first
    one where that may be missing from a smaller basket."""
    made = [g for g in groups if g.root and (g.rank == 0 or g.kind is VariableKind.SERVER)]
    made = [g for g in made if not g.stays_inline]
    for group in groups:
        if group.kind or group.is_settled or group.root is None:
            continue
        if group.is_inserted_into(group.root):
            continue
        siblings = [g for g in made if g is not group and g.root == group.root]
        chosen = [
            next((s for s in siblings if s.values[i] == v and s.order <= group.order), None)
            for i, v in enumerate(group.values)
            if v is not None
        ]
        there = [s for s in (*chosen[:1], *siblings) if s and _is_there(s, group, scope)]
        if there and all(chosen):
            group.kind = VariableKind.DERIVED
            group.expression, group.needs = there[0].reference, [there[0]]
            group.because = "one of several rows of this flow, chosen by the user"
            group.is_choice = True


def _is_there(source: Group, group: Group, scope: Scope) -> bool:
    """The flow has made the source whenever it uses the group."""
    turn = source.uses[0].place.turn
    is_made = source.order <= group.order
    return is_made and all(scope.covers(turn, u.place.turn) for u in group.uses)


def classify(
    groups: Sequence[Group],
    schema: Schema,
    exists: Exists | None,
    *,
    among: Sequence[Group] = (),
) -> list[str]:
    """Sets FRESH, EXISTING or None (inline) on the groups without kind; gives warnings. `among` are all
    groups of the flow, where those are others."""
    warnings: list[str] = []
    for group in groups:
        if group.kind is not None or group.is_settled:
            continue
        if _is_existing(group, schema) and not _is_made_in_another_form(group, among or groups):
            group.kind = VariableKind.EXISTING
            group.because = "looked up or referred to, never inserted by the flow"
            warnings += _confirm(group, schema, exists)
        elif group.is_indexed or group.statements > 1:
            group.kind = VariableKind.FRESH
            group.because = "met by an index" if group.is_indexed else "used in several statements"
    return warnings


def _is_existing(group: Group, schema: Schema) -> bool:
    if group.root is None or group.is_inserted_into(group.root):
        return False
    if not schema.is_indexed(*group.root):
        return False
    is_reference = group.root != group.home.column
    is_looked_up = group.home.meeting.role in (COMPARED, LISTED)
    return is_reference or (is_looked_up and not _is_stored(group))


def _is_made_in_another_form(group: Group, groups: Sequence[Group]) -> bool:
    """The flow inserts it by a function: `UNHEX('5f1c…')` makes the key that x'5f1c…' refers to."""
    return any(
        use.meeting.is_wrapped
        and use.meeting.role == INSERTED
        and use.column == group.root
        and are_forms_of_one(group.values, other.values)
        for other in groups
        if other is not group
        for use in other.uses
    )


def _is_stored(group: Group) -> bool:
    """The flow inserts the value somewhere before it looks it up."""
    return group.uses[0].meeting.role == INSERTED


def _confirm(group: Group, schema: Schema, exists: Exists | None) -> list[str]:
    """Asks the source; a value that it does not hold becomes fresh, or stays inline."""
    table, column = group.root or ("", "")
    if exists is None:
        return []
    group.is_at_source = all(exists(table, column, v) for v in group.values if v is not None)
    if group.is_at_source:
        return []
    group.kind = VariableKind.FRESH if schema.is_unique(table, column) else None
    group.because = "looked up, but the source does not hold it"
    return [
        f"a value looked up in {table}.{column} does not exist at the source: it is treated as "
        + ("fresh, so the look-up will find nothing" if group.kind else "an inline literal")
    ]

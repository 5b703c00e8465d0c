"""Says where each group's value comes from: the server, the flow itself, or a row that exists.

What the flow inserts into its own key is fresh, whatever the database holds by now. What it looks
up, or refers to, and never inserts, exists. AUTO_INCREMENT ids belong to the insert before them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from readiness.model.workload import VariableKind
from readiness.workload.context import COMPARED, INSERTED, LISTED, Context, Insertion
from readiness.workload.groups import Group
from readiness.workload.id_doubts import doubts, release_strays, without_kept_rows
from readiness.workload.schema import Schema

Exists = Callable[[str, str, bytes], bool]

_MANY = 10_000  # rows that an INSERT … SELECT is taken to make at most


def bind_server_ids(
    groups: Sequence[Group], contexts: Sequence[Context], schema: Schema
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
        _assign(ids, made)
        release_strays(ids, made)
        warnings += _set_offsets(ids, made)
        warnings += doubts(ids, made)
        sure += [g for g in ids if g.bound_by >= 0 and not any(m.may_keep for _, m in made)]
    return warnings


def _may_be_numbered(group: Group, inserts: Sequence[tuple[int, Insertion]]) -> bool:
    """Whole numbers, different in each capture, first used after an insert into the table."""
    seen = [v for v in group.values if v is not None]
    return (
        all(v.isdigit() for v in seen)
        and len(set(seen)) == len(seen)
        and group.order[0] > inserts[0][0]
        and not group.is_inserted_into(group.root or ("", ""))
    )


def _assign(ids: Sequence[Group], inserts: Sequence[tuple[int, Insertion]]) -> None:
    """From the highest id down: the latest insert before its first use that has a row left.

    Ids whose order over the captures is not that of most others are rows that existed before."""
    room = {i: insertion.rows or _MANY for i, insertion in inserts}
    latest = inserts[-1][0]
    for group in sorted(_in_step(ids), key=_first_id, reverse=True):
        free = [i for i, _ in inserts if i < group.order[0] and i <= latest and room[i]]
        if free:
            latest = free[-1]
            room[latest] -= 1
            group.kind = VariableKind.SERVER
            group.bound_by = latest
            group.because = "AUTO_INCREMENT id of an insert in this flow"


def _first_id(group: Group) -> int:
    return int(next(v for v in group.values if v is not None))


def _in_step(ids: Sequence[Group]) -> list[Group]:
    """The ids that rise and fall over the captures together with the highest of them.

    A server numbers upward, so all new ids of one table share the captures' order in time."""
    if not ids:
        return []
    newest = max(ids, key=_first_id)

    def agrees(group: Group) -> bool:
        pairs = [
            (int(a), int(b))
            for a, b in zip(group.values, newest.values, strict=True)
            if a is not None and b is not None
        ]
        return sorted(pairs) == sorted(pairs, key=lambda p: p[1])

    return [g for g in ids if agrees(g)]


def _set_offsets(ids: Sequence[Group], inserts: Sequence[tuple[int, Insertion]]) -> list[str]:
    """Offsets of the ids of one multi-row insert, and a warning where captures disagree."""
    warnings = []
    for at, insertion in inserts:
        bound = sorted((g for g in ids if g.bound_by == at), key=_first_id)
        for group in bound:
            offsets = {
                int(v) - int(w)
                for v, w in zip(group.values, bound[0].values, strict=True)
                if v is not None and w is not None
            }
            group.offset = min(offsets)
            if len(offsets) > 1:
                warnings.append(
                    f"the ids of one multi-row insert into {insertion.table} lie apart differently "
                    "in the captures; the smallest distance is used"
                )
    return warnings


def bind_choices(groups: Sequence[Group]) -> None:
    """A value that equals, in each capture, some other of the flow's own keys was chosen by the
    user (the second of three offers): it becomes the one chosen in the first capture."""
    made = [g for g in groups if g.rank == 0 and g.root]
    for group in groups:
        if group.kind or group.root is None or group.is_inserted_into(group.root):
            continue
        siblings = [g for g in made if g is not group and g.root == group.root]
        chosen = [
            next((s for s in siblings if s.values[i] == v and s.order <= group.order), None)
            for i, v in enumerate(group.values)
            if v is not None
        ]
        if chosen and chosen[0] and all(chosen):
            group.kind = VariableKind.DERIVED
            group.expression, group.needs = chosen[0].reference, [chosen[0]]
            group.because = "one of several rows of this flow, chosen by the user"


def classify(groups: Sequence[Group], schema: Schema, exists: Exists | None) -> list[str]:
    """Sets FRESH, EXISTING or None (inline) on the groups without kind; gives warnings."""
    warnings: list[str] = []
    for group in groups:
        if group.kind is not None:
            continue
        if _is_existing(group, schema):
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


def _is_stored(group: Group) -> bool:
    """The flow inserts the value somewhere before it looks it up."""
    return group.uses[0].meeting.role == INSERTED


def _confirm(group: Group, schema: Schema, exists: Exists | None) -> list[str]:
    """Asks the source; a value that it does not hold becomes fresh, or stays inline."""
    table, column = group.root or ("", "")
    if exists is None or all(exists(table, column, v) for v in group.values if v is not None):
        return []
    group.kind = VariableKind.FRESH if schema.is_unique(table, column) else None
    group.because = "looked up, but the source does not hold it"
    return [
        f"a value looked up in {table}.{column} does not exist at the source: it is treated as "
        + ("fresh, so the look-up will find nothing" if group.kind else "an inline literal")
    ]

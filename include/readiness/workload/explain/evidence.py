"""The witness of a build: for each variable, and each value that became none, what speaks for it.

It reads groups after all rules; it decides nothing. What it says holds no captured value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from readiness.model.explanation import (
    ABSENT,
    CHOICE,
    INLINE,
    LISTED,
    POLICY,
    STRUCTURAL,
    UNINDEXED,
    Evidence,
    Explanation,
    FixedPlace,
)
from readiness.model.workload import VariableKind
from readiness.workload.find.context import (
    COMPARED,
    INSERTED,
    LIKE,
    NOWHERE,
    SET,
    Context,
    Meeting,
)
from readiness.workload.find.context import LISTED as IN_LIST
from readiness.workload.find.doubts import doubts_of
from readiness.workload.find.groups import Group, Use
from readiness.workload.find.names import Identity, identities
from readiness.workload.find.places import Place
from readiness.workload.schema import Schema

_ROLES = {
    INSERTED: "inserted into",
    SET: "written to",
    COMPARED: "compared with",
    IN_LIST: "in a list compared with",
    LIKE: "in a LIKE of",
}
_FEW = 2  # captures
_SHARE = re.compile(r"@\S+ (?:-|DIV|\* \d+ DIV) ")  # arithmetic that few numbers may fit


def statement_id(number: int) -> str:
    """`s004` of the statement with number 3."""
    return f"s{number + 1:03d}"


class Witness:
    """One build as it stands after naming; `was` gives the name of each group without overrides."""

    def __init__(
        self,
        places: Sequence[Place],
        contexts: Sequence[Context],
        schema: Schema,
        groups: Sequence[Group],
        was: Mapping[Identity, str],
    ) -> None:
        self._places = places
        self._contexts = contexts
        self._schema = schema
        self._groups = groups
        self._was = dict(zip(map(id, groups), map(was.get, identities(groups)), strict=True))

    def explain(self, not_aligned: Sequence[str]) -> Explanation:
        """All there is to say."""
        return Explanation(
            tuple(self._evidence(g, _kind(g)) for g in self._groups if g.kind),
            tuple(self._evidence(g, _left(g)) for g in self._groups if not g.kind),
            tuple(self._fixed()),
            tuple(doubts_of(self._groups, self._schema)),
            tuple(not_aligned),
            tuple(self._unsettled()),
        )

    def _evidence(self, group: Group, kind: str) -> Evidence:
        was = self._was[id(group)] or ""
        return Evidence(
            group.name,
            kind,
            ".".join(filter(None, group.column)),
            tuple(dict.fromkeys(statement_id(u.place.statement) for u in group.uses)),
            tuple(self._indexes(group)),
            tuple(self._foreign_keys(group)),
            tuple(self._facts(group)),
            group.override.because or _because(group.because) or _why_left(kind),
            was if was != group.name else "",
            group.override.kind != "" or group.override.name != "",
        )

    def _indexes(self, group: Group) -> Iterator[str]:
        """The indexes of the column it is about; where that has none, those of its first use that
        has."""
        columns = [group.column, *(u.column for u in group.uses)]
        column = next((c for c in columns if self._schema.is_indexed(*c)), None)
        if column is None:
            return
        for index in self._schema.tables[column[0]].indexes:
            if column[1] in index.columns:
                unique = "unique " if index.unique else ""
                yield f"{unique}{column[0]}.{index.name} ({', '.join(index.columns)})"

    def _foreign_keys(self, group: Group) -> Iterator[str]:
        """`loans.user_id → users.id` for each key on the way from its uses."""
        seen = {u.column for u in group.uses if u.is_plain and u.column != group.root}
        for column in sorted(seen):
            if group.root and self._schema.root(*column) == group.root:
                is_implied = column in self._schema.implied
                how = " (by its name; no foreign key says so)" if is_implied else ""
                yield f"{'.'.join(column)} → {'.'.join(group.root)}{how}"

    def _facts(self, group: Group) -> Iterator[str]:
        yield _first_use(group)
        if inserted := _insert_of(group):
            yield f"inserted first by {statement_id(inserted.place.statement)}"
        yield _seen(group)
        if _rises(group):
            yield "rises from capture to capture"
        if group.kind is VariableKind.SERVER:
            plus = f", {group.offset} behind its first id" if group.offset else ""
            yield f"numbered by the insert {statement_id(group.bound_by)}{plus}"
        yield from _at_source(group)
        if group.needs:
            needs = ", ".join(sorted({f"@{n.name}" for n in group.needs}))
            chosen = ", chosen each time" if group.is_choice else ""
            yield f"computed from {needs}{chosen}"

    def _fixed(self) -> Iterator[FixedPlace]:
        for place in self._places:
            if place.is_constant or len([v for v in place.values if v is not None]) < _FEW:
                continue
            meeting = self._meeting(place)
            if place.literal.is_structural:
                kind, why = STRUCTURAL, "shapes the statement, so that of the first capture stays"
            elif self._schema.is_fixed(meeting.table, meeting.column):
                kind, why = self._why_fixed(meeting.table, meeting.column)
            else:
                continue
            column = ".".join(filter(None, (meeting.table, meeting.column)))
            at = statement_id(place.statement)
            yield FixedPlace(kind, at, place.index + 1, column, why)

    def _why_fixed(self, table: str, column: str) -> tuple[str, str]:
        if (table, column) in self._schema.kept:
            return POLICY, "kept by the policy, so that of the first capture stays"
        if (table, column) in self._schema.apart:
            return POLICY, "the policy says what stands here"
        return LISTED, "a word that the schema lists, so that of the first capture stays"

    def _meeting(self, place: Place) -> Meeting:
        meetings = self._contexts[place.statement].meetings
        return meetings[place.index] if place.index < len(meetings) else NOWHERE

    def _unsettled(self) -> Iterator[str]:
        """With two captures: what is equal in both perhaps by accident, and what holds only twice."""
        if not self._places or len(self._places[0].values) > _FEW:
            return
        columns: dict[str, list[str]] = {}
        for place in self._places:
            meeting = self._meeting(place)
            is_value = place.is_constant and not place.literal.is_structural
            if is_value and meeting.role == INSERTED and not meeting.is_wrapped:
                name = f"{meeting.table}.{meeting.column}"
                columns.setdefault(name, []).append(statement_id(place.statement))
        for name, statements in sorted(columns.items()):
            at = ", ".join(dict.fromkeys(statements))
            yield f"{name} ({at}) is equal in both captures, a constant of the code or an accident"
        for group in self._groups:
            if group.is_choice or _SHARE.match(group.expression):
                yield f"@{group.name} follows from other values in both captures, a rule or an accident"


def _kind(group: Group) -> str:
    return CHOICE if group.is_choice else str(group.kind)


def _left(group: Group) -> str:
    """The class of a value that stays in the text."""
    if group.stays_inline:
        return INLINE
    return ABSENT if group.is_at_source is False else UNINDEXED


def _because(reason: str) -> str:
    """A function that a rule found is told as a sentence."""
    if "{" not in reason:
        return reason
    return f"{re.sub(r'{0?}', '…', reason)} of another value, in every capture"


def _why_left(kind: str) -> str:
    return {UNINDEXED: "no index holds it and one statement uses it"}.get(kind, "")


def _at_source(group: Group) -> Iterator[str]:
    if group.is_at_source is not None:
        yield f"{'exists' if group.is_at_source else 'does not exist'} at the source in every capture"
    elif group.kind is VariableKind.EXISTING:
        yield "no source was asked whether it exists"


def _first_use(group: Group) -> str:
    use = group.uses[0]
    how = _ROLES.get(use.meeting.role, "") if use.is_plain else ""
    at = statement_id(use.place.statement)
    if group.is_part and not group.root:
        return f"a stretch of a text in {at}"
    if how:
        return f"first used in {at}, {how} {'.'.join(use.column)}"
    within = f" that meets {'.'.join(use.column)}" if use.meeting.column else ""
    return f"first used in {at}, within an expression{within}"


def _insert_of(group: Group) -> Use | None:
    """The first insert into the column it is about, when that is not its first use."""
    inserts = [
        u
        for u in group.uses
        if u.is_plain and u.meeting.role == INSERTED and u.column == group.column
    ]
    return inserts[0] if inserts and inserts[0] is not group.uses[0] else None


def _seen(group: Group) -> str:
    seen = [v for v in group.observed if v is not None]
    different = len(set(seen))
    how = ", different in each" if different == len(seen) else f", {different} different values"
    return f"seen in {len(seen)} of {len(group.values)} captures{how if len(seen) > 1 else ''}"


def _rises(group: Group) -> bool:
    seen = [v for v in group.observed if v is not None]
    if len(seen) < _FEW or not all(v.isdigit() for v in seen):
        return False
    numbers = [int(v) for v in seen]
    return sorted(set(numbers)) == numbers

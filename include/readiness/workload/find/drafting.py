"""Writes down what was found: variables, steps as pieces, binds, and the funnel of counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from readiness.model.draft import RawDraft, RawLiteral, RawStep, RawVariable
from readiness.model.transactions import Outcome
from readiness.model.workload import (
    Bind,
    Form,
    Repeat,
    Sample,
    Slot,
    Turn,
    VariableKind,
)
from readiness.sql.shape import fingerprint
from readiness.workload.explain.impossible import is_given
from readiness.workload.find.align import Alignment
from readiness.workload.find.context import NOWHERE, Context
from readiness.workload.find.groups import Group, Use
from readiness.workload.find.pieces import literal_text, pieces_of
from readiness.workload.find.places import Laid, Place
from readiness.workload.find.recognize import generator_for
from readiness.workload.find.statements import Statement
from readiness.workload.schema import Schema


class Drafting:
    """One draft in the making, from named groups."""

    def __init__(
        self,
        alignment: Alignment,
        repeats: Mapping[str, str],
        contexts: Sequence[Context],
        groups: Sequence[Group],
        schema: Schema,
    ) -> None:
        self._alignment = alignment
        self._repeats = repeats  # provisional name to name
        self._places = alignment.places
        self._contexts = contexts
        self._schema = schema
        self._groups = groups
        self._kept = [g for g in groups if g.kind]
        self._extra: dict[str, RawVariable] = {}  # other literal forms of a variable
        self._slots = {
            u.place.order: self._slot(g, u) for g in self._kept if not g.is_part for u in g.uses
        }

    def draft(
        self, name: str, captures: int, samples: Sequence[Sample], warnings: Sequence[str]
    ) -> RawDraft:
        """The whole draft."""
        threads: dict[int, int] = {}
        for statement in self._alignment.statements:
            threads.setdefault(statement.thread, len(threads) + 1)
        collation = self._schema.collation
        return RawDraft(
            name,
            captures,
            (*(self._variable(g, g.kind) for g in self._groups if g.kind), *self._extra.values()),
            tuple(samples),
            tuple(
                self._step(i, one, threads[one.part.statement.thread])
                for i, one in enumerate(self._alignment.laid)
            ),
            self._outcomes(),
            self._counts(),
            "SET NAMES utf8mb4" + (f" COLLATE {collation}" if collation else ""),
            tuple(warnings),
            tuple(Repeat(self._repeats[n], c) for n, c in self._alignment.repeats.items()),
        )

    def _outcomes(self) -> tuple[Outcome, ...]:
        """One for each transaction, in order."""
        parts = (one.part for one in self._alignment.laid)
        return tuple(p.outcome for p in parts if p.closes or not p.statement.transaction)

    def _named(self, turn: Turn) -> Turn:
        return Turn(self._repeats[turn.repeat], turn.number)

    def _variable(self, group: Group, kind: VariableKind) -> RawVariable:
        table, column = group.column
        seen = [v for v in group.values if v is not None]
        form = _form(group)
        said = group.override.generator
        generator = said
        if kind is VariableKind.FRESH and not said:
            is_whole = not group.is_part and self._schema.is_whole(*group.home.column)
            generator = generator_for(seen, column, form, is_whole=is_whole)
        return RawVariable(
            group.name,
            kind,
            generator,
            table,
            column,
            form,
            group.values,
            group.expression,
            group.because,
            is_given=bool(said) and is_given(said),
            captured=self._captured(group),
        )

    @staticmethod
    def _captured(group: Group) -> tuple[bytes, ...]:
        """The captured texts behind values whose lists were made longer."""
        texts = (v for u in group.uses for v in u.place.captured if v is not None)
        return tuple(dict.fromkeys(t for t in texts if t not in group.values))

    def _slot(self, group: Group, use: Use) -> Slot:
        """The group's slot; a use in another literal form has a variable of its own."""
        form = use.place.literal.form
        if form is _form(group) or group.is_binary:
            return Slot(group.name)
        name = f"{group.name}_{form}"
        reference = f"@{group.name}"
        self._extra[name] = RawVariable(
            name,
            VariableKind.DERIVED,
            "",
            *group.column,
            form,
            group.values,
            f"CAST({reference} AS CHAR)" if form is Form.TEXT else f"{reference} + 0",
            f"{group.name} written as {form}",
        )
        return Slot(name)

    def _step(self, number: int, one: Laid, connection: int) -> RawStep:
        statement = one.part.statement
        rows = [replace(r, turn=self._named(r.turn)) for r in one.rows]
        binds = sorted(
            (g for g in self._kept if g.bound_by == number), key=lambda g: (g.offset, g.name)
        )
        return RawStep(
            f"s{number + 1:03d}",
            connection,
            statement.transaction,
            statement.kind,
            statement.pause_ms,
            pieces_of(statement, self._replaced(one), rows),
            tuple(Bind(g.name, g.offset) for g in binds),
            self._named(one.part.turn) if one.part.turn else None,
            fingerprint(statement.shape),
        )

    def _replaced(self, one: Laid) -> Mapping[int, Slot | RawLiteral]:
        statement = one.part.statement
        return {
            p.index: self._slots.get(p.order) or self._literal(p, statement) for p in one.places
        }

    def _literal(self, place: Place, statement: Statement) -> RawLiteral:
        literal = place.literal
        meetings = self._contexts[place.statement].meetings
        meeting = meetings[place.index] if place.index < len(meetings) else NOWHERE
        return RawLiteral(
            literal_text(statement, literal),
            literal.form,
            meeting.table,
            meeting.column,
            literal.is_structural,
            not place.is_constant and not self._schema.is_listed(meeting.table, meeting.column),
            (*place.captured[: place.capture], *place.captured[place.capture + 1 :]),
            place.capture,
        )

    def _counts(self) -> dict[str, int]:
        kinds = Counter(g.kind for g in self._groups)
        values = [p for p in self._places if not p.literal.is_structural]
        constant = sum(p.is_constant and p.order not in self._slots for p in values)
        return {
            "literals": len(self._places),
            "distinct": len({(p.literal.is_binary, p.literal.value) for p in self._places}),
            "structural": len(self._places) - len(values),
            "constant": constant,
            "varying": len(values) - constant,
            "groups": len(self._groups),
            "generated": kinds[VariableKind.FRESH] + kinds[VariableKind.EXISTING],
            **{kind.value: kinds[kind] for kind in VariableKind},
            "inline": kinds[None],
        }


def _form(group: Group) -> Form:
    """The literal form of a group's variable: that of its home; stretches of a text are text."""
    if group.is_part and group.is_binary:
        return Form.HEX
    if group.is_part:
        return Form.NUMBER if group.is_bare else Form.TEXT
    return group.home.place.literal.form

"""Writes down what was found: variables, steps as pieces, binds, and the funnel of counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from readiness.model.draft import RawDraft, RawLiteral, RawStep, RawVariable
from readiness.model.workload import Bind, Form, Sample, Slot, VariableKind
from readiness.workload.align import Place
from readiness.workload.context import NOWHERE, Context
from readiness.workload.groups import Group, Use
from readiness.workload.impossible import is_given
from readiness.workload.pieces import literal_text, pieces_of
from readiness.workload.recognize import generator_for
from readiness.workload.schema import Schema
from readiness.workload.statements import Flow, Statement


class Drafting:
    """One draft in the making, from named groups."""

    def __init__(
        self,
        flows: Sequence[Flow],
        places: Sequence[Place],
        contexts: Sequence[Context],
        groups: Sequence[Group],
        schema: Schema,
    ) -> None:
        self._flows = flows
        self._places = places
        self._contexts = contexts
        self._schema = schema
        self._groups = groups
        self._kept = [g for g in groups if g.kind]
        self._extra: dict[str, RawVariable] = {}  # other literal forms of a variable
        self._slots = {
            u.place.order: self._slot(g, u) for g in self._kept if not g.is_part for u in g.uses
        }

    def draft(self, name: str, samples: Sequence[Sample], warnings: Sequence[str]) -> RawDraft:
        """The whole draft."""
        threads: dict[int, int] = {}
        for statement in self._flows[0].statements:
            threads.setdefault(statement.thread, len(threads) + 1)
        collation = self._schema.collation
        return RawDraft(
            name,
            len(self._flows),
            (*(self._variable(g, g.kind) for g in self._groups if g.kind), *self._extra.values()),
            tuple(samples),
            tuple(
                self._step(i, s, threads[s.thread]) for i, s in enumerate(self._flows[0].statements)
            ),
            self._flows[0].outcomes,
            self._counts(),
            "SET NAMES utf8mb4" + (f" COLLATE {collation}" if collation else ""),
            tuple(warnings),
        )

    def _variable(self, group: Group, kind: VariableKind) -> RawVariable:
        table, column = group.column
        seen = [v for v in group.values if v is not None]
        form = _form(group.home, is_part=group.is_part)
        said = group.override.generator
        generator = said
        if kind is VariableKind.FRESH and not said:
            generator = generator_for(seen, column, form)
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
        )

    def _slot(self, group: Group, use: Use) -> Slot:
        """The group's slot; a use in another literal form has a variable of its own."""
        form = use.place.literal.form
        if form is _form(group.home, is_part=group.is_part) or group.is_binary:
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

    def _step(self, number: int, statement: Statement, connection: int) -> RawStep:
        binds = sorted(
            (g for g in self._kept if g.bound_by == number), key=lambda g: (g.offset, g.name)
        )
        return RawStep(
            f"s{number + 1:03d}",
            connection,
            statement.transaction,
            statement.kind,
            statement.pause_ms,
            pieces_of(statement, self._replaced(number)),
            tuple(Bind(g.name, g.offset) for g in binds),
        )

    def _replaced(self, statement: int) -> Mapping[int, Slot | RawLiteral]:
        found: dict[int, Slot | RawLiteral] = {}
        for place in self._places:
            if place.statement == statement:
                slot = self._slots.get(place.order)
                found[place.index] = slot or self._literal(place)
        return found

    def _literal(self, place: Place) -> RawLiteral:
        literal = place.literal
        meetings = self._contexts[place.statement].meetings
        meeting = meetings[place.index] if place.index < len(meetings) else NOWHERE
        return RawLiteral(
            literal_text(self._flows[0].statements[place.statement], literal),
            literal.form,
            meeting.table,
            meeting.column,
            literal.is_structural,
            not place.is_constant and not self._schema.is_listed(meeting.table, meeting.column),
            place.values[1:],
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


def _form(home: Use, *, is_part: bool) -> Form:
    """The literal form of a group's variable: that of its home; stretches of a text are text."""
    return Form.TEXT if is_part else home.place.literal.form

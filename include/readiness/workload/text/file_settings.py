"""Reads the statements of a workload file that set variables: @gen, @sample, @derive, @bind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

from readiness.errors import WorkloadError
from readiness.model.generator import GENERATORS, SIZED, example_of
from readiness.model.workload import Bind, Form, Sample, Variable, VariableKind
from readiness.sql.lexer import LITERALS, Token, form_of
from readiness.workload.make.expression import Place, compile_expression
from readiness.workload.make.generators import Lane, generator
from readiness.workload.make.literal import literal_of
from readiness.workload.text.annotations import (
    BIND,
    DERIVE,
    GEN,
    SAMPLE,
    Note,
    Select,
    Source,
    column_of,
    decoded,
    read_select,
)

_SET = re.compile(rb"SET\s+@(\w+)\s*:?=\s*(.+)", re.DOTALL | re.IGNORECASE)
_INSERT_ID = re.compile(rb"LAST_INSERT_ID\(\)(?:\s*\+\s*(\d+))?", re.IGNORECASE)
_MOST_TOKENS_OF_AN_EXAMPLE = 6  # SET, @name, =, a sign or an introducer, the literal
_TRIED = 8
_SOME_MS = 1_800_000_000_000


def _remedy(stem: str, spec: str) -> str:
    """The right argument for a generator that there is, else the nearest name."""
    name = spec.partition("(")[0]
    if name in GENERATORS:
        return f"Write for example: {example_of(name)}"
    near = get_close_matches(stem, [*GENERATORS, *SIZED], 1)
    return f"The nearest is {near[0]}." if near else "Write for example: uuid4"


class Settings:
    """Collects variables and samples, in the order of the file."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.variables: dict[str, Variable] = {}
        self.samples: list[Sample] = []

    def take(self, note: Note, tokens: Sequence[Token]) -> Bind | None:
        """The statement behind `note`; what it binds belongs to the statement before it."""
        text = self._source.data[tokens[0].start : tokens[-1].end]
        if note.name == "bind":
            return self._bind(note, text)
        if note.name == "sample":
            self._sample(note, read_select(text))
        elif note.name == "gen":
            self._gen(note, text, tokens)
        else:
            self._derive(note, text)
        return None

    def _assigned(self, note: Note, name: str, text: bytes, form: str) -> bytes:
        """The right side of `SET @name = …`."""
        match = _SET.fullmatch(text)
        if not match or match[1].decode() != name:
            self._source.fail(
                note.at, f"the statement after @{note.name} does not set @{name}", f"Write: {form}"
            )
        return match[2].strip()

    def _add(self, note: Note, variable: Variable) -> None:
        if variable.name in self.variables:
            self._source.fail(
                note.at,
                f"@{variable.name} is set a second time",
                "Give each variable its own name.",
            )
        self.variables[variable.name] = variable

    def _gen(self, note: Note, text: bytes, tokens: Sequence[Token]) -> None:
        match = self._source.matched(GEN, note, "-- @gen user_id_0 fresh uuid4 users.id")
        name, spec = match["name"], match["spec"]
        example = self._assigned(note, name, text, f"SET @{name} = 'an example';")
        literals = [t.kind for t in tokens if t.kind in LITERALS]
        if len(literals) != 1 or len(tokens) > _MOST_TOKENS_OF_AN_EXAMPLE:
            self._source.fail(
                note.at,
                f"@{name} is not set to one literal",
                "Write one example: a text in quotes, a number, or x'00ff'.",
            )
        form = form_of(literals[0])
        self._demand_generator(note, spec, form)
        column = column_of(match["column"])
        self._add(
            note, Variable(name, VariableKind.FRESH, spec, column, form, example=decoded(example))
        )

    def _demand_generator(self, note: Note, spec: str, form: Form) -> None:
        """It can be used, and some of its values are tried: a number must be one."""
        try:
            made = generator(spec, form, Lane(b""))
        except WorkloadError as error:
            self._source.fail(note.at, error.message, _remedy(re.split(r"[(\d]", spec)[0], spec))
        values = [made.make(n, b"\xff" * made.entropy, _SOME_MS) for n in range(_TRIED)]
        try:
            all(map(literal_of(form), values))
        except WorkloadError:
            self._source.fail(
                note.at,
                f"its example is a number, and {spec} makes texts",
                "Write the example in quotes, or a generator such as integer(100..999).",
            )

    def _derive(self, note: Note, text: bytes) -> None:
        match = self._source.matched(
            DERIVE, note, "-- @derive hash_0 derived text users.email_hash"
        )
        name = match["name"]
        expression = decoded(self._assigned(note, name, text, f"SET @{name} = MD5(@other_0);"))
        places = {n: Place(0, v.form) for n, v in self.variables.items()}
        try:
            compile_expression(expression, places)
        except WorkloadError as error:
            self._source.fail(
                note.at, error.message, error.hint or "Set what it reads in an earlier line."
            )
        kind, form, column = VariableKind(match["kind"]), Form(match["form"]), match["column"]
        self._add(note, Variable(name, kind, "", column_of(column), form, expression=expression))

    def _bind(self, note: Note, text: bytes) -> Bind:
        match = self._source.matched(BIND, note, "-- @bind loan_id_0 server number loans.id")
        name = match["name"]
        remedy = f"SET @{name} = LAST_INSERT_ID();"
        found = _INSERT_ID.fullmatch(self._assigned(note, name, text, remedy))
        if not found:
            self._source.fail(
                note.at, f"@{name} is not set to LAST_INSERT_ID()", f"Write: {remedy}"
            )
        column, form = column_of(match["column"]), Form(match["form"])
        self._add(note, Variable(name, VariableKind.SERVER, "", column, form))
        return Bind(name, int(found[1] or 0))

    def _sample(self, note: Note, select: Select | None) -> None:
        source = self._source
        match = source.matched(
            SAMPLE, note, "-- @sample id_0, sku_0 existing products  weight: order_items.product_id"
        )
        names = tuple(re.split(r"\s*,\s*", match["names"]))
        if not select or select.names != names or len(select.columns) != len(names):
            source.fail(
                note.at,
                "the statement after @sample is no SELECT of its variables",
                f"Write: SELECT a, b INTO {', '.join('@' + n for n in names)} FROM "
                f"{match['table']} ORDER BY a LIMIT 1 OFFSET 0;",
            )
        if select.table != match["table"]:
            source.fail(
                note.at,
                f"@sample names {match['table']}, the SELECT {select.table}",
                "Name one table in both.",
            )
        forms = self._forms(note, match["forms"], len(names))
        where = self._where(note, select)
        for name, column, form in zip(names, select.columns, forms, strict=True):
            at = f"{select.table}.{column}"
            self._add(note, Variable(name, VariableKind.EXISTING, "sample", at, form))
        self.samples.append(
            Sample(names, select.table, select.columns, match["weight"] or "", where, select.offset)
        )

    def _forms(self, note: Note, stated: str | None, count: int) -> list[Form]:
        forms = (stated or " ".join(["text"] * count)).split()
        if len(forms) != count or not set(forms) <= set(Form):
            self._source.fail(
                note.at,
                "forms: does not name one form for each variable",
                f"Forms are {', '.join(Form)}.",
            )
        return [Form(form) for form in forms]

    def _where(self, note: Note, select: Select) -> tuple[tuple[str, str], ...]:
        if select.where is None:
            self._source.fail(
                note.at,
                "the SELECT after @sample has a condition that is not column = @variable",
                "Join such conditions by AND; put nothing else into WHERE.",
            )
        sampled = {name for s in self.samples for name in s.variables}
        for _, name in select.where:
            if name not in sampled:
                self._source.fail(
                    note.at,
                    f"the SELECT after @sample reads @{name}, which no @sample before it gives",
                    "Sample the row that gives it first.",
                )
        return select.where

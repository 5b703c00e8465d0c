"""Reads `checkout.sql`; every mistake is told with its line and the remedy.

The file is lexed as one script. Comments that begin with `-- @` describe the statement after them;
a statement described as `@gen`, `@sample`, `@derive` or `@bind` sets variables, every other one is a
step of the flow. A `@name` in a step is a slot when the file sets it, else the application's own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import count
from pathlib import Path

from readiness.errors import SqlError, WorkloadError
from readiness.model.generator import GENERATORS, SIZED
from readiness.model.workload import (
    WORKLOAD_SCHEMA_VERSION,
    Bind,
    Form,
    Piece,
    Sample,
    Slot,
    Step,
    Variable,
    VariableKind,
    Workload,
)
from readiness.sql.kind import statement_kind
from readiness.sql.lexer import LITERALS, Token, TokenKind, form_of, lex
from readiness.workload.annotations import (
    BIND,
    DERIVE,
    GEN,
    SAMPLE,
    SETTING,
    TITLE,
    Note,
    Select,
    Source,
    column_of,
    decoded,
    figures,
    read_select,
)
from readiness.workload.expression import Place, compile_expression
from readiness.workload.generators import Lane, generator

_TITLE_FORM = f"-- @workload NAME  schema_version: {WORKLOAD_SCHEMA_VERSION}  captures: 3"
_SET = re.compile(rb"SET\s+@(\w+)\s*:?=\s*(.+)", re.DOTALL | re.IGNORECASE)
_INSERT_ID = re.compile(rb"LAST_INSERT_ID\(\)(?:\s*\+\s*(\d+))?", re.IGNORECASE)
_MOST_TOKENS_OF_AN_EXAMPLE = 6  # SET, @name, =, a sign or an introducer, the literal


def read_workload(data: bytes, path: Path) -> Workload:
    """The workload of a file's bytes; raises WorkloadFileError."""
    return _Reader(Source(data, path)).read()


class _Reader:
    """One pass over the tokens, collecting variables, samples and steps."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._title: tuple[str, int] | None = None
        self._counts: dict[str, int] = {}
        self._set_names = ""
        self._variables: dict[str, Variable] = {}
        self._samples: list[Sample] = []
        self._steps: list[Step] = []
        self._connection, self._transaction = 1, 0
        self._foreign: dict[str, int] = {}  # variables no line above sets, and their first byte
        self._of_application: set[str] = set()

    def read(self) -> Workload:
        """Everything; see `read_workload`."""
        try:
            tokens = lex(self._source.data)
        except SqlError as error:
            self._source.fail(
                error.at,
                "a quoted text, name or comment that opens here never ends",
                "Close it, or write a quote inside a text twice.",
            )
        self._walk(tokens)
        if not self._title:
            self._source.fail(0, "there is no line -- @workload", f"Begin with: {_TITLE_FORM}")
        self._check_foreign()
        return Workload(
            name=self._title[0],
            captures=self._title[1],
            variables=tuple(self._variables.values()),
            samples=tuple(self._samples),
            steps=_with_ids(self._steps),
            counts=self._counts,
            set_names=self._set_names,
        )

    def _text(self, tokens: Sequence[Token]) -> bytes:
        return self._source.data[tokens[0].start : tokens[-1].end]

    def _walk(self, tokens: Sequence[Token]) -> None:
        """Cuts the script at its semicolons; annotations gather for the statement after them."""
        source = self._source
        notes: list[Note] = []
        statement: list[Token] = []
        for token in tokens:
            text = self._text([token])
            if token.kind is TokenKind.COMMENT and text.startswith(b"-- @"):
                if statement:
                    line = source.line(statement[0].start)
                    source.fail(
                        token.start,
                        f"an annotation stands inside the statement that begins in line {line}",
                        "End that statement with a semicolon.",
                    )
                for note in source.notes(text, token.start):
                    notes += self._taken(note)
            elif token.kind is TokenKind.OPERATOR and text == b";":
                if statement:
                    self._statement(notes, statement)
                    notes, statement = [], []
            elif statement or token.kind is not TokenKind.COMMENT:
                statement.append(token)
        if statement:
            source.fail(statement[0].start, "a statement has no semicolon", "End it with one.")
        if notes:
            source.fail(notes[0].at, f"no statement follows @{notes[0].name}", "Remove the line.")

    def _taken(self, note: Note) -> list[Note]:
        """[] for what describes the whole file."""
        if note.name == "counts":
            self._counts = figures(note.text)
        elif note.name == "workload":
            self._read_title(note)
        else:
            return [note]
        return []

    def _read_title(self, note: Note) -> None:
        match = self._source.matched(TITLE, note, _TITLE_FORM)
        stated = figures(match["figures"])
        version = stated.get("schema_version")
        if version is None:
            self._source.fail(note.at, "schema_version is missing", f"Write: {_TITLE_FORM}")
        if version != WORKLOAD_SCHEMA_VERSION:
            self._source.fail(
                note.at,
                f"the file has schema_version {version}; this release reads "
                f"{WORKLOAD_SCHEMA_VERSION}",
                "Use the release that wrote it, or build the workload again.",
            )
        if self._title:
            self._source.fail(note.at, "a second line @workload", "Keep one flow in one file.")
        self._title = (match["name"], stated.get("captures", 0))

    def _statement(self, notes: list[Note], tokens: list[Token]) -> None:
        if any(note.name in SETTING for note in notes):
            if len(notes) > 1:
                self._source.fail(
                    notes[1].at,
                    f"@{notes[0].name} and @{notes[1].name} describe one statement",
                    "Give each its own statement.",
                )
            self._set(notes[0], tokens)
        elif not notes and self._is_set_names(tokens):
            self._set_names = decoded(self._text(tokens))
        else:
            self._step(notes, tokens)

    def _is_set_names(self, tokens: Sequence[Token]) -> bool:
        words = [self._text([t]).upper() for t in tokens[:2]]
        return words == [b"SET", b"NAMES"] and not self._steps and not self._set_names

    def _set(self, note: Note, tokens: Sequence[Token]) -> None:
        text = self._text(tokens)
        if note.name == "sample":
            self._sample(note, read_select(text))
        elif note.name == "gen":
            self._gen(note, text, tokens)
        elif note.name == "derive":
            self._derive(note, text)
        else:
            self._bind(note, text)

    def _assigned(self, note: Note, name: str, text: bytes, form: str) -> bytes:
        """The right side of `SET @name = …`."""
        match = _SET.fullmatch(text)
        if not match or match[1].decode() != name:
            self._source.fail(
                note.at, f"the statement after @{note.name} does not set @{name}", f"Write: {form}"
            )
        return match[2].strip()

    def _add(self, note: Note, variable: Variable) -> None:
        if variable.name in self._variables:
            self._source.fail(
                note.at,
                f"@{variable.name} is set a second time",
                "Give each variable its own name.",
            )
        self._variables[variable.name] = variable

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
        try:
            generator(spec, form, Lane(b""))
        except WorkloadError as error:
            near = get_close_matches(re.split(r"[(\d]", spec)[0], [*GENERATORS, *SIZED], 1)
            hint = f"The nearest is {near[0]}." if near else "Write for example: uuid4"
            self._source.fail(note.at, error.message, hint)
        column = column_of(match["column"])
        self._add(
            note, Variable(name, VariableKind.FRESH, spec, column, form, example=decoded(example))
        )

    def _derive(self, note: Note, text: bytes) -> None:
        match = self._source.matched(
            DERIVE, note, "-- @derive hash_0 derived text users.email_hash"
        )
        name = match["name"]
        expression = decoded(self._assigned(note, name, text, f"SET @{name} = MD5(@other_0);"))
        places = {n: Place(0, v.form) for n, v in self._variables.items()}
        try:
            compile_expression(expression, places)
        except WorkloadError as error:
            self._source.fail(
                note.at, error.message, error.hint or "Set what it reads in an earlier line."
            )
        kind, form, column = VariableKind(match["kind"]), Form(match["form"]), match["column"]
        self._add(note, Variable(name, kind, "", column_of(column), form, expression=expression))

    def _bind(self, note: Note, text: bytes) -> None:
        match = self._source.matched(BIND, note, "-- @bind loan_id_0 server number loans.id")
        name = match["name"]
        remedy = f"SET @{name} = LAST_INSERT_ID();"
        found = _INSERT_ID.fullmatch(self._assigned(note, name, text, remedy))
        if not found:
            self._source.fail(
                note.at, f"@{name} is not set to LAST_INSERT_ID()", f"Write: {remedy}"
            )
        if not self._steps:
            self._source.fail(
                note.at, f"@{name} takes an id before any statement", "Move it after the INSERT."
            )
        column, form = column_of(match["column"]), Form(match["form"])
        self._add(note, Variable(name, VariableKind.SERVER, "", column, form))
        last = self._steps[-1]
        self._steps[-1] = replace(last, binds=(*last.binds, Bind(name, int(found[1] or 0))))

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
        forms = (match["forms"] or " ".join(["text"] * len(names))).split()
        if len(forms) != len(names) or not set(forms) <= set(Form):
            source.fail(
                note.at,
                "forms: does not name one form for each variable",
                f"Forms are {', '.join(Form)}.",
            )
        where = self._where(note, select)
        for name, column, form in zip(names, select.columns, forms, strict=True):
            at = f"{select.table}.{column}"
            self._add(note, Variable(name, VariableKind.EXISTING, "sample", at, Form(form)))
        self._samples.append(
            Sample(names, select.table, select.columns, match["weight"] or "", where, select.offset)
        )

    def _where(self, note: Note, select: Select) -> tuple[tuple[str, str], ...]:
        if select.where is None:
            self._source.fail(
                note.at,
                "the SELECT after @sample has a condition that is not column = @variable",
                "Join such conditions by AND; put nothing else into WHERE.",
            )
        sampled = {name for s in self._samples for name in s.variables}
        for _, name in select.where:
            if name not in sampled:
                self._source.fail(
                    note.at,
                    f"the SELECT after @sample reads @{name}, which no @sample before it gives",
                    "Sample the row that gives it first.",
                )
        return select.where

    def _step(self, notes: Sequence[Note], tokens: Sequence[Token]) -> None:
        said = {note.name: note for note in notes}
        pause_ms = self._figure(said.get("pause"), r"(\d+(?:\.\d+)?(?:e-?\d+)?)\s*ms", "4.1ms")
        if "connection" in said:
            self._connection = int(self._figure(said["connection"], r"([1-9]\d*)", "1"))
        if "transaction" in said:
            self._transaction = int(self._figure(said["transaction"], r"(\d+)", "3"))
        self._steps.append(
            Step(
                self._statement_id(said.get("statement")),
                self._connection,
                self._transaction,
                statement_kind(self._text(tokens)),
                pause_ms,
                self._pieces(tokens),
            )
        )

    def _figure(self, note: Note | None, pattern: str, example: str) -> float:
        if not note:
            return 0.0
        match = re.fullmatch(pattern, note.text)
        if not match:
            self._source.fail(
                note.at, f"@{note.name} has no figure", f"Write: -- @{note.name} {example}"
            )
        return float(match[1])

    def _statement_id(self, note: Note | None) -> str:
        if not note:
            return ""  # added by hand; gets a free id when all are known
        if not re.fullmatch(r"[\w.-]+", note.text):
            self._source.fail(note.at, "@statement has no id", "Write: -- @statement s017")
        if any(step.statement_id == note.text for step in self._steps):
            self._source.fail(
                note.at, f"a second statement {note.text}", "Give each statement its own id."
            )
        return note.text

    def _pieces(self, tokens: Sequence[Token]) -> tuple[Piece, ...]:
        data = self._source.data
        pieces: list[Piece] = []
        at, end = tokens[0].start, tokens[-1].end
        for index, token in enumerate(tokens):
            if token.kind is not TokenKind.USER_VARIABLE:
                continue
            name = decoded(data[token.start + 1 : token.end])
            if name in self._variables:
                if token.start > at:
                    pieces.append(data[at : token.start])
                pieces.append(Slot(name))
                at = token.end
            else:
                self._note_foreign(name, index, tokens)
        if at < end:
            pieces.append(data[at:end])
        return tuple(pieces)

    def _note_foreign(self, name: str, index: int, tokens: Sequence[Token]) -> None:
        """A variable that no line above sets: the application's own if a statement sets it."""
        words = [self._text([t]).upper() for t in tokens]
        after = words[index + 1] if index + 1 < len(words) else b""
        is_set = after in (b":", b":=") or (after == b"=" and words[0] == b"SET")
        is_set |= words[0] == b"SELECT" and b"INTO" in words[:index]
        if is_set or words[0] == b"CALL":
            self._of_application.add(name)
        self._foreign.setdefault(name, tokens[index].start)

    def _check_foreign(self) -> None:
        for name, at in self._foreign.items():
            if name in self._variables:
                self._source.fail(
                    at,
                    f"@{name} is used before the file sets it",
                    "Move the line that sets it up, or this statement down.",
                )
            if name not in self._of_application:
                near = get_close_matches(name, list(self._variables), 1)
                remedy = f"Set it by -- @gen {name} fresh … above."
                self._source.fail(
                    at,
                    f"@{name} is used, and nothing sets it",
                    f"Did you mean @{near[0]}?" if near else remedy,
                )


def _with_ids(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Statements that were added by hand without an id get one that is free."""
    taken = {step.statement_id for step in steps}
    free = (f"s{number:03d}" for number in count(1) if f"s{number:03d}" not in taken)
    return tuple(s if s.statement_id else replace(s, statement_id=next(free)) for s in steps)

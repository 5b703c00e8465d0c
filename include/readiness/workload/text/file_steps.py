"""Reads the statements of a workload file that are the flow's own, and the rows within them.

A `@name` in a statement is a slot when the file sets it, else the application's own. What stands
between `/* @turn REPEAT NUMBER */` and `/* @end */` belongs to one turn."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import count

from readiness.model.workload import Bind, Piece, Row, Slot, Step, Turn, Variable
from readiness.sql.kind import statement_kind
from readiness.sql.lexer import Token, TokenKind
from readiness.workload.text.annotations import Note, Source, decoded
from readiness.workload.text.carried import NOISE, is_assigned

_MARK = re.compile(rb"/\*\s*@(\w+)\s*(.*?)\s*\*/", re.DOTALL)
MARKS = ("turn", "end")
_LONGEST_PAUSE_MS = 86_400_000  # a day


def marks(data: bytes, tokens: Sequence[Token]) -> list[tuple[int, Note]]:
    """The comments of a statement that mark rows: each one's end, and what it says."""
    found = []
    for token in tokens:
        if token.kind is TokenKind.COMMENT:
            match = _MARK.fullmatch(data, token.start, token.end)
            if match:
                note = Note(match[1].decode(), decoded(match[2]), token.start)
                found.append((token.end, note))
    return found


class Steps:
    """Collects the flow's statements; a connection and a transaction hold until the next one."""

    def __init__(self, source: Source, variables: Mapping[str, Variable]) -> None:
        self._source = source
        self._variables = variables
        self._steps: list[Step] = []
        self._connection, self._transaction = 1, 0
        self._at: list[int] = []  # the first byte of each step's text
        self._turns_at: dict[tuple[int, Turn], int] = {}
        self._foreign: dict[str, int] = {}  # variables no line above sets, and their first byte
        self._of_application: set[str] = set()

    def __len__(self) -> int:
        return len(self._steps)

    def bind(self, note: Note, bind: Bind) -> None:
        """The statement before it gives the id."""
        if not self._steps:
            self._source.fail(
                note.at,
                f"@{bind.variable} takes an id before any statement",
                "Move it after the INSERT.",
            )
        last = self._steps[-1]
        self._steps[-1] = replace(last, binds=(*last.binds, bind))

    def at(self, step: int, turn: Turn | None) -> int:
        """The byte at which a turn of a statement is told, or else its text."""
        return self._turns_at.get((step, turn), self._at[step]) if turn else self._at[step]

    def finished(self) -> tuple[Step, ...]:
        """All steps; raises for a variable that nothing sets. Statements that were added by hand
        without an id get one that is free."""
        self._check_foreign()
        taken = {step.statement_id for step in self._steps}
        free = (f"s{number:03d}" for number in count(1) if f"s{number:03d}" not in taken)
        return tuple(
            s if s.statement_id else replace(s, statement_id=next(free)) for s in self._steps
        )

    def take(self, notes: Sequence[Note], tokens: Sequence[Token]) -> None:
        """One statement and what is noted of it."""
        said = {note.name: note for note in notes}
        if len(said) < len(notes):
            self._source.fail(
                notes[-1].at, "one statement has the same annotation twice", "Keep one of them."
            )
        pause_ms = self._figure(said.get("pause"), r"(\d+(?:\.\d+)?(?:e-?\d+)?)\s*ms", "4.1ms")
        if pause_ms > _LONGEST_PAUSE_MS:
            self._source.fail(said["pause"].at, "@pause is longer than a day", "Write: 4.1ms")
        if "connection" in said:
            self._connection = int(self._figure(said["connection"], r"([1-9]\d*)", "1"))
        if "transaction" in said:
            self._transaction = int(self._figure(said["transaction"], r"(\d+)", "3"))
        step = Step(
            self._statement_id(said.get("statement")),
            self._connection,
            self._transaction,
            statement_kind(self._source.data[tokens[0].start : tokens[-1].end]),
            pause_ms,
            self._pieces(tokens),
            turn=self._turn(said["turn"]) if "turn" in said else None,
            shape=self._shape(said.get("shape")),
        )
        self._at.append(tokens[0].start)
        self._steps.append(step)

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
            return ""
        if not re.fullmatch(r"[\w.-]+", note.text):
            self._source.fail(note.at, "@statement has no id", "Write: -- @statement s017")
        if any(step.statement_id == note.text for step in self._steps):
            self._source.fail(
                note.at, f"a second statement {note.text}", "Give each statement its own id."
            )
        return note.text

    def _shape(self, note: Note | None) -> str:
        if note and not re.fullmatch(r"[0-9a-f]{8}", note.text):
            self._source.fail(
                note.at,
                "@shape has no 8 hexadecimal digits",
                "Write: -- @shape 3f2a9c11; or remove it, and the statement counts as your own.",
            )
        return note.text if note else ""

    def _turn(self, note: Note) -> Turn:
        turn = self._source.turn(note)
        self._turns_at.setdefault((len(self._steps), turn), note.at)
        return turn

    def _pieces(self, tokens: Sequence[Token]) -> tuple[Piece, ...]:
        """Plain pieces and rows, as the marks cut the statement."""
        pieces: list[Piece] = []
        at, opened = tokens[0].start, None
        for end, note in marks(self._source.data, tokens):
            self._demand_mark(note, opened)
            if note.name == "turn":
                pieces += self._plain(tokens, at, note.at)
                opened, at = note, end
            elif note.name == "end" and opened:
                pieces.append(self._row(opened, tokens, at, note.at))
                opened, at = None, end
        if opened:
            self._source.fail(
                opened.at,
                "the row that begins here has no end",
                "Write /* @end */ behind it, before the statement's semicolon.",
            )
        return (*pieces, *self._plain(tokens, at, tokens[-1].end))

    def _demand_mark(self, note: Note, opened: Note | None) -> None:
        if note.name == "turn" and opened:
            line = self._source.line(opened.at)
            self._source.fail(
                note.at,
                f"a row begins within the row that begins in line {line}",
                "Write /* @end */ before it: a row holds no other.",
            )
        if note.name == "end" and not opened:
            self._source.fail(
                note.at, "@end ends no row", "Write /* @turn REPEAT NUMBER */ where the row begins."
            )
        near = get_close_matches(note.name, MARKS, 1)
        if note.name not in MARKS and near:
            self._source.fail(
                note.at, f"there is no mark @{note.name}", f"Did you mean @{near[0]}?"
            )

    def _row(self, opened: Note, tokens: Sequence[Token], start: int, end: int) -> Row:
        depth = lowest = 0
        for token in _between(tokens, start, end):
            if token.kind is TokenKind.OPERATOR:
                text = self._source.data[token.start : token.end]
                depth += (text == b"(") - (text == b")")
                lowest = min(lowest, depth)
        if depth or lowest:
            self._source.fail(
                opened.at,
                "a row opens and closes unequal parentheses",
                "Begin it at the comma before the row, and end it behind the row's last one.",
            )
        return Row(self._turn(opened), tuple(self._plain(tokens, start, end)))

    def _plain(self, tokens: Sequence[Token], start: int, end: int) -> list[bytes | Slot]:
        """The bytes from `start` to `end`, and slots for the variables in them."""
        data = self._source.data
        pieces: list[bytes | Slot] = []
        for token in _between(tokens, start, end):
            if token.kind is not TokenKind.USER_VARIABLE:
                continue
            name = decoded(data[token.start + 1 : token.end])
            if name not in self._variables:
                self._note_foreign(name, token, tokens)
                continue
            self._demand_read_only(name, token, tokens)
            if token.start > start:
                pieces.append(data[start : token.start])
            pieces.append(Slot(name))
            start = token.end
        if start < end:
            pieces.append(data[start:end])
        return pieces

    def _note_foreign(self, name: str, token: Token, tokens: Sequence[Token]) -> None:
        """A variable that no line above sets: the application's own if a statement sets it."""
        words, index = self._words(token, tokens)
        if is_assigned(words, index) or words[0] == b"CALL":
            self._of_application.add(name)
        self._foreign.setdefault(name, token.start)

    def _demand_read_only(self, name: str, token: Token, tokens: Sequence[Token]) -> None:
        if is_assigned(*self._words(token, tokens)):
            self._source.fail(
                token.start,
                f"a statement of the flow sets @{name}, which an annotation sets already",
                "Give the flow's own variable another name, or describe this statement by "
                "-- @gen, @derive or @bind.",
            )

    def _words(self, token: Token, tokens: Sequence[Token]) -> tuple[list[bytes], int]:
        """The statement's words, upper case, and which of them a token is."""
        spoken = [t for t in tokens if t.kind not in NOISE]
        words = [self._source.data[t.start : t.end].upper() for t in spoken]
        return words, spoken.index(token)

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


def _between(tokens: Sequence[Token], start: int, end: int) -> Sequence[Token]:
    """The tokens that begin from byte `start` on and before byte `end`."""
    first = bisect_left(tokens, start, key=lambda token: token.start)
    return tokens[first : bisect_left(tokens, end, key=lambda token: token.start)]

"""Reads `checkout.sql`; every mistake is told with its line and the remedy.

The file is lexed as one script. Comments that begin with `-- @` describe the file or the statement
after them; a statement described as `@gen`, `@sample`, `@derive` or `@bind` sets variables, every
other one is a step of the flow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from readiness.errors import SqlError
from readiness.model.workload import Workload
from readiness.sql.lexer import Token, TokenKind, lex
from readiness.workload.text.annotations import KNOWN, SETTING, Note, Source, decoded
from readiness.workload.text.file_header import Header
from readiness.workload.text.file_settings import Settings
from readiness.workload.text.file_steps import MARKS, Steps, marks
from readiness.workload.text.turn_rules import broken_turn

_ANNOTATION = re.compile(rb"--[ \t]+@")
_NEARLY = re.compile(rb"(?:#|--|/\*)\s*@(\w+)")  # to MySQL `--@` is no comment
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # some editors write it


def read_workload(data: bytes, path: Path) -> Workload:
    """The workload of a file's bytes; raises WorkloadFileError."""
    return _Reader(Source(data.removeprefix(_BYTE_ORDER_MARK), path)).read()


class _Reader:
    """One pass over the tokens, collecting header, variables and steps."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._header = Header(source)
        self._settings = Settings(source)
        self._steps = Steps(source, self._settings.variables)
        self._set_names = ""

    def read(self) -> Workload:
        """Everything; see `read_workload`."""
        self._walk(self._tokens())
        name, captures = self._header.title
        self._demand_steps()
        workload = Workload(
            name=name,
            captures=captures,
            variables=tuple(self._settings.variables.values()),
            samples=tuple(self._settings.samples),
            steps=self._steps.finished(),
            counts=self._header.counts,
            set_names=self._set_names,
            repeats=tuple(self._header.repeats.values()),
            tables=self._header.tables,
            policy=self._header.policy,
        )
        self._check_turns(workload)
        return workload

    def _tokens(self) -> list[Token]:
        try:
            return lex(self._source.data)
        except SqlError as error:
            self._source.fail(
                error.at,
                "a quoted text, name or comment that opens here never ends",
                "Close it, or write a quote inside a text twice.",
            )

    def _check_turns(self, workload: Workload) -> None:
        broken = broken_turn(workload)
        if not broken:
            return
        at = self._header.repeats_at.get(broken.repeat, 0)
        if broken.step is not None:
            at = self._steps.at(broken.step, broken.turn)
        self._source.fail(at, broken.message, broken.hint)

    def _walk(self, tokens: Sequence[Token]) -> None:
        """Cuts the script at its semicolons; annotations gather for the statement after them."""
        data = self._source.data
        notes: list[Note] = []
        statement: list[Token] = []
        for token in tokens:
            text = data[token.start : token.end]
            if token.kind is TokenKind.COMMENT and _ANNOTATION.match(text):
                self._demand_outside(token, statement)
                found = self._source.notes(text, token.start)
                notes += [note for note in found if not self._header.take(note)]
            elif token.kind is TokenKind.OPERATOR and text == b";":
                if statement:
                    self._statement(notes, statement)
                    notes, statement = [], []
            else:
                if not statement:
                    self._demand_no_mark(token)
                    self._demand_dashes(token)
                if statement or token.kind is not TokenKind.COMMENT:
                    statement.append(token)
        if statement:
            self._source.fail(
                statement[0].start, "a statement has no semicolon", "End it with one."
            )
        if notes:
            self._source.fail(
                notes[0].at, f"no statement follows @{notes[0].name}", "Remove the line."
            )

    def _demand_outside(self, token: Token, statement: Sequence[Token]) -> None:
        if statement:
            line = self._source.line(statement[0].start)
            self._source.fail(
                token.start,
                f"an annotation stands inside the statement that begins in line {line}",
                "End that statement with a semicolon; a row in it is marked by /* @turn NAME 2 */.",
            )

    def _demand_dashes(self, token: Token) -> None:
        """An annotation in another comment would be read over, and its statement run by all."""
        found = _NEARLY.match(self._source.data, token.start)
        if found and found[1].decode().lower() in KNOWN:
            self._source.fail(
                token.start,
                f"@{found[1].decode()} does not stand behind two dashes and a space",
                f"Write: -- @{found[1].decode().lower()}",
            )

    def _demand_steps(self) -> None:
        if not len(self._steps):
            self._source.fail(
                0,
                "the file has no statement of the flow",
                "Write the flow's statements below the variables, or build the workload again.",
            )

    def _demand_no_mark(self, token: Token) -> None:
        for _, note in marks(self._source.data, [token]):
            if note.name in MARKS:
                self._source.fail(
                    note.at,
                    f"/* @{note.name} */ stands outside any statement",
                    "Mark a row inside a statement so; a whole statement by -- @turn REPEAT NUMBER",
                )

    def _statement(self, notes: list[Note], tokens: list[Token]) -> None:
        if any(note.name in SETTING for note in notes):
            self._set(notes, tokens)
        elif not notes and self._is_set_names(tokens):
            self._set_names = decoded(self._source.data[tokens[0].start : tokens[-1].end])
        else:
            self._steps.take(notes, tokens)

    def _set(self, notes: Sequence[Note], tokens: Sequence[Token]) -> None:
        if len(notes) > 1:
            self._source.fail(
                notes[1].at,
                f"@{notes[0].name} and @{notes[1].name} describe one statement",
                "Give each its own statement.",
            )
        bind = self._settings.take(notes[0], tokens)
        if bind:
            self._steps.bind(notes[0], bind)

    def _is_set_names(self, tokens: Sequence[Token]) -> bool:
        words = [self._source.data[t.start : t.end].upper() for t in tokens[:2]]
        return words == [b"SET", b"NAMES"] and not len(self._steps) and not self._set_names

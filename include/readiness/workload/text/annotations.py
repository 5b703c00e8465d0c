"""The annotations of a workload file: finds them, and turns mistakes into lines with a remedy."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

from readiness.errors import WorkloadFileError
from readiness.model.generator import SPECIFICATION
from readiness.model.workload import Turn

SETTING = ("gen", "sample", "derive", "bind")  # these describe a statement that sets variables
OF_A_STEP = ("statement", "connection", "transaction", "turn", "pause", "shape")
OF_THE_FILE = ("workload", "counts", "policy", "repeat", "tables")
KNOWN = (*OF_THE_FILE, *SETTING, *OF_A_STEP)

GEN = re.compile(rf"(?P<name>\w+)\s+fresh\s+(?P<spec>{SPECIFICATION})\s+(?P<column>\S.*)")
DERIVE = re.compile(
    r"(?P<name>\w+)\s+(?P<kind>derived|time)\s+(?P<form>text|number|hex)\s+(?P<column>\S.*)"
)
BIND = re.compile(r"(?P<name>\w+)\s+server\s+(?P<form>text|number|hex)\s+(?P<column>\S.*)")
SAMPLE = re.compile(
    r"(?P<names>\w+(?:\s*,\s*\w+)*)\s+existing\s+(?P<table>\S+)"
    r"(?:\s+weight:\s*(?P<weight>\S+))?(?:\s+forms:\s*(?P<forms>\w+(?:\s+\w+)*))?"
)
TURN = re.compile(r"(?P<repeat>\w+)\s+(?P<number>\d+)")
REPEAT = re.compile(r"(?P<name>\w+)\s+counts:\s*(?P<counts>\S.*)")
POLICY = re.compile(r"[A-Za-z0-9_.-]+ [0-9a-f]{12}")
TITLE = re.compile(r"(?P<name>[A-Za-z0-9_-]+)(?P<figures>(?:\s+\w+:\s*\d+)*)")

_NOTE = re.compile(rb"--\s+@(\w+)[ \t]*(.*?)\s*(?=\s--\s+@|\Z)", re.DOTALL)
_FIGURES = re.compile(r"(\w+):\s*(\d+)")
_IDENTIFIER = rb"(?:`(?:[^`]|``)+`|\w+)(?:\.(?:`(?:[^`]|``)+`|\w+))*"
_SELECT = re.compile(
    rb"SELECT\s+(?P<columns>" + _IDENTIFIER + rb"(?:\s*,\s*" + _IDENTIFIER + rb")*)"
    rb"\s+INTO\s+(?P<names>@\w+(?:\s*,\s*@\w+)*)\s+FROM\s+(?P<table>" + _IDENTIFIER + rb")"
    rb"(?:\s+WHERE\s+(?P<where>.+?))?\s+ORDER\s+BY\s+.+?\s+LIMIT\s+1(?:\s+OFFSET\s+(?P<offset>\d+))?",
    re.DOTALL | re.IGNORECASE,
)
_CONDITION = re.compile(
    rb"\s*(?:(?P<column>" + _IDENTIFIER + rb")\s*=\s*@(?P<name>\w+)"
    rb"|\(SELECT COUNT\(\*\) FROM .+?\)\s*>\s*\d+)\s*(?:AND\b|\Z)",
    re.DOTALL | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Note:
    """One annotation: `-- @name text`, at a byte of the file."""

    name: str
    text: str
    at: int


class Source:
    """A file's bytes that can tell a mistake with its line."""

    def __init__(self, data: bytes, path: Path) -> None:
        self.data = data
        self._path = path
        self._newlines = [m.start() for m in re.finditer(rb"\n", data)]

    def line(self, at: int) -> int:
        """The line of a byte, from 1."""
        return bisect_right(self._newlines, at - 1) + 1 if at > 0 else 1

    def fail(self, at: int, message: str, hint: str) -> NoReturn:
        """Raises WorkloadFileError for the line of a byte."""
        raise WorkloadFileError(self._path, self.line(at), message, hint=hint) from None

    def notes(self, text: bytes, at: int) -> Iterator[Note]:
        """The annotations of one comment that begins at a byte; raises for an unknown one."""
        for match in _NOTE.finditer(text):
            note = Note(match[1].decode(), decoded(match[2]), at + match.start())
            if note.name not in KNOWN:
                near = get_close_matches(note.name, KNOWN, 1)
                self.fail(
                    note.at,
                    f"there is no annotation @{note.name}",
                    f"Did you mean @{near[0]}?"
                    if near
                    else f"There are {', '.join('@' + name for name in KNOWN)}.",
                )
            yield note

    def turn(self, note: Note) -> Turn:
        """The turn that `@turn REPEAT NUMBER` names, of a line or within a statement."""
        match = TURN.fullmatch(note.text)
        if not match:
            self.fail(
                note.at,
                "@turn does not name a repeat and a number",
                "Write a repeat of the header and a number from 1: @turn order_items_0 2",
            )
        return Turn(match["repeat"], int(match["number"]))

    def matched(self, pattern: re.Pattern[str], note: Note, form: str) -> re.Match[str]:
        """The parts of an annotation; raises with `form` as the remedy."""
        match = pattern.fullmatch(note.text)
        if not match:
            self.fail(note.at, f"the line @{note.name} cannot be read", f"Write: {form}")
        return match


@dataclass(frozen=True, slots=True)
class Select:
    """The SELECT of a sample. `where` is None when a condition is not `column = @variable`."""

    names: tuple[str, ...]
    columns: tuple[str, ...]
    table: str
    where: tuple[tuple[str, str], ...] | None
    offset: int


def read_select(text: bytes) -> Select | None:
    """The parts of a sample's SELECT; None for any other statement."""
    match = _SELECT.fullmatch(text)
    if not match:
        return None
    return Select(
        tuple(re.findall(r"@(\w+)", decoded(match["names"]))),
        _identifiers(match["columns"]),
        _identifiers(match["table"])[0],
        _conditions(match["where"] or b""),
        int(match["offset"] or 0),
    )


def _conditions(text: bytes) -> tuple[tuple[str, str], ...] | None:
    pairs: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        match = _CONDITION.match(text, at)
        if not match:
            return None
        if match["name"]:
            pairs.append((_identifiers(match["column"])[0], match["name"].decode()))
        at = match.end()
    return tuple(pairs)


def _identifiers(text: bytes) -> tuple[str, ...]:
    """`a`, `b``c`.d → ("a", "b`c.d")."""
    names = [""]
    for quoted, bare, follower in re.findall(rb"(?:`((?:[^`]|``)+)`|(\w+))\s*([.,]?)", text):
        names[-1] += decoded(quoted.replace(b"``", b"`") or bare)
        if follower == b".":
            names[-1] += "."
        elif follower:
            names.append("")
    return tuple(names)


def figures(text: str) -> dict[str, int]:
    """`a: 1  b: 2` as a dictionary."""
    return {key: int(number) for key, number in _FIGURES.findall(text)}


def column_of(text: str) -> str:
    """The column of an annotation; "-" stands for none."""
    return "" if text == "-" else text


def decoded(text: bytes) -> str:
    """Bytes of the file as text, whatever they hold."""
    return text.decode("utf-8", "surrogateescape")

"""Which column each literal of a simple statement meets: compared with it, or stored into it.

Reads tokens, no syntax tree: `INSERT … (columns) VALUES …`, `column = value`, `column IN (…)`.
A value within a function or an expression meets nothing, so nothing is claimed of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from readiness.model.transactions import Raw
from readiness.sql.lexer import LITERALS, Token, TokenKind, decode

Column = tuple[str, str]  # (table, column), lower case; table "" where the statement does not say

_SKIPPED = frozenset({TokenKind.COMMENT, TokenKind.HINT, TokenKind.INTRODUCER})
_NAMES = frozenset({TokenKind.WORD, TokenKind.QUOTED_IDENTIFIER})
_BEFORE_TABLE = frozenset({b"FROM", b"JOIN", b"INTO", b"UPDATE", b"STRAIGHT_JOIN"})
_INSERTS = frozenset({b"INSERT", b"REPLACE"})
_MODIFIERS = frozenset({b"LOW_PRIORITY", b"DELAYED", b"HIGH_PRIORITY", b"IGNORE", b"INTO"})
_ENDS_TABLE = frozenset(
    b"SET WHERE ON USING VALUES VALUE SELECT ORDER GROUP LIMIT JOIN INNER LEFT RIGHT CROSS FORCE "
    b"USE IGNORE STRAIGHT_JOIN FOR LOCK HAVING UNION PARTITION NATURAL".split()
)
_COMPARES = frozenset({b"=", b"<=>", b"<>", b"!="})
_PREFIXES = frozenset({b"WHERE", b"AND", b"OR", b"NOT", b"SET", b"ON", b"WHEN", b"XOR"})


@dataclass(frozen=True, slots=True, repr=False)
class Meeting(Raw):
    """A value and its column; `value` is decoded, so that one id is the same in each form."""

    column: Column
    value: bytes
    is_inserted: bool


@dataclass(slots=True, repr=False)
class _Words(Raw):
    """The tokens that matter, as text in upper case for words, and where tables are named."""

    sql: bytes
    tokens: list[Token]
    upper: list[bytes]
    is_plain: bool  # NO_BACKSLASH_ESCAPES

    def is_name(self, at: int) -> bool:
        return at < len(self.tokens) and self.tokens[at].kind in _NAMES

    def name(self, at: int) -> str:
        kind, start, end = self.tokens[at]
        text = self.sql[start:end]
        if kind is TokenKind.QUOTED_IDENTIFIER:
            text = text[1:-1].replace(text[:1] * 2, text[:1])
        return text.decode("utf-8", "surrogateescape").lower()

    def is_literal(self, at: int) -> bool:
        return at < len(self.tokens) and self.tokens[at].kind in LITERALS

    def value(self, at: int) -> bytes:
        kind, start, end = self.tokens[at]
        return decode(kind, self.sql[start:end], no_backslash_escapes=self.is_plain)

    def text(self, at: int) -> bytes:
        return self.upper[at] if at < len(self.upper) else b""


def meetings(
    sql: bytes, tokens: Sequence[Token], *, is_plain: bool = False
) -> tuple[tuple[str, ...], list[Meeting]]:
    """The tables that a statement names, the first one first, and every literal that meets one
    column; `is_plain` is NO_BACKSLASH_ESCAPES.

    An unqualified column belongs to the only table of the statement, else to table ""."""
    work = [t for t in tokens if t.kind not in _SKIPPED]
    words = _Words(sql, work, [sql[t.start : t.end].upper() for t in work], is_plain)
    tables = _tables(words)
    found = _inserted if words.text(0) in _INSERTS else _compared
    return tuple(dict.fromkeys(tables.values())), list(found(words, tables))


def _tables(words: _Words) -> dict[str, str]:
    """Table by alias and by its own name."""
    found: dict[str, str] = {}
    at = 0
    if words.text(0) in _INSERTS:
        while words.text(at) in _INSERTS | _MODIFIERS:
            at += 1
        at = _table(words, at, found)
    while at < len(words.tokens):
        is_next = words.upper[at] in _BEFORE_TABLE and words.is_name(at + 1)
        at = _table(words, at + 1, found) if is_next else at + 1
    return found


def _table(words: _Words, at: int, found: dict[str, str]) -> int:
    """Notes `db.table AS alias` and, behind commas, further ones; gives where reading goes on."""
    while words.is_name(at) and words.text(at) not in _ENDS_TABLE:
        if words.text(at + 1) == b"." and words.is_name(at + 2):
            at += 2
        table = words.name(at)
        found.setdefault(table, table)
        at += 1
        at += words.text(at) == b"AS"
        if words.is_name(at) and words.text(at) not in _ENDS_TABLE:
            found[words.name(at)] = table
            at += 1
        if words.text(at) != b",":
            break
        at += 1
    return at


def _owner(qualifier: str, tables: Mapping[str, str]) -> str:
    if qualifier:
        return tables.get(qualifier, qualifier)
    named = set(tables.values())
    return named.pop() if len(named) == 1 else ""


def _inserted(words: _Words, tables: Mapping[str, str]) -> Iterator[Meeting]:
    table = next(iter(tables.values()), "")
    at = next((i for i, w in enumerate(words.upper) if w in (b"(", b"SET")), len(words.upper))
    if words.text(at) != b"(":
        yield from (Meeting(m.column, m.value, True) for m in _compared(words, {table: table}))
        return
    names: list[str] = []
    while words.is_name(at + 1):
        names.append(words.name(at + 1))
        at += 2
        if words.text(at) != b",":
            break
    at += 1
    if words.text(at) in (b"VALUES", b"VALUE"):
        yield from _rows(words, at + 1, [(table, name) for name in names])


def _rows(words: _Words, at: int, columns: Sequence[Column]) -> Iterator[Meeting]:
    """The literals that stand alone in their place of `(…), (…)`."""
    depth, place = 0, 0
    for i in range(at, len(words.tokens)):
        word = words.upper[i]
        if word == b"(":
            depth += 1
            place = 0 if depth == 1 else place
        elif word == b")":
            depth -= 1
        elif word == b"," and depth == 1:
            place += 1
        elif depth == 0 and word != b",":
            return
        elif depth == 1 and place < len(columns) and _stands_alone(words, i):
            yield Meeting(columns[place], words.value(i), True)


def _stands_alone(words: _Words, at: int) -> bool:
    return (
        words.is_literal(at)
        and words.text(at - 1) in (b"(", b",")
        and words.text(at + 1) in (b")", b",")
    )


def _compared(words: _Words, tables: Mapping[str, str]) -> Iterator[Meeting]:
    for at in range(len(words.tokens)):
        if not words.is_name(at) or words.text(at + 1) == b".":
            continue
        qualifier = ""
        if at >= 2 and words.text(at - 1) == b"." and words.is_name(at - 2):
            qualifier = words.name(at - 2)
        for literal in _values_behind(words, at + 1):
            column = (_owner(qualifier, tables), words.name(at))
            yield Meeting(column, words.value(literal), False)


def _values_behind(words: _Words, at: int) -> Iterator[int]:
    """Literals that the column before `at` is compared with, alone or in a list."""
    operator = words.text(at)
    if operator == b"<" and words.text(at + 1) in (b"=", b">"):
        at, operator = at + 1, b"<>" if words.text(at + 1) == b">" else b""
        if words.text(at + 1) == b">":  # `<=>`
            at, operator = at + 1, b"<=>"
    if operator in _COMPARES and words.is_literal(at + 1):
        if _ends_value(words, at + 2):
            yield at + 1
    elif operator == b"IN" and words.text(at + 1) == b"(":
        at += 2
        while words.is_literal(at):
            yield at
            at += 2 if words.text(at + 1) == b"," else 1


def _ends_value(words: _Words, at: int) -> bool:
    """The literal is the whole value: no arithmetic follows."""
    return words.text(at) not in (b"+", b"-", b"*", b"/", b"%", b"DIV", b"||", b"^", b"&", b"|")

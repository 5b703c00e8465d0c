"""The literals of one statement: spans, values, and which of them never change.

A literal's `slot` span is what a variable replaces: it takes in a charset introducer, a type
keyword (`TIMESTAMP '…'`) or `{d '…'}` that may not stand before a variable."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from readiness.model.transactions import Raw
from readiness.model.workload import Form
from readiness.sql.lexer import LITERALS, Token, TokenKind, decode, form_of

_TYPE_WORDS = frozenset({b"TIMESTAMP", b"DATE", b"TIME"})
_ODBC_WORDS = frozenset({b"D", b"T", b"TS"})
_BEFORE_STRUCTURE = frozenset({b"LIMIT", b"OFFSET", b"INTERVAL", b"SEPARATOR"})
_ARROWS = (b"->", b"->>")


@dataclass(frozen=True, slots=True, repr=False)
class Literal(Raw):
    """One literal; adjacent strings (`'a' 'b'`) are one. Spans are bytes of the statement."""

    start: int
    end: int
    slot_start: int
    slot_end: int
    form: Form
    value: bytes
    is_structural: bool

    @property
    def is_binary(self) -> bool:
        """Bytes rather than characters: never equal to a text."""
        return self.form is Form.HEX


def literals_of(
    sql: bytes, tokens: Sequence[Token], *, no_backslash_escapes: bool = False
) -> list[Literal]:
    """The literals in order of their place. Structural are LIMIT, INTERVAL, JSON paths, full-text
    patterns and separators."""
    kept = [t for t in tokens if t.kind not in (TokenKind.COMMENT, TokenKind.HINT)]
    words = [sql[t.start : t.end].upper() for t in kept]
    found: list[Literal] = []
    i = 0
    while i < len(kept):
        if kept[i].kind not in LITERALS:
            i += 1
            continue
        last = _last_adjacent(kept, i)
        found.append(
            _literal(sql, kept, words, (i, last), no_backslash_escapes=no_backslash_escapes)
        )
        i = last + 1
    return found


def _last_adjacent(tokens: Sequence[Token], i: int) -> int:
    """The index of the last of a row of adjacent strings."""
    if tokens[i].kind is TokenKind.TEXT:
        while i + 1 < len(tokens) and tokens[i + 1].kind is TokenKind.TEXT:
            i += 1
    return i


def _literal(
    sql: bytes,
    tokens: Sequence[Token],
    words: Sequence[bytes],
    span: tuple[int, int],
    *,
    no_backslash_escapes: bool,
) -> Literal:
    first, last = span
    parts = [
        decode(t.kind, sql[t.start : t.end], no_backslash_escapes=no_backslash_escapes)
        for t in tokens[first : last + 1]
    ]
    value = b"".join(parts)
    start, end = tokens[first].start, tokens[last].end
    slot_start, slot_end = _slot(tokens, words, first, last)
    form = form_of(tokens[first].kind)
    is_binary = form is Form.TEXT and (
        sql[slot_start:start].strip().lower() == b"_binary" or not _is_utf8(value)
    )
    return Literal(
        start,
        end,
        slot_start,
        slot_end,
        Form.HEX if is_binary else form,
        value,
        _is_structural(words, first, value),
    )


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _slot(
    tokens: Sequence[Token], words: Sequence[bytes], first: int, last: int
) -> tuple[int, int]:
    start, end = tokens[first].start, tokens[last].end
    if not first:
        return start, end
    before = tokens[first - 1]
    is_text = tokens[first].kind is TokenKind.TEXT
    if before.kind is TokenKind.INTRODUCER or (
        is_text and words[first - 1] in _TYPE_WORDS and before.kind is TokenKind.WORD
    ):
        return before.start, end
    is_odbc = (
        first > 1
        and words[first - 1] in _ODBC_WORDS
        and words[first - 2] == b"{"
        and words[last + 1 : last + 2] == [b"}"]
    )
    return (tokens[first - 2].start, tokens[last + 1].end) if is_odbc else (start, end)


def _is_structural(words: Sequence[bytes], at: int, value: bytes) -> bool:
    """Whether the literal at token `at` shapes the statement rather than being a value in it."""
    before = words[at - 1] if at else b""
    if before == b"-" and at > 1 and words[at - 2] == b"INTERVAL":
        return True
    if before in _BEFORE_STRUCTURE or b"".join(words[max(at - 3, 0) : at]).endswith(_ARROWS):
        return True
    if before == b"," and at > 2 and words[at - 3] == b"LIMIT":
        return True
    if before == b"(" and at > 1 and words[at - 2] == b"AGAINST":
        return True
    return value[:1] == b"$" and _inside_json(words, at)


_JSON_FUNCTION = re.compile(rb"JSON_\w+")


def _inside_json(words: Sequence[bytes], at: int) -> bool:
    """Whether the innermost call around token `at` is a JSON function."""
    depth = 0
    for i in range(at - 1, 0, -1):
        if words[i] == b")":
            depth += 1
        elif words[i] == b"(":
            if not depth:
                return _JSON_FUNCTION.fullmatch(words[i - 1]) is not None
            depth -= 1
    return False

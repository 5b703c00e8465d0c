"""The literals of one statement: spans, values, and which of them never change.

A literal's `slot` span is what a variable replaces: it takes in a charset introducer, a type
keyword (`TIMESTAMP '…'`) or `{d '…'}` that may not stand before a variable, and the sign of a
number, so that -5 and 7 are values of one place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from readiness.model.transactions import Raw
from readiness.model.workload import Form
from readiness.sql.lexer import LITERALS, Token, TokenKind, decode, form_of
from readiness.sql.signs import is_sign

_TYPE_WORDS = frozenset({b"TIMESTAMP", b"DATE", b"TIME"})
_ODBC_WORDS = frozenset({b"D", b"T", b"TS"})
# behind these a server takes a literal and no variable, or the literal says how and not what
_BEFORE_STRUCTURE = frozenset(
    b"LIMIT OFFSET INTERVAL SEPARATOR ESCAPE COLLATE NAMES SQLSTATE WAIT EXAMINED OUTFILE DUMPFILE "
    b"INFILE CONDITION KILL QUERY CONNECTION".split()
)
_ARROWS = (b"->", b"->>")


@dataclass(frozen=True, slots=True, repr=False)
class Literal(Raw):
    """One literal; adjacent strings (`'a' 'b'`) are one. Spans are bytes of the statement.

    `start` and `end` leave out the sign of a number, `value` and the slot hold it."""

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
    patterns, separators, column titles and what else a variable cannot stand for."""
    kept = [t for t in tokens if t.kind not in (TokenKind.COMMENT, TokenKind.HINT)]
    reader = _Reader(sql, kept, no_backslash_escapes)
    found: list[Literal] = []
    after = 0
    for i, token in enumerate(kept):
        if token.kind in LITERALS and i >= after:
            last = _last_adjacent(kept, i)
            found.append(reader.literal(i, last))
            after = last + 1
    return found


def _last_adjacent(tokens: Sequence[Token], i: int) -> int:
    """The index of the last of a row of adjacent strings."""
    if tokens[i].kind is TokenKind.TEXT:
        while i + 1 < len(tokens) and tokens[i + 1].kind is TokenKind.TEXT:
            i += 1
    return i


class _Reader:
    """One statement's tokens without comments and hints, and their text in upper case."""

    def __init__(self, sql: bytes, tokens: Sequence[Token], no_backslash_escapes: bool) -> None:
        self._sql = sql
        self._tokens = tokens
        self._words = [b"" if t.kind in LITERALS else sql[t.start : t.end].upper() for t in tokens]
        self._no_backslash_escapes = no_backslash_escapes

    def literal(self, first: int, last: int) -> Literal:
        """The literal of tokens `first` to `last`."""
        token = self._tokens[first]
        value = b"".join(self._decoded(t) for t in self._tokens[first : last + 1])
        start, end = token.start, self._tokens[last].end
        slot_start, slot_end = self._slot(first, last)
        form = form_of(token.kind)
        if form is Form.TEXT and (self._is_binary(first) or not _is_utf8(value)):
            form = Form.HEX
        elif form is Form.NUMBER and slot_start < start and self._words[first - 1] == b"-":
            value = b"-" + value
        structural = self._is_structural(first, value)
        return Literal(start, end, slot_start, slot_end, form, value, structural)

    def _decoded(self, token: Token) -> bytes:
        text = self._sql[token.start : token.end]
        return decode(token.kind, text, no_backslash_escapes=self._no_backslash_escapes)

    def _is_binary(self, first: int) -> bool:
        return first > 0 and self._words[first - 1] == b"_BINARY"

    def _slot(self, first: int, last: int) -> tuple[int, int]:
        """The literal with what may not stand before a variable."""
        start, end = self._tokens[first].start, self._tokens[last].end
        if first and self._belongs(first - 1, self._tokens[first].kind):
            start = self._tokens[first - 1].start
        elif self._is_odbc(first, last):
            start, end = self._tokens[first - 2].start, self._tokens[last + 1].end
        return start, end

    def _belongs(self, before: int, kind: TokenKind) -> bool:
        """Whether token `before` is a part of the literal behind it: introducer, sign or type."""
        token = self._tokens[before]
        if kind is TokenKind.NUMBER:
            return is_sign(self._words, before)
        if kind is TokenKind.TEXT and self._words[before] in _TYPE_WORDS:
            return token.kind is TokenKind.WORD
        return token.kind is TokenKind.INTRODUCER

    def _is_odbc(self, first: int, last: int) -> bool:
        words = self._words
        opening = words[max(first - 2, 0) : first]
        is_open = len(opening) == 2 and opening[0] == b"{" and opening[1] in _ODBC_WORDS
        return is_open and words[last + 1 : last + 2] == [b"}"]

    def _is_structural(self, at: int, value: bytes) -> bool:
        """Whether the literal at token `at` shapes the statement rather than being a value in it."""
        words = self._words
        if at and words[at - 1] in (b"-", b"+") and is_sign(words, at - 1):
            at -= 1
        before = words[at - 1] if at else b""
        if before in _BEFORE_STRUCTURE:
            return True
        if before == b">" and b"".join(words[max(at - 3, 0) : at]).endswith(_ARROWS):
            return True
        if before == b"," and at > 2 and words[at - 3] == b"LIMIT":
            return True
        if before == b"(" and at > 1 and words[at - 2] == b"AGAINST":
            return True
        return self._is_title(at) or (value[:1] == b"$" and self._is_inside_json(at))

    def _is_title(self, at: int) -> bool:
        """`a AS 'title'`, `COUNT(*) 'title'`: the name of a column of the result."""
        if not at or self._tokens[at].kind is not TokenKind.TEXT:
            return False
        before = self._words[at - 1]
        return before in (b"AS", b")") or self._tokens[at - 1].kind is TokenKind.QUOTED_IDENTIFIER

    def _is_inside_json(self, at: int) -> bool:
        """Whether the innermost call around token `at` is a JSON function."""
        words, depth = self._words, 0
        for i in range(at - 1, 0, -1):
            if words[i] == b")":
                depth += 1
            elif words[i] == b"(":
                if not depth:
                    return _JSON_FUNCTION.fullmatch(words[i - 1]) is not None
                depth -= 1
        return False


_JSON_FUNCTION = re.compile(rb"JSON_\w+")


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True

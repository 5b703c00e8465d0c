"""What a SET statement gives to the variables of its session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from readiness.sql.lexer import Token, TokenKind

_GLOBAL = frozenset({b"GLOBAL", b"PERSIST", b"PERSIST_ONLY"})
_SESSION = frozenset({b"SESSION", b"LOCAL"})
_COMMENTS = frozenset(
    {TokenKind.COMMENT, TokenKind.HINT, TokenKind.EXECUTABLE_OPEN, TokenKind.EXECUTABLE_CLOSE}
)


class Assignment(NamedTuple):
    """A system variable's name, upper case, without scope, and the tokens of its value."""

    name: bytes
    value: tuple[Token, ...]


def session_assignments(sql: bytes, tokens: Sequence[Token]) -> list[Assignment]:
    """The session's system variables that a SET statement sets, in order; none for others.

    Global ones and user variables are left out; a bare GLOBAL holds for the names behind it too,
    as servers have it."""
    found: list[Assignment] = []
    is_global = False
    for scoped in _items(sql, [t for t in tokens if t.kind not in _COMMENTS]):
        words = [sql[t.start : t.end].upper() for t in scoped[:4]]
        has_scope = bool(words) and words[0] in _GLOBAL | _SESSION
        if has_scope:
            is_global = words[0] in _GLOBAL
        item, words = scoped[has_scope:], words[has_scope:]
        size = 2 if words[1:2] == [b"="] else 3 if words[1:3] == [b":", b"="] else 0
        if not size or item[0].kind in (TokenKind.USER_VARIABLE, TokenKind.TEXT):
            continue
        scope, name = _scope_and_name(words[0])
        if not (scope in _GLOBAL if scope else is_global):
            found.append(Assignment(name, tuple(item[size:])))
    return found


def _items(sql: bytes, tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """What stands between SET and the commas outside of parentheses."""
    if not tokens or sql[tokens[0].start : tokens[0].end].upper() != b"SET":
        return
    item: list[Token] = []
    depth = 0
    for token in tokens[1:]:
        text = sql[token.start : token.end]
        depth += (text == b"(") - (text == b")")
        if depth == 0 and text in (b",", b";"):
            yield item
            item = []
        else:
            item.append(token)
    yield item


def _scope_and_name(text: bytes) -> tuple[bytes, bytes]:
    """`@@SESSION.SQL_MODE` as its two parts; the first is empty where none stands."""
    scope, _, name = text.replace(b"`", b"").removeprefix(b"@@").rpartition(b".")
    return scope, name

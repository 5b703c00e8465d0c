"""What a transaction does, in a few words for whoever reads the file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from readiness.model.workload import StatementKind, Step
from readiness.sql.kind import acting_tokens
from readiness.sql.lexer import TokenKind, lex
from readiness.workload.text.layout import layout

_WRITES = (StatementKind.INSERT, StatementKind.UPDATE, StatementKind.DELETE)
_VERBS = frozenset({b"INSERT", b"REPLACE", b"UPDATE", b"DELETE"})
_MODIFIERS = frozenset(b"INTO FROM IGNORE LOW_PRIORITY HIGH_PRIORITY DELAYED QUICK".split())
_UNSPOKEN = (TokenKind.COMMENT, TokenKind.HINT)


def gist(steps: Sequence[Step]) -> str:
    """The steps of one transaction as `writes users, user_addresses; rolls back`.

    A statement over several tables is "more": which of them it writes is not derived."""
    tables = dict.fromkeys(_written_table(s) for s in steps if s.kind in _WRITES)
    named = [name for name in tables if name]
    more = ["more"] if "" in tables else []
    words = f"writes {', '.join(named + more)}" if tables else "reads only"
    is_undone = any(step.kind is StatementKind.ROLLBACK for step in steps)
    return f"{words}; rolls back" if is_undone else words


def _written_table(step: Step) -> str:
    """The one table that an INSERT, UPDATE or DELETE names; "" where it names several."""
    sql = layout(step).text
    spoken = [t for t in acting_tokens(sql, lex(sql)) if t.kind not in _UNSPOKEN]
    words = [sql[t.start : t.end] for t in spoken]
    if not words or words[0].upper() not in _VERBS:
        return ""
    at = 1
    while at < len(words) and words[at].upper() in _MODIFIERS:
        at += 1
    name = words[at : at + 1]
    while words[at + 1 : at + 2] == [b"."]:
        name, at = [*name, *words[at + 1 : at + 3]], at + 2
    upper = [word.upper() for word in words[at + 1 :]]
    behind = set(takewhile(lambda word: word not in (b"SET", b"WHERE"), upper))
    is_plain = words[0].upper() in (b"INSERT", b"REPLACE") or not behind & {b",", b"JOIN", b"FROM"}
    return _shown(b"".join(name)) if is_plain else ""


def _shown(name: bytes) -> str:
    """The name without its backticks; "" for one that would break out of a comment line."""
    return "" if b"\n" in name else name.replace(b"`", b"").decode("utf-8", "surrogateescape")

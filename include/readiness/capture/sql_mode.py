"""What a session's sql_mode becomes: it decides where literals begin and end."""

from __future__ import annotations

from collections.abc import Sequence

from readiness.sql.assignments import Assignment
from readiness.sql.lexer import TokenKind, decode

ANSI_QUOTES = "ANSI_QUOTES"
NO_BACKSLASH_ESCAPES = "NO_BACKSLASH_ESCAPES"
_IMPLY_ANSI_QUOTES = frozenset({"ANSI", "DB2", "MAXDB", "MSSQL", "ORACLE", "POSTGRESQL"})


def next_sql_mode(sql: bytes, settings: Sequence[Assignment], current: str) -> str:
    """The sql_mode after a SET statement's settings; `current` where it sets another thing.

    An expression over the mode itself, CONCAT(@@sql_mode, ',STRICT'), adds to it."""
    for name, value in settings:
        if name != b"SQL_MODE":
            continue
        modes: list[str] = []
        keeps = False
        for kind, start, end in value:
            text = sql[start:end]
            is_mode = kind is TokenKind.SYSTEM_VARIABLE and text.upper().endswith(b"SQL_MODE")
            keeps = keeps or is_mode
            if kind is TokenKind.TEXT:
                modes += decode(kind, text).decode("ascii", "replace").upper().split(",")
        current = _with_implied(modes, keeps, current=current)
    return current


def _with_implied(modes: list[str], keeps: bool, *, current: str) -> str:
    """One text of modes, each once, without blanks."""
    named = (current.split(",") if keeps else []) + [m.strip() for m in modes]
    if _IMPLY_ANSI_QUOTES & set(named):
        named.append(ANSI_QUOTES)
    return ",".join(dict.fromkeys(m for m in named if m))

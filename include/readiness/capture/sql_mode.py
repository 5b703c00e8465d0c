"""What a session's sql_mode becomes: it decides where literals begin and end."""

from __future__ import annotations

from collections.abc import Sequence

from readiness.sql.lexer import Token, TokenKind, decode

ANSI_QUOTES = "ANSI_QUOTES"
NO_BACKSLASH_ESCAPES = "NO_BACKSLASH_ESCAPES"
_IMPLY_ANSI_QUOTES = frozenset({"ANSI", "DB2", "MAXDB", "MSSQL", "ORACLE", "POSTGRESQL"})


def next_sql_mode(sql: bytes, tokens: Sequence[Token], current: str) -> str:
    """The sql_mode after a SET statement; `current` where it sets another thing.

    An expression over the mode itself, CONCAT(@@sql_mode, ',STRICT'), adds to it."""
    texts = [sql[t.start : t.end] for t in tokens]
    for place, text in enumerate(texts):
        name = text.upper().replace(b"`", b"").removeprefix(b"@@").split(b".")
        is_global = b"GLOBAL" in name or (place > 0 and texts[place - 1].upper() == b"GLOBAL")
        if name[-1] != b"SQL_MODE" or is_global:
            continue
        assigned = _assigned(sql, tokens[place + 1 :])
        if assigned is not None:
            current = _with_implied(*assigned, current=current)
    return current


def _assigned(sql: bytes, tokens: Sequence[Token]) -> tuple[list[str], bool] | None:
    """The modes in an assignment's text literals, and whether the old mode is in it too."""
    if not tokens or sql[tokens[0].start : tokens[0].end] not in (b"=", b":"):
        return None
    modes: list[str] = []
    depth, keeps = 0, False
    for token in tokens[1:]:
        text = sql[token.start : token.end]
        depth += (text == b"(") - (text == b")")
        if text == b"," and depth == 0:
            break
        keeps = keeps or text.upper().endswith(b"SQL_MODE")
        if token.kind is TokenKind.TEXT:
            modes += decode(token.kind, text).decode("ascii", "replace").upper().split(",")
    return modes, keeps


def _with_implied(modes: list[str], keeps: bool, *, current: str) -> str:
    """One text of modes, each once, without blanks."""
    named = (current.split(",") if keeps else []) + [m.strip() for m in modes]
    if _IMPLY_ANSI_QUOTES & set(named):
        named.append(ANSI_QUOTES)
    return ",".join(dict.fromkeys(m for m in named if m))

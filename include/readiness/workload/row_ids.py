"""Which row of an INSERT an id belongs to, and the turn that the row belongs to."""

from __future__ import annotations

from bisect import bisect_right

from readiness.model.workload import Row, Slot, Step, Turn
from readiness.sql.lexer import TokenKind, lex

_BEFORE_ROWS = (b"VALUES", b"VALUE")


def turns_of_rows(step: Step) -> tuple[Turn | None, ...]:
    """For each row of `VALUES (…), (…)`, in order, its turn (None: it is always there)."""
    sql, starts, turns = _laid_out(step)
    found: list[Turn | None] = []
    depth, is_listing = 0, False
    for token in lex(sql):
        text = sql[token.start : token.end].upper()
        if token.kind is TokenKind.WORD and not depth:
            is_listing = text in _BEFORE_ROWS and not found
        elif token.kind is TokenKind.OPERATOR:
            if text == b"(" and not depth and is_listing:
                found.append(turns[bisect_right(starts, token.start) - 1])
            depth += (text == b"(") - (text == b")")
    return tuple(found)


def _laid_out(step: Step) -> tuple[bytes, list[int], list[Turn | None]]:
    """The text with all rows, where each piece begins in it, and the turn of each piece."""
    sql, starts, turns = b"", list[int](), list[Turn | None]()
    for piece in step.pieces:
        starts.append(len(sql))
        turns.append(piece.turn if isinstance(piece, Row) else None)
        parts = piece.pieces if isinstance(piece, Row) else (piece,)
        sql += b"".join(b"@" + p.variable.encode() if isinstance(p, Slot) else p for p in parts)
    return sql, starts, turns

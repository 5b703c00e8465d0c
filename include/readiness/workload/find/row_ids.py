"""Which turn each row of an INSERT belongs to: its ids are there where the row is."""

from __future__ import annotations

from readiness.model.workload import Step, Turn
from readiness.sql.lexer import TokenKind, lex
from readiness.workload.text.layout import layout

_BEFORE_ROWS = (b"VALUES", b"VALUE")


def turns_of_rows(step: Step) -> tuple[Turn | None, ...]:
    """For each row of `VALUES (…), (…)`, in order, its turn (None: it is always there)."""
    laid = layout(step)
    found: list[Turn | None] = []
    depth, is_listing = 0, False
    for token in lex(laid.text):
        text = laid.text[token.start : token.end].upper()
        if token.kind is TokenKind.WORD and not depth:
            is_listing = text in _BEFORE_ROWS and not found
        elif token.kind is TokenKind.OPERATOR:
            if text == b"(" and not depth and is_listing:
                found.append(laid.turn_at(token.start))
            depth += (text == b"(") - (text == b")")
    return tuple(found)

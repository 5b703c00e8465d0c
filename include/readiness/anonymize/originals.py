"""Which captured values differ between captures: what no output may hold.

Not searched for are values of fewer than 4 characters, and words that all captures share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from readiness.model.draft import RawDraft, RawLiteral
from readiness.model.transactions import Raw
from readiness.sql.lexer import LITERALS, decode, lex

_SHORTEST = 4


@dataclass(frozen=True, slots=True, repr=False)
class Originals(Raw):
    """Captured values by id: `user_email_0/2` is the variable's value in capture 2,
    `s017/3` the third varying literal of a statement."""

    values: Mapping[str, bytes]


def originals(draft: RawDraft) -> Originals:
    """All values of a draft that differ between captures, as far as they can be searched for."""
    constants = _constants(draft)
    found: dict[str, bytes] = {}
    seen: set[bytes] = set()
    for value_id, value in _varying(draft):
        if len(value) >= _SHORTEST and value not in seen and not _holds(constants, value.lower()):
            found[value_id] = value
            seen.add(value)
    return Originals(found)


def _varying(draft: RawDraft) -> Iterator[tuple[str, bytes]]:
    for variable in draft.variables:
        for capture, value in enumerate(variable.values, 1):
            if value is not None:
                yield f"{variable.name}/{capture}", value
    for step in draft.steps:
        literals = [p for p in step.pieces if isinstance(p, RawLiteral) and p.varies]
        for number, literal in enumerate(literals, 1):
            for value in _decoded(literal):
                yield f"{step.statement_id}/{number}", value


def _decoded(literal: RawLiteral) -> list[bytes]:
    text = literal.text
    return [decode(t.kind, text[t.start : t.end]) for t in lex(text) if t.kind in LITERALS]


def _constants(draft: RawDraft) -> bytes:
    """What all captures share, lower case: statement texts and constant literals."""
    parts: list[bytes] = []
    for step in draft.steps:
        for piece in step.pieces:
            if isinstance(piece, bytes):
                parts.append(piece)
            elif isinstance(piece, RawLiteral) and not piece.varies:
                parts += [piece.text, *_decoded(piece)]
    return b"\n".join(parts).lower()


def _holds(folded: bytes, value: bytes) -> bool:
    """Whether a text holds a value as a whole word."""
    return re.search(rb"(?<![a-z0-9])" + re.escape(value) + rb"(?![a-z0-9])", folded) is not None

"""Which captured values differ between captures: what no output may hold.

Not searched for are values of fewer than 4 characters, and words that all captures share.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from readiness.model.draft import RawDraft, RawLiteral, RawPiece, RawRow
from readiness.model.transactions import Raw
from readiness.model.workload import Form, Slot
from readiness.sql.lexer import LITERALS, Token, decode, lex

_SHORTEST = 4


@dataclass(frozen=True, slots=True, repr=False)
class Originals(Raw):
    """Captured values by id: `user_email_0/2` is the variable's value in capture 2,
    `s017/3/1` that of the statement's third varying literal in capture 1, `user_payload_0/list` a
    captured text whose lists were made longer. `parts` are pieces of some of them that tell the
    person, too."""

    values: Mapping[str, bytes]
    parts: Mapping[str, tuple[bytes, ...]] = field(default_factory=dict)

    def beyond(self, words: bytes) -> Originals:
        """Those that are none of our own words (lower case), where a text is made of such."""
        kept = {i: v for i, v in self.values.items() if not _holds(words, v.lower())}
        return Originals(kept, {i: own for i, own in self.parts.items() if i in kept})

    def and_those(self, others: Originals) -> Originals:
        """Both; of a value with the same id ours."""
        return Originals({**others.values, **self.values}, {**others.parts, **self.parts})


NOTHING = Originals({})


def originals(draft: RawDraft) -> Originals:
    """All values of a draft that differ between captures, as far as they can be searched for."""
    shared = constants(draft)
    found: dict[str, bytes] = {}
    seen: set[bytes] = set()
    for value_id, value in varying(draft):
        if len(value) >= _SHORTEST and value not in seen and not _holds(shared, value.lower()):
            found[value_id] = value
            seen.add(value)
    return Originals(found)


def varying(draft: RawDraft) -> Iterator[tuple[str, bytes]]:
    """(id, decoded value) of all that differs between captures, each capture's value; numbers that
    shape a statement (LIMIT) are no value."""
    for variable in draft.variables:
        yield from _by_capture(variable.name, variable.values)
        yield from ((f"{variable.name}/list", text) for text in variable.captured)
    for step in draft.steps:
        literals = [p for p in flat(step.pieces) if isinstance(p, RawLiteral) and p.varies]
        for number, literal in enumerate(literals, 1):
            if not literal.is_structural or literal.form is not Form.NUMBER:
                values = list(literal.others)
                values.insert(literal.capture, literal_value(literal))
                yield from _by_capture(f"{step.statement_id}/{number}", values)


def flat(pieces: Iterable[RawPiece]) -> Iterator[bytes | RawLiteral | Slot]:
    """The pieces, those of rows too."""
    for piece in pieces:
        if isinstance(piece, RawRow):
            yield from piece.pieces
        else:
            yield piece


def _by_capture(name: str, values: Sequence[bytes | None]) -> Iterator[tuple[str, bytes]]:
    return ((f"{name}/{n}", value) for n, value in enumerate(values, 1) if value is not None)


def literal_tokens(literal: RawLiteral) -> list[Token]:
    """The spans of its quotes or digits within its text; several for adjacent strings."""
    return [t for t in lex(literal.text) if t.kind in LITERALS]


def literal_value(literal: RawLiteral) -> bytes:
    """Its decoded value; adjacent strings are one."""
    text = literal.text
    return b"".join(decode(t.kind, text[t.start : t.end]) for t in literal_tokens(literal))


def constants(draft: RawDraft) -> bytes:
    """What all captures share, lower case: statement texts and constant literals."""
    parts: list[bytes] = []
    for step in draft.steps:
        for piece in flat(step.pieces):
            if isinstance(piece, bytes):
                parts.append(piece)
            elif isinstance(piece, RawLiteral) and not piece.varies:
                parts += [piece.text, literal_value(piece)]
    return b"\n".join(parts).lower()


def _holds(folded: bytes, value: bytes) -> bool:
    """Whether a text holds a value as a whole word."""
    return re.search(rb"(?<![a-z0-9])" + re.escape(value) + rb"(?![a-z0-9])", folded) is not None

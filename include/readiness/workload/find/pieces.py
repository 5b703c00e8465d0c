"""A statement as pieces: its bytes, the literals that stay, and slots for variables.

Joined in order, with the captured literals in place of slots, the pieces are the captured statement
byte for byte; comments other than hints and executable ones are left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from readiness.model.draft import RawLiteral, RawPiece, RawRow
from readiness.model.workload import Slot
from readiness.sql.lexer import TokenKind
from readiness.workload.find.literals import Literal
from readiness.workload.find.places import Span
from readiness.workload.find.statements import Statement

_Plain = bytes | RawLiteral | Slot
_Cut = tuple[int, int, Slot | RawLiteral | None]


def pieces_of(
    statement: Statement,
    replaced: Mapping[int, Slot | RawLiteral],
    rows: Sequence[Span] = (),
) -> tuple[RawPiece, ...]:
    """`replaced` says by literal number what stands in its place: a slot takes the literal with its
    introducer, a RawLiteral the literal alone; literals not named stay static bytes. `rows` are the
    parts that belong to one turn, in order."""
    cuts = _cuts(statement, replaced)
    start, end = _extent(statement)
    pieces: list[RawPiece] = []
    at = start
    for row in rows:
        pieces += _between(statement, cuts, at, row.start)
        pieces.append(RawRow(row.turn, tuple(_between(statement, cuts, row.start, row.end))))
        at = row.end
    pieces += _between(statement, cuts, at, end)
    return tuple(pieces)


def literal_text(statement: Statement, literal: Literal) -> bytes:
    """The literal as it stands, without the comments between adjacent strings."""
    text, at = b"", literal.start
    for token in statement.tokens:
        if token.kind is TokenKind.COMMENT and literal.start < token.start < literal.end:
            text += statement.sql[at : token.start] + _gap(statement.sql, token.start, token.end)
            at = token.end
    return text + statement.sql[at : literal.end]


def _cuts(statement: Statement, replaced: Mapping[int, Slot | RawLiteral]) -> list[_Cut]:
    """What does not stay as it is, in order."""
    cuts: list[_Cut] = [
        (t.start, t.end, None) for t in statement.tokens if t.kind is TokenKind.COMMENT
    ]
    for number, replacement in replaced.items():
        literal = statement.literals[number]
        if isinstance(replacement, Slot):
            cuts.append((literal.slot_start, literal.slot_end, replacement))
        else:
            cuts.append((literal.start, literal.end, replacement))
    return sorted(cuts, key=lambda c: c[:2])


def _between(statement: Statement, cuts: Sequence[_Cut], start: int, end: int) -> list[_Plain]:
    """The pieces of the bytes [start, end)."""
    pieces: list[_Plain] = []
    at = start
    for cut_start, cut_end, piece in cuts:
        if not start <= cut_start < end or cut_start < at:
            continue  # outside of the bytes, or a comment within a literal that was replaced
        _add(pieces, statement.sql[at:cut_start])
        if piece is None:
            _add(pieces, _gap(statement.sql, cut_start, cut_end))
        else:
            pieces.append(piece)
        at = cut_end
    _add(pieces, statement.sql[at:end])
    return pieces


def _extent(statement: Statement) -> tuple[int, int]:
    """First to last token that is neither a comment nor the closing `;`."""
    work = [t for t in statement.tokens if t.kind is not TokenKind.COMMENT]
    while work and statement.sql[work[-1].start : work[-1].end] == b";":
        work.pop()
    return (work[0].start, work[-1].end) if work else (0, 0)


def _gap(sql: bytes, start: int, end: int) -> bytes:
    """A comment between two words is what keeps them apart."""
    before, after = sql[start - 1 : start], sql[end : end + 1]
    return b"" if before.isspace() or after.isspace() else b" "


def _add(pieces: list[_Plain], text: bytes) -> None:
    if not text:
        return
    if pieces and isinstance(pieces[-1], bytes):
        pieces[-1] += text
    else:
        pieces.append(text)

"""Pieces of a value that tell the person as well as the whole: eight characters in a row of what
stands before an e-mail's @, of a name with surname, of an account; eight digits in a row and more of
a card, phone or security number, which count where no other digit stands beside them.

What all captures share is no piece of one person, and what the flow's own SQL says is none either.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from readiness.anonymize.encodings import fold
from readiness.anonymize.net import numbered_spans
from readiness.anonymize.originals import Originals, constants, literal_value
from readiness.anonymize.sensitive import is_personal_column
from readiness.model.draft import RawDraft, RawLiteral, RawPiece

_LENGTH = 8
_NAME_WORD = r"[\"'(«“„]?[^\W\d_]+(?:['’.-][^\W\d_]+)*[.)\"'»”]?"
_NAME = re.compile(rf"{_NAME_WORD}(?: {_NAME_WORD}){{1,4}}")
_NO_DIGIT = re.compile(r"\D+")
_SEPARATOR = re.compile(r"[\s()/.+-]+")


def with_parts(originals: Originals, draft: RawDraft) -> Originals:
    """The originals of a draft, and the pieces of those that are personal by form or by column."""
    return with_pieces(originals, fold(constants(draft)), _columns(draft))


def with_pieces(
    originals: Originals, shared: bytes, columns: Mapping[bytes, str] | None = None
) -> Originals:
    """As `with_parts`, with the folded text of all that captures share; a value's id ends in the
    number of its capture."""
    columns = columns or {}
    pieces = {
        value_id: dict.fromkeys(_pieces(value, columns.get(value, "")))
        for value_id, value in originals.values.items()
    }
    everywhere = _of_all_captures(pieces)
    kept = {
        value_id: tuple(p for p in own if p not in everywhere and p not in shared)
        for value_id, own in pieces.items()
    }
    return Originals(originals.values, {i: own for i, own in kept.items() if own})


def _pieces(value: bytes, column: str) -> Iterator[bytes]:
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return
    for stretch in dict.fromkeys(_telling(text, column)):
        longest = max(len(stretch) - 1, _LENGTH) if stretch.isdigit() else _LENGTH
        for length in range(_LENGTH, min(longest, len(stretch)) + 1):
            for at in range(len(stretch) - length + 1):
                yield fold(stretch[at : at + length].encode())
    yield from (fold(whole.encode()) for whole in _rewritten(text))


def _telling(text: str, column: str) -> Iterator[str]:
    """The stretches of a value of which a piece is enough; of a number its digits alone."""
    if _is_address(text):
        return
    if _NAME.fullmatch(text) or (column and is_personal_column(column, text.encode())):
        yield text.partition("@")[0]
    for span in _personal(text):
        local, is_mail, _ = span.partition("@")
        yield local if is_mail else _NO_DIGIT.sub("", span)


def _rewritten(text: str) -> Iterator[str]:
    """Numbers in other groups than their own: together, or in fours as cards and accounts show."""
    for span in _personal(text):
        together = _SEPARATOR.sub("", span)
        if "@" in span or len(together) < _LENGTH:
            continue
        fours = [together[at : at + 4] for at in range(0, len(together), 4)]
        made = (together, " ".join(fours), "-".join(fours))
        yield from (written for written in made if written != text)


def _personal(text: str) -> Iterator[str]:
    spans = (text[start:end] for start, end in numbered_spans(text))
    return (span for span in spans if not _is_address(span))


def _is_address(text: str) -> bool:
    """Whether it is an IP address: eight characters of one are those of a whole network."""
    return re.fullmatch(r"\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F]*:[0-9a-fA-F:]+", text) is not None


def _of_all_captures(pieces: Mapping[str, Mapping[bytes, None]]) -> set[bytes]:
    """The pieces that each capture has: 'customer' of customer.1@…, customer.2@…"""
    seen: dict[bytes, set[str]] = defaultdict(set)
    for value_id, own in pieces.items():
        for piece in own:
            seen[piece].add(value_id.rpartition("/")[2])
    captures = {value_id.rpartition("/")[2] for value_id in pieces}
    return {piece for piece, numbers in seen.items() if len(numbers) > 1 and numbers == captures}


def _columns(draft: RawDraft) -> dict[bytes, str]:
    """The column that each captured value meets, where one is known."""
    found = {v: variable.column for variable in draft.variables for v in variable.values if v}
    for step in draft.steps:
        for literal in _literals(step.pieces):
            values = (literal_value(literal), *literal.others)
            found.update({v: literal.column for v in values if v and literal.column})
    return found


def _literals(pieces: tuple[RawPiece, ...]) -> Iterator[RawLiteral]:
    for piece in pieces:
        if isinstance(piece, RawLiteral):
            yield piece
        elif hasattr(piece, "pieces"):
            yield from _literals(piece.pieces)

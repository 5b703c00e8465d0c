"""The places of a composite: every literal, with its value in each capture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from readiness.model.transactions import Raw
from readiness.model.workload import Form, Turn
from readiness.workload.find.composite import Counts, Part, Repeats
from readiness.workload.find.lists import Element, Listing, lists_of, paired
from readiness.workload.find.literals import Literal
from readiness.workload.find.payloads import with_longest_lists
from readiness.workload.find.statements import Statement

Order = tuple[int, int]
"""Statement and literal, both from 0."""


@dataclass(frozen=True, slots=True, repr=False)
class Place(Raw):
    """One literal of the composite, with its value in each capture (None: not matched there).

    `seen` says which values are of this very place; the others are padding, an earlier iteration
    that stands for one which the capture has not. `captured` are the values before the lists in
    them were made equally long. The literal is that of `capture` (from 0). `turn` says when it is
    used, `first` is the place that stands for it in the first iteration."""

    statement: int
    index: int
    literal: Literal
    values: tuple[bytes | None, ...]
    seen: tuple[bool, ...]
    captured: tuple[bytes | None, ...]
    capture: int = 0
    turn: Turn | None = None
    first: Order | None = None

    @property
    def order(self) -> Order:
        """Where it stands in the flow."""
        return self.statement, self.index

    @property
    def is_constant(self) -> bool:
        """Known in at least two captures and equal in all of them."""
        known = [v for v in self.values if v is not None]
        return len(known) > 1 and len(set(known)) == 1


@dataclass(frozen=True, slots=True)
class Span:
    """The bytes [start, end) of a statement that belong to one turn, the comma before included."""

    start: int
    end: int
    turn: Turn


@dataclass(frozen=True, slots=True, repr=False)
class Laid(Raw):
    """One statement of the composite with its places and rows; `longest` says that one of its texts
    holds a list that was made as long as the longest capture's."""

    part: Part
    places: tuple[Place, ...]
    rows: tuple[Span, ...]
    longest: bool


def laid(parts: Sequence[Part], repeats: Repeats) -> list[Laid]:
    """Every statement of the composite with its places."""
    return [_laid(number, part, repeats) for number, part in enumerate(parts)]


def _laid(number: int, part: Part, repeats: Repeats) -> Laid:
    part = part if part.turn else _with_longest_list(part)
    rows = [] if part.turn else list(_rows(part, repeats))
    turns = {i: (turn, first) for _, turn, literals in rows for i, first in literals}
    places = []
    for place in _places(number, part):
        turn, first = turns.get(place.index, (part.turn, place.index))
        statement = part.first if part.turn else number
        is_first = turn is None or statement < 0 or (statement, first) == place.order
        at = None if is_first else (statement, first)
        places.append(replace(place, turn=turn, first=at))
    spans = tuple(Span(*span, turn) for span, turn, _ in rows)
    longest = any(p.values != p.captured for p in places)
    return Laid(part, tuple(places), spans, longest)


def _places(number: int, part: Part) -> Iterator[Place]:
    """Each literal, paired with those of the other captures; texts with lists get equal lengths."""
    pairs = [None if p is None else paired(part.statement, p) for p in part.partners]
    for index, literal in enumerate(part.statement.literals):
        found = [p[index] if p else None for p in pairs]
        captured = tuple(
            partner.literals[at[0]].value if partner and at else None
            for partner, at in zip(part.partners, found, strict=True)
        )
        seen = tuple(bool(own and at and at[1]) for own, at in zip(part.is_own, found, strict=True))
        is_text = literal.form is Form.TEXT and not literal.is_structural
        values = with_longest_lists(captured) if is_text else captured
        yield Place(number, index, literal, values, seen, captured, part.capture)


def _with_longest_list(part: Part) -> Part:
    """The part with the text of the capture whose lists are longest, where they differ."""
    lists = _lists(part)
    if lists is None:
        return part
    totals = [-1 if found is None else sum(len(x.elements) for x in found) for found in lists]
    longest = totals.index(max(totals))
    chosen = part.partners[longest]
    if chosen is None or totals[longest] == totals[part.capture]:
        return part
    own = part.statement
    chosen = replace(chosen, thread=own.thread, transaction=own.transaction, pause_ms=own.pause_ms)
    return replace(part, statement=chosen, capture=longest)


def _lists(part: Part) -> list[tuple[Listing, ...] | None] | None:
    """The lists of each capture's statement; None where a capture has other ones, or all are of one
    length."""
    found = [None if p is None else lists_of(p) for p in part.partners]
    known = [f for f in found if f is not None]
    sizes = {tuple(len(x.elements) for x in f) for f in known}
    if len(sizes) < 2 or len({len(f) for f in known}) > 1:
        return None
    return found


def _rows(
    part: Part, repeats: Repeats
) -> Iterator[tuple[tuple[int, int], Turn, list[tuple[int, int]]]]:
    """The bytes and the turn of each element that some capture has not, and its literals, each with
    the one that stands for it in the first element."""
    lists = _lists(part)
    for number, listing in enumerate(lists_of(part.statement) if lists else ()):
        counts: Counts = tuple(None if f is None else len(f[number].elements) for f in lists or ())
        if len({c for c in counts if c is not None}) < 2:
            continue
        repeat = repeats.name(counts)
        first = listing.elements[0]
        for turn, (before, element) in enumerate(_pairs(listing), 2):
            literals = [(element.first + n, first.first + n) for n in range(element.size)]
            yield (before.end, element.end), Turn(repeat, turn), literals


def _pairs(listing: Listing) -> Iterator[tuple[Element, Element]]:
    return zip(listing.elements, listing.elements[1:], strict=False)


def statements_of(laid_out: Sequence[Laid]) -> tuple[Statement, ...]:
    """The statements alone."""
    return tuple(one.part.statement for one in laid_out)

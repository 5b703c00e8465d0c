"""Lists inside one statement: the rows of VALUES, the members of IN, the branches of CASE.

Captures with baskets of another size hold longer or shorter ones; their shape is the same. A list is
found by its words and parentheses, so that no literal is ever taken for a separator."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from readiness.sql.lexer import TokenKind
from readiness.sql.shape import shape
from readiness.workload.find.statements import Statement

_ROWS = frozenset({b"VALUES", b"VALUE"})
_QUERY = frozenset({b"SELECT", b"WITH"})
_AFTER_BRANCH = frozenset({b"WHEN", b"ELSE", b"END"})
_MAY_HOLD = re.compile(rb"\b(?:VALUES?|IN) \(|\bWHEN ")
_SIGN = re.compile(rb"(?:(?<=^)|(?<=[(,] ))[-+] (?=\?)")
_LITERALS = re.compile(rb"\( \?(?: , \?)* \)")


@dataclass(frozen=True, slots=True)
class Element:
    """One row or member: the bytes [start, end) of the statement and its literals [first, last)."""

    start: int
    end: int
    first: int
    last: int

    @property
    def size(self) -> int:
        """How many literals it holds."""
        return self.last - self.first


@dataclass(frozen=True, slots=True)
class Listing:
    """A list whose elements have one form."""

    elements: tuple[Element, ...]

    @property
    def literals(self) -> range:
        """The numbers of all its literals, which are neighbours."""
        return range(self.elements[0].first, self.elements[-1].last)


@dataclass(frozen=True, slots=True)
class _Item:
    """A token, or a whole literal (`text` is `?`)."""

    text: bytes
    start: int
    end: int
    literal: int = -1


def lists_of(statement: Statement) -> tuple[Listing, ...]:
    """The outermost lists of a statement, in order."""
    if not _MAY_HOLD.search(statement.shape):
        return ()
    items = list(_items(statement))
    closing = _closing(items)
    found: list[Listing] = []
    i = 0
    while i < len(items):
        spans, after = _spans(items, closing, i)
        listing = _listing(items, spans)
        if listing:
            found.append(listing)
        i = after if listing else i + 1
    return tuple(found)


def aligning_shape(statement: Statement) -> bytes:
    """What is equal in captures of different baskets: the shape, with one branch of each CASE (the
    shape itself takes rows and members as one)."""
    if b" WHEN " not in statement.shape:
        return statement.shape
    text, at = b"", 0
    for listing in lists_of(statement):
        first, last = listing.elements[0], listing.elements[-1]
        text += statement.sql[at : first.end] + b" "
        at = last.end
    return shape(text + statement.sql[at:])


def paired(template: Statement, partner: Statement) -> list[tuple[int, bool] | None]:
    """For each literal of `template` its partner's number, and whether it is the same element of
    its list; a missing element is stood for by an earlier one. None where there is no partner."""
    own, other = lists_of(template), lists_of(partner)
    total = len(template.literals)
    if len(own) != len(other) or all(
        len(a.elements) == len(b.elements) for a, b in zip(own, other, strict=True)
    ):
        is_same = len(partner.literals) == total
        return [(i, True) if is_same else None for i in range(total)]
    pairs: list[tuple[int, bool] | None] = []
    at = 0
    for mine, theirs in zip(own, other, strict=True):
        if mine.literals.start - len(pairs) != theirs.literals.start - at:
            return [None] * total
        pairs += [(at + n, True) for n in range(mine.literals.start - len(pairs))]
        pairs += _by_element(mine, theirs)
        at = theirs.literals.stop
    if total - len(pairs) != len(partner.literals) - at:
        return [None] * total
    return pairs + [(at + n, True) for n in range(total - len(pairs))]


def _by_element(mine: Listing, theirs: Listing) -> Iterator[tuple[int, bool] | None]:
    for number, element in enumerate(mine.elements):
        partner = theirs.elements[number % len(theirs.elements)]
        for n in range(element.size):
            is_same = partner.size == element.size
            yield (partner.first + n, number < len(theirs.elements)) if is_same else None


def _items(statement: Statement) -> Iterator[_Item]:
    literals = statement.literals
    number = 0
    for kind, start, end in statement.tokens:
        while number < len(literals) and literals[number].slot_end <= start:
            number += 1
        if number < len(literals) and literals[number].slot_start <= start:
            if start == literals[number].slot_start:
                yield _Item(b"?", start, literals[number].slot_end, number)
        elif kind not in (TokenKind.COMMENT, TokenKind.HINT):
            yield _Item(statement.sql[start:end].upper(), start, end)


def _closing(items: Sequence[_Item]) -> dict[int, int]:
    """The index of each `(`, and that of its `)`."""
    opened: list[int] = []
    found: dict[int, int] = {}
    for i, item in enumerate(items):
        if item.text == b"(":
            opened.append(i)
        elif item.text == b")" and opened:
            found[opened.pop()] = i
    return found


def _spans(
    items: Sequence[_Item], closing: dict[int, int], at: int
) -> tuple[list[tuple[int, int]], int]:
    """The elements of the list that the word at `at` begins, as items [a, b), and what follows."""
    if items[at].text in _ROWS:
        return _row_spans(items, closing, at + 1)
    if items[at].text == b"WHEN":
        return _branch_spans(items, closing, at)
    close = closing.get(at + 1) if items[at].text == b"IN" else None
    if close is None or items[at + 2].text in _QUERY:
        return [], at + 1
    commas, i = [], at + 2
    while i < close:
        if items[i].text == b",":
            commas.append(i)
        i = closing.get(i, i) + 1
    starts = [at + 2, *(c + 1 for c in commas)]
    return list(zip(starts, [*commas, close], strict=True)), close + 1


def _row_spans(
    items: Sequence[_Item], closing: dict[int, int], at: int
) -> tuple[list[tuple[int, int]], int]:
    spans: list[tuple[int, int]] = []
    while at in closing:
        end = closing[at] + 1
        spans.append((at, end))
        is_last = end >= len(items) or items[end].text != b","
        at = len(items) if is_last else end + 1
    return spans, spans[-1][1] if spans else at


def _branch_spans(
    items: Sequence[_Item], closing: dict[int, int], at: int
) -> tuple[list[tuple[int, int]], int]:
    """Every `WHEN … THEN …` of one CASE; none where another CASE stands in a branch."""
    spans: list[tuple[int, int]] = []
    i = at
    while i < len(items) and items[i].text == b"WHEN":
        start = i
        i += 1
        while i < len(items) and items[i].text not in _AFTER_BRANCH:
            if items[i].text == b"CASE":
                return [], at + 1
            i = closing.get(i, i) + 1
        spans.append((start, i))
    return spans, i


def _listing(items: Sequence[_Item], spans: Sequence[tuple[int, int]]) -> Listing | None:
    """None unless every element has the same form, and literals in it."""
    forms = {_form(items[a:b]) for a, b in spans if a < b}
    if len(forms) != 1:
        return None
    elements: list[Element] = []
    for a, b in spans:
        numbers = [item.literal for item in items[a:b] if item.literal >= 0]
        if not numbers:
            return None
        elements.append(Element(items[a].start, items[b - 1].end, numbers[0], numbers[-1] + 1))
    return Listing(tuple(elements))


def _form(items: Sequence[_Item]) -> bytes:
    """Equal for elements that differ in values, their signs, and the length of lists in them."""
    text = b" ".join(item.text for item in items)
    return _LITERALS.sub(b"(+)", _SIGN.sub(b"", text))

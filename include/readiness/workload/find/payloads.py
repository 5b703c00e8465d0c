"""JSON texts that hold one entry for each item of a basket.

Between captures of different baskets such texts differ in structure, and nothing in them could be
explained. So the shorter lists are padded with their own entries until all are equally long: the
text always holds the longest list, and it stays JSON."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from readiness.model.transactions import Raw

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SCALAR = re.compile(rb"[^\s,\[\]{}:\"]+")
_SPACE = re.compile(rb"\s*")
_BASE64 = re.compile(rb"[A-Za-z0-9+/]{16,}={0,2}")
_DEEPEST = 64

Values = tuple[bytes | None, ...]


@dataclass(frozen=True, slots=True, repr=False)
class _Node(Raw):
    """A value in a JSON text: a scalar, or a list or object whose `gaps` stand around `items`
    (one more than items, or `open` alone for an empty one)."""

    text: bytes = b""
    kind: bytes = b""
    keys: tuple[bytes, ...] = ()
    items: tuple[_Node, ...] = ()
    gaps: tuple[bytes, ...] = ()

    def written(self) -> bytes:
        """The text of the node."""
        if not self.kind:
            return self.text
        parts = [g + i.written() for g, i in zip(self.gaps, self.items, strict=False)]
        return b"".join(parts) + self.gaps[-1]


def with_longest_lists(values: Values) -> Values:
    """The values, with every list as long as the longest at its place in any capture; unchanged
    unless all are JSON (or base64 of it) of otherwise equal structure."""
    known = [v for v in values if v is not None]
    if len(set(known)) < 2:
        return values
    decoded = [_plain(v) for v in known]
    is_base64 = all(d is not None for d in decoded)
    trees = [_tree(d or v) for v, d in zip(known, decoded, strict=True)]
    whole = [t for t in trees if t is not None]
    if len(whole) < len(known) or len({_form(t) for t in whole}) == 1:
        return values
    equal = _equalized(whole)
    if equal is None:
        return values
    made = iter(equal)
    texts = (None if v is None else next(made).written() for v in values)
    return tuple(base64.b64encode(t) if t and is_base64 else t for t in texts)


def is_json(value: bytes) -> bool:
    """Whether a text is a JSON list or object."""
    return _tree(value) is not None


@dataclass(frozen=True, slots=True, repr=False)
class Segment(Raw):
    """A stretch of JSON texts of one structure, in every capture: a scalar, or what stands between
    two. `is_bare` says that it has no quotes: a number, true, false or null."""

    values: tuple[bytes, ...]
    is_scalar: bool
    is_bare: bool = False


def segments(texts: Sequence[bytes]) -> list[Segment] | None:
    """The texts cut at every scalar, strings without their quotes; None unless all are JSON of one
    structure."""
    trees = [_tree(t) for t in texts]
    rows = [list(_flat(t)) for t in trees if t is not None]
    if len(rows) < len(texts) or len({tuple(kind for _, kind in r) for r in rows}) > 1:
        return None
    return [
        Segment(tuple(text for text, _ in column), column[0][1] > 0, column[0][1] > 1)
        for column in zip(*rows, strict=True)
    ]


def _flat(node: _Node) -> Iterator[tuple[bytes, int]]:
    """Text and kind: 0 structure, 1 the inside of a string, 2 a bare scalar."""
    if node.kind:
        for gap, item in zip(node.gaps, node.items, strict=False):
            yield gap, 0
            yield from _flat(item)
        yield node.gaps[-1], 0
    elif node.text[:1] == b'"':
        yield from ((b'"', 0), (node.text[1:-1], 1), (b'"', 0))
    else:
        yield node.text, 2


def _plain(value: bytes) -> bytes | None:
    if len(value) % 4 or not _BASE64.fullmatch(value):
        return None
    try:
        return base64.b64decode(value, validate=True)
    except binascii.Error:
        return None


def _tree(text: bytes) -> _Node | None:
    """The text as nodes; None unless it is a JSON list or object."""
    if text.strip()[:1] not in (b"[", b"{"):
        return None
    try:
        json.loads(text)
        node, end = _read(text, 0, 0)
    except (ValueError, RecursionError):
        return None
    return node if end == len(text) else None


def _read(text: bytes, start: int, depth: int) -> tuple[_Node, int]:
    """The value that begins at or after `start` of a valid text, with the space around it."""
    at = _after_space(text, start)
    opening = text[at : at + 1]
    if opening in (b"[", b"{") and depth < _DEEPEST:
        node, at = _read_inside(text, start, at + 1, depth)
        return node, at
    found = _STRING.match(text, at) or _SCALAR.match(text, at)
    if not found:
        raise ValueError("no JSON value")
    return _Node(text[start : found.end()]), found.end()


def _read_inside(text: bytes, start: int, at: int, depth: int) -> tuple[_Node, int]:
    """A list or object whose opening bracket ends at `at`."""
    kind = text[at - 1 : at]
    gaps, items, keys = [], [], []
    gap = start
    while text[_after_space(text, at) : _after_space(text, at) + 1] not in (b"]", b"}"):
        at = _after_space(text, at)
        if kind == b"{":
            key = _STRING.match(text, at)
            if not key:
                raise ValueError("no JSON key")
            keys.append(key[0])
            at = text.index(b":", key.end()) + 1
        at = _after_space(text, at)
        gaps.append(text[gap:at])
        item, at = _read(text, at, depth + 1)
        items.append(item)
        gap = at
        after = _after_space(text, at)
        at = after + 1 if text[after : after + 1] == b"," else at
    end = _after_space(text, at) + 1
    tail = _after_space(text, end) if not depth else end
    gaps.append(text[gap:tail])
    return _Node(b"", kind, tuple(keys), tuple(items), tuple(gaps)), tail


def _after_space(text: bytes, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _form(node: _Node) -> object:
    """Equal for trees that differ in scalars only."""
    return (node.kind, node.keys, tuple(_form(i) for i in node.items))


def _equalized(nodes: Sequence[_Node]) -> list[_Node] | None:
    """The nodes of all captures at one place with equal structure; None where they cannot be."""
    first = nodes[0]
    if any(n.kind != first.kind or n.keys != first.keys for n in nodes):
        return None
    if first.kind == b"[":
        padded = _padded(nodes)
        if padded is None:
            return None
        nodes = padded
    columns = []
    for each in zip(*(n.items for n in nodes), strict=True):
        column = _equalized(each)
        if column is None:
            return None
        columns.append(column)
    return [replace(n, items=tuple(c[i] for c in columns)) for i, n in enumerate(nodes)]


def _padded(nodes: Sequence[_Node]) -> list[_Node] | None:
    """Lists as long as the longest; None where one is empty and another is not."""
    longest = max(nodes, key=lambda n: len(n.items))
    most = len(longest.items)
    if any(not n.items for n in nodes):
        return list(nodes) if not most else None
    if most < 2:
        return list(nodes)
    made = []
    for node in nodes:
        count = len(node.items)
        items = tuple(node.items[i % count] for i in range(most))
        between = (node.gaps[1] if count > 1 else longest.gaps[1],) * (most - count)
        made.append(replace(node, items=items, gaps=(*node.gaps[:count], *between, node.gaps[-1])))
    return made

"""Loops in sequences of statements: a body that stands several times in a row.

Each capture is a sequence of symbols (shapes). A body that some capture repeats is one loop node in
every capture, also where it stands once; so captures of different baskets become one sequence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

_LONGEST_BODY = 64  # statements; longer bodies are phases of a flow, not items of a basket


@dataclass(frozen=True, slots=True)
class Node:
    """One statement ([start, start + 1) of its capture), or a loop with its iterations."""

    symbol: int
    start: int
    end: int
    iterations: tuple[tuple[Node, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """One capture to look for loops in: a symbol and a transaction (0: none) per statement, and the
    values by which the statements of one iteration belong together."""

    symbols: Sequence[int]
    transactions: Sequence[int]
    values: Callable[[int], frozenset[bytes]] = lambda _: frozenset()

    def may_loop(self, bounds: Sequence[int]) -> bool:
        """Iterations between these bounds split no transaction: all lie within one, or each is made
        of whole ones."""
        inside = set(self.transactions[bounds[0] : bounds[-1]])
        return (len(inside) == 1 and 0 not in inside) or all(self._is_cut(b) for b in bounds)

    def _is_cut(self, at: int) -> bool:
        around = self.transactions[max(at - 1, 0) : at + 1]
        return at == 0 or len(around) < 2 or around[0] != around[1] or not around[1]


@dataclass(frozen=True, slots=True)
class _Found:
    """A body that one capture repeats in the nodes `span`; `covered` statements belong to it."""

    body: tuple[int, ...]
    covered: int
    span: range


@dataclass(slots=True)
class _Symbols:
    """Gives each loop body a symbol of its own, after those of the statements."""

    first: int
    known: dict[tuple[int, ...], int] = field(default_factory=dict)

    def of(self, body: tuple[int, ...]) -> int:
        return self.known.setdefault(body, self.first + len(self.known))


def with_loops(lines: Sequence[Line], *, inner_first: bool) -> list[list[Node]]:
    """Every capture as nodes. `inner_first` takes short bodies before those that cover more: loops
    in loops need it, bodies that begin and end alike the opposite."""
    symbols = _Symbols(1 + max((s for line in lines for s in line.symbols), default=0))
    rows = [[Node(s, i, i + 1) for i, s in enumerate(line.symbols)] for line in lines]
    known: dict[tuple[int, ...], list[_Found]] = {}
    while bodies := _bodies(lines, rows, known, inner_first=inner_first):
        for body in bodies:
            symbol = symbols.of(body)
            rows = [
                _wrapped(line, row, body, symbol) for line, row in zip(lines, rows, strict=True)
            ]
    return rows


def _bodies(
    lines: Sequence[Line],
    rows: Sequence[list[Node]],
    known: dict[tuple[int, ...], list[_Found]],
    *,
    inner_first: bool,
) -> list[tuple[int, ...]]:
    """The best bodies that share no symbol with one another."""
    covered: dict[tuple[int, ...], int] = {}
    for line, row in zip(lines, rows, strict=True):
        key = (id(line), *(n.symbol for n in row))
        if key not in known:
            known[key] = list(_repeated(line, row))
        for found in known[key]:
            covered[found.body] = covered.get(found.body, 0) + found.covered

    def merit(body: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
        size, gain = len(body), -covered[body]
        return (size, gain, body) if inner_first else (gain, size, body)

    taken: set[int] = set()
    chosen: list[tuple[int, ...]] = []
    for body in sorted(covered, key=merit):
        if inner_first and chosen and len(body) > len(chosen[0]):
            break
        if not taken & set(body):
            chosen.append(body)
            taken |= set(body)
    return chosen


def _repeated(line: Line, row: Sequence[Node]) -> Iterator[_Found]:
    """The bodies that stand at least twice in a row."""
    names = [n.symbol for n in row]
    for period in range(1, min(len(names) // 2, _LONGEST_BODY) + 1):
        for start, end in _regions(names, period):
            found = _best(line, row, (start, end), period)
            if found and _is_primitive(found.body):
                yield found


def _regions(names: Sequence[int], period: int) -> Iterator[tuple[int, int]]:
    """The longest stretches [start, end) with this period that hold two of it."""
    start = 0
    for i in range(len(names) - period + 1):
        if i < len(names) - period and names[i] == names[i + period]:
            continue
        if i - start >= period:
            yield start, i + period
        start = i + 1


def _is_primitive(body: tuple[int, ...]) -> bool:
    size = len(body)
    return not any(
        size % p == 0 and body == body[:p] * (size // p) for p in range(1, size // 2 + 1)
    )


def _best(line: Line, row: Sequence[Node], region: tuple[int, int], period: int) -> _Found | None:
    """Where in the region iterations begin: most of them, then those that share least values with
    their neighbours, then the earliest."""
    start, end = region
    best: tuple[int, int, int] | None = None
    for at in range(start, min(start + period, end - 2 * period + 1)):
        count = (end - at) // period
        bounds = _bounds(row, at, period, count)
        if line.may_loop(bounds):
            shared = _shared(line, (row[start].start, *bounds, row[end - 1].end))
            best = min(best or (-count, shared, at), (-count, shared, at))
    if best is None:
        return None
    body = tuple(n.symbol for n in row[best[2] : best[2] + period])
    bounds = _bounds(row, best[2], period, -best[0])
    return _Found(body, bounds[-1] - bounds[0], range(best[2], best[2] - best[0] * period))


def _bounds(row: Sequence[Node], at: int, period: int, count: int) -> list[int]:
    last = at + period * count
    return [*(row[i].start for i in range(at, last, period)), row[last - 1].end]


def _shared(line: Line, bounds: Sequence[int]) -> int:
    """How many values neighbouring stretches share that not all hold."""
    parts = [
        frozenset[bytes]().union(*(line.values(i) for i in range(a, b)))
        for a, b in pairwise(bounds)
        if a < b
    ]
    everywhere = frozenset.intersection(*parts)
    return sum(len((a & b) - everywhere) for a, b in pairwise(parts))


def _wrapped(line: Line, row: list[Node], body: tuple[int, ...], symbol: int) -> list[Node]:
    """The row with every run of the body, also a single one, as one loop node; not where the same
    statements are a loop that begins elsewhere in the body."""
    made: list[Node] = []
    turned = _turned(line, row, body)
    i = 0
    while i < len(row):
        count = 0 if i in turned else _run(line, row, body, i)
        if count:
            ends = range(i, i + count * len(body), len(body))
            iterations = tuple(tuple(row[a : a + len(body)]) for a in ends)
            made.append(Node(symbol, row[i].start, iterations[-1][-1].end, iterations))
            i += count * len(body)
        else:
            made.append(row[i])
            i += 1
    return made


def _turned(line: Line, row: Sequence[Node], body: tuple[int, ...]) -> set[int]:
    """The nodes of loops whose body is this one begun at another place."""
    size = len(body)
    turns = {body[n:] + body[:n] for n in range(1, size)}
    names = [n.symbol for n in row] if turns else []
    found = (_best(line, row, region, size) for region in _regions(names, size) if names)
    return {i for f in found if f and f.body in turns for i in f.span}


def _run(line: Line, row: Sequence[Node], body: tuple[int, ...], at: int) -> int:
    """How often the body stands from `at` on, splitting no transaction."""
    size, count = len(body), 0
    if row[at].symbol != body[0]:
        return 0
    while tuple(n.symbol for n in row[at + count * size : at + (count + 1) * size]) == body:
        count += 1
    while count and not line.may_loop(_bounds(row, at, size, count)):
        count -= 1
    return count

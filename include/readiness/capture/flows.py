"""Picks the runs of one flow out of a mixed log, by the example of a clean capture.

A flow such as a checkout goes over several connections, and a connection serves several flows, so
transactions are gathered by the values they share: ids in keyed columns of tables that the flow
itself fills. What two flows share (a merchant, a product) never links them, and two groups that
both hold what the example holds once are two flows.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from readiness.capture.example import Example
from readiness.capture.parts import Link, Part
from readiness.model.transactions import Raw, RawTransaction

UNLINKED = "no value in common with one flow"
PARTIAL = "parts of flows that the log does not hold as a whole"

_LEAST_COVERED = 0.5  # share of the example's statements that a whole flow must have
_NEAR = 100  # groups and parts that are looked at around one: flows overlap only so much


@dataclass(frozen=True, slots=True, repr=False)
class Flow(Raw):
    """One run of the flow: its transactions in log order; `coverage` is the share of the example's
    statements that it has, None where no example was given. `name` is its marker, or ""."""

    transactions: tuple[RawTransaction, ...]
    coverage: float | None = None
    name: str = ""

    @property
    def began_ns(self) -> int | None:
        """When its first transaction began."""
        return next((t.began_ns for t in self.transactions if t.began_ns is not None), None)


def pick(parts: Sequence[Part], example: Example, left_out: Counter[str]) -> list[Flow]:
    """The flows like the example among the parts of one log; both are in the order in which they
    began. A part belongs to one flow at most; `left_out` counts the others by reason."""
    groups = _Groups(parts, example)
    groups.link()
    groups.seat_the_rest()
    flows: list[Flow] = []
    for members in groups.members():
        found = [parts[i] for i in members]
        coverage = _coverage(found, example)
        if coverage >= _LEAST_COVERED:
            flows.append(Flow(in_order(found), coverage))
        else:
            left_out[PARTIAL if len(members) > 1 else UNLINKED] += len(in_order(found))
    return flows


def in_order(parts: Iterable[Part]) -> tuple[RawTransaction, ...]:
    """The transactions of some parts, in the order in which they began."""
    placed = sorted((p for part in parts for p in part.placed), key=lambda pair: pair[0])
    return tuple(transaction for _, transaction in placed)


def _coverage(parts: Sequence[Part], example: Example) -> float:
    return len({shape for part in parts for shape in part.shapes}) / len(example.most)


@dataclass(slots=True, repr=False)
class _Groups(Raw):
    """A union-find over parts in which two flows refuse to become one."""

    parts: Sequence[Part]
    example: Example
    _parent: list[int] = field(default_factory=list)
    _once: list[Counter[bytes]] = field(default_factory=list)
    _size: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._parent = list(range(len(self.parts)))
        self._once = [Counter(part.once) for part in self.parts]
        self._size = [1] * len(self.parts)

    def find(self, at: int) -> int:
        """The group of a part, as the number of its root part."""
        while self._parent[at] != at:
            self._parent[at] = self._parent[self._parent[at]]
            at = self._parent[at]
        return at

    def link(self) -> None:
        """Joins parts that share a value; the rarest values first, ids before plain numbers."""
        places: dict[Link, list[int]] = defaultdict(list)
        for number, part in enumerate(self.parts):
            for link in part.links:
                places[link].append(number)
        shared = [(link, at) for link, at in places.items() if len(at) > 1]
        shared.sort(key=lambda pair: (pair[0][0] is not None, len(pair[1])))
        for (domain, _), at in shared:
            self._join_all(at, tolerated=1 if domain is None else 0)

    def _join_all(self, at: Sequence[int], *, tolerated: int) -> None:
        """Each part joins the latest group before it that takes it."""
        latest: list[int] = []
        for number in at:
            group = self.find(number)
            for other in reversed(latest[-_NEAR:]):
                if self.find(other) == group or self._join(other, number, tolerated):
                    break
            else:
                latest.append(number)

    def _join(self, one: int, other: int, tolerated: int) -> bool:
        one, other = self.find(one), self.find(other)
        if self._size[one] < self._size[other]:
            one, other = other, one
        if self._are_two(one, self._once[other], tolerated):
            return False
        self._parent[other] = one
        self._size[one] += self._size[other]
        self._once[one] += self._once[other]
        return True

    def _are_two(self, group: int, added: Counter[bytes], tolerated: int) -> bool:
        """Whether more kinds of statements than tolerated would stand in the group more often than
        in one flow."""
        held, most = self._once[group], self.example.most
        for shape, count in added.items():
            there = held.get(shape, 0)
            if there and there + count > most[shape]:
                tolerated -= 1
                if tolerated < 0:
                    return True
        return False

    def seat_the_rest(self) -> None:
        """Lone parts join a flow that has room for them: one with the same existing rows where they
        name some, else that of their neighbours on the connection, else the nearest in the log."""
        loose = [n for n in range(len(self.parts)) if self._size[self.find(n)] == 1]
        seats = _Seats(self.parts, self.members(), self.example)
        for number in loose:
            if (group := seats.of(number)) is not None:
                self._join(group, number, tolerated=0)

    def members(self) -> list[list[int]]:
        """The parts of each group; both are in log order."""
        found: dict[int, list[int]] = defaultdict(list)
        for number in range(len(self.parts)):
            found[self.find(number)].append(number)
        return list(found.values())


class _Seats:
    """What the flows found so far still lack, by the first part of each."""

    def __init__(
        self, parts: Sequence[Part], members: Iterable[Sequence[int]], example: Example
    ) -> None:
        self._parts = parts
        self._most = example.most
        self._held: dict[int, Counter[bytes]] = {}
        self._hinted: dict[Link, dict[int, None]] = defaultdict(dict)
        self._group_of: dict[int, int] = {}
        for group in (m for m in members if len(m) > 1):
            self._held[group[0]] = Counter()
            for number in group:
                self._seat(number, group[0])
        self._on_thread: dict[int, list[int]] = defaultdict(list)
        for number in sorted(self._group_of):
            self._on_thread[parts[number].transaction.thread_id].append(number)
        self._grouped = sorted(self._group_of)

    def of(self, number: int) -> int | None:
        """The group that takes the part, None where none does."""
        part = self._parts[number]
        hinted = [self._hinted.get(hint, {}) for hint in part.hints]
        near = self._near(number, self._on_thread.get(part.transaction.thread_id, []))
        order = dict.fromkeys([*near, *self._near(number, self._grouped)])
        for group in order:
            if all(group in h for h in hinted) and self._has_room(group, part):
                self._seat(number, group)
                return group
        return None

    def _near(self, number: int, numbers: Sequence[int]) -> list[int]:
        """The groups of the parts next to this one, the nearest first."""
        at = bisect(numbers, number)
        around = numbers[max(at - _NEAR, 0) : at + _NEAR]
        return [self._group_of[n] for n in sorted(around, key=lambda n: abs(n - number))]

    def _has_room(self, group: int, part: Part) -> bool:
        held = self._held[group]
        return all(held[s] + n <= self._most[s] for s, n in part.shapes.items())

    def _seat(self, number: int, group: int) -> None:
        self._group_of[number] = group
        self._held[group] += self._parts[number].shapes
        for hint in self._parts[number].hints:
            self._hinted[hint][group] = None

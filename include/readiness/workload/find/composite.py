"""One flow out of several captures: each statement written out, with its partner in every capture.

The skeleton is the first capture. A loop is taken from the capture that runs it most often; where
another capture runs it less often, an earlier iteration stands for the missing one (padding), so
that every place has a value in every capture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from readiness.model.transactions import Outcome, Raw
from readiness.model.workload import Turn
from readiness.workload.find.loops import Node
from readiness.workload.find.retries import Tries
from readiness.workload.find.statements import Flow, Statement

Counts = tuple[int | None, ...]
"""How often each capture runs a part (None: it has no such part)."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Part(Raw):
    """One statement of the composite.

    `partners` are the statements that stand for it in each capture, `is_own` says which of them are
    of this very iteration; `capture` is the one that its text is from. `first` is the part that
    stands for it in the first iteration, by number."""

    statement: Statement
    capture: int
    partners: tuple[Statement | None, ...]
    is_own: tuple[bool, ...]
    turn: Turn | None = None
    first: int = -1
    opens: bool = False
    closes: bool = False
    outcome: Outcome = Outcome.AUTOCOMMIT


class Repeats:
    """The repeats of one flow by their counts: parts that count the same share one draw."""

    def __init__(self) -> None:
        self._names: dict[Counts, str] = {}

    def name(self, counts: Counts) -> str:
        """A provisional name; `named` maps it to its counts."""
        return self._names.setdefault(counts, str(len(self._names)))

    @property
    def named(self) -> dict[str, tuple[int, ...]]:
        """The counts of the captures that have the part, by provisional name."""
        return {n: tuple(c for c in k if c is not None) for k, n in self._names.items()}


@dataclass(frozen=True, slots=True)
class _Where:
    """What encloses the nodes that are written out."""

    capture: int
    is_own: tuple[bool, ...]
    turn: Turn | None = None


class Composite:
    """Writes out aligned nodes as parts; `nested` are the first parts of loops within loops,
    whose number is that of one capture; `dropped` counts failed tries within loops."""

    def __init__(self, flows: Sequence[Flow], tries: Sequence[Tries], repeats: Repeats) -> None:
        self._captures = [f.statements for f in flows]
        self._outcomes = [[o for o in f.outcomes if o is not Outcome.AUTOCOMMIT] for f in flows]
        self._tries = tries
        self._repeats = repeats
        self.parts: list[Part] = []
        self.nested: list[int] = []
        self.dropped = 0

    def write(self, nodes: Sequence[Node | None]) -> None:
        """One node of the skeleton with its partner in each capture."""
        self._node(nodes, _Where(0, tuple(n is not None for n in nodes)))

    def _node(self, nodes: Sequence[Node | None], where: _Where) -> None:
        own = nodes[where.capture]
        if own is None:
            return
        if not own.iterations:
            self._statement(nodes, where)
            return
        counts = tuple(len(n.iterations) if n else None for n in nodes)
        is_equal = _are_equal(counts)
        if is_equal or where.turn:
            self.nested += [] if is_equal else [len(self.parts)]
            self._iterations(nodes, where, len(own.iterations))
        else:
            self._repeat(nodes, where, counts)

    def _repeat(self, nodes: Sequence[Node | None], where: _Where, counts: Counts) -> None:
        most = max(c for c in counts if c is not None)
        inside = replace(where, capture=counts.index(most))
        self._iterations(nodes, inside, most, self._repeats.name(counts))

    def _iterations(
        self, nodes: Sequence[Node | None], where: _Where, most: int, repeat: str = ""
    ) -> None:
        begin = len(self.parts)
        size = 0
        for number in range(most):
            at = len(self.parts)
            turn = Turn(repeat, number + 1) if repeat else where.turn
            is_own = tuple(
                own and n is not None and number < len(n.iterations)
                for own, n in zip(where.is_own, nodes, strict=True)
            )
            bodies = [n.iterations[number % len(n.iterations)] if n else None for n in nodes]
            for i in range(len(bodies[where.capture] or ())):
                each = [b[i] if b else None for b in bodies]
                self._node(each, _Where(where.capture, is_own, turn))
            size = size or len(self.parts) - at
            if repeat and len(self.parts) - at == size:
                self._point_at_first(at, begin)

    def _point_at_first(self, at: int, begin: int) -> None:
        for i in range(at, len(self.parts)):
            self.parts[i] = replace(self.parts[i], first=begin + i - at)

    def _statement(self, nodes: Sequence[Node | None], where: _Where) -> None:
        at = [t.rest[n.start] if n else None for n, t in zip(nodes, self._tries, strict=True)]
        tries = [
            None if i is None else t.failed.get(i, []) for i, t in zip(at, self._tries, strict=True)
        ]
        if any(tries) and where.turn:
            self.dropped += 1
        elif any(tries):
            self._failed(at, tries, where)
        self._part(at, where, self._thread(at))

    def _failed(
        self, at: Sequence[int | None], tries: Sequence[list[range] | None], where: _Where
    ) -> None:
        counts = tuple(None if t is None else len(t) for t in tries)
        is_equal = _are_equal(counts)
        longest = max(range(len(tries)), key=lambda c: _extent(tries[c] or []))
        capture = 0 if is_equal else longest
        for number in range(counts[capture] or 0):
            turn = None if is_equal else Turn(self._repeats.name(counts), number + 1)
            for place in range(len((tries[capture] or [])[number])):
                self._try(at, tries, _Where(capture, where.is_own, turn), (number, place))

    def _try(
        self,
        at: Sequence[int | None],
        tries: Sequence[list[range] | None],
        where: _Where,
        position: tuple[int, int],
    ) -> None:
        """One statement of one try: `position` is (try, statement of it)."""
        number, place = position
        own = (tries[where.capture] or [])[number]
        template = self._captures[where.capture][own[place]]
        found = [
            self._tried(self._captures[c], i, (t or [])[number : number + 1], place, template)
            for c, (i, t) in enumerate(zip(at, tries, strict=True))
        ]
        is_own = tuple(f[1] for f in found)
        self._part([f[0] for f in found], replace(where, is_own=is_own), self._thread(at))

    @staticmethod
    def _tried(
        statements: Sequence[Statement],
        begin: int | None,
        own: Sequence[range],
        place: int,
        template: Statement,
    ) -> tuple[int | None, bool]:
        """The statement of a try in one capture, else that of the try which went through."""
        if begin is None:
            return None, False
        if own and place < len(own[0]) and statements[own[0][place]].shape == template.shape:
            return own[0][place], True
        if not template.literals:
            return begin, False  # nothing to compare: it may be the ROLLBACK
        i = begin + place
        is_there = i < len(statements) and statements[i].shape == template.shape
        return (i if is_there else None), False

    def _thread(self, at: Sequence[int | None]) -> int:
        """The skeleton's, whichever capture the text is from."""
        return self._captures[0][at[0] or 0].thread

    def _part(self, at: Sequence[int | None], where: _Where, thread: int) -> None:
        i = at[where.capture]
        if i is None:
            return
        statements = self._captures[where.capture]
        partners = tuple(None if j is None else self._captures[c][j] for c, j in enumerate(at))
        self.parts.append(
            Part(
                replace(statements[i], thread=thread),
                where.capture,
                partners,
                where.is_own,
                where.turn,
                opens=_is_edge(statements, i, -1),
                closes=_is_edge(statements, i, 1),
                outcome=self._outcome(where.capture, statements[i].transaction),
            )
        )

    def _outcome(self, capture: int, transaction: int) -> Outcome:
        return self._outcomes[capture][transaction - 1] if transaction else Outcome.AUTOCOMMIT


def _extent(tries: Sequence[range]) -> tuple[int, int]:
    """How many tries, and of how many statements."""
    return len(tries), sum(map(len, tries))


def _are_equal(counts: Counts) -> bool:
    return len({c for c in counts if c is not None}) == 1


def _is_edge(statements: Sequence[Statement], at: int, step: int) -> bool:
    """The statement begins (step -1) or ends (step 1) a transaction."""
    number = statements[at].transaction
    beside = at + step
    is_inside = 0 <= beside < len(statements) and statements[beside].transaction == number
    return number != 0 and not is_inside


def renumbered(parts: Sequence[Part]) -> list[Part]:
    """The parts with transactions counted from 1 in the order of the composite."""
    made: list[Part] = []
    last, current = 0, 0
    for part in parts:
        if part.opens:
            last += 1
            current = last
        made.append(replace(part, statement=replace(part.statement, transaction=current)))
        current = 0 if part.closes else current
    return made

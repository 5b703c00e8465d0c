"""Lays captures of one flow side by side: which literals are the same place, and their values.

The first capture is the skeleton. Loops, failed tries and lists whose length differs between
captures are found first (`loops`, `retries`, `lists`); the rest is matched by the order of shapes
(`matching`), and all of it is written out as one flow (`composite`, `places`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from readiness.model.transactions import Raw
from readiness.workload.find.composite import Composite, Repeats, renumbered
from readiness.workload.find.lists import aligning_shape
from readiness.workload.find.loops import Line
from readiness.workload.find.matching import Match, match
from readiness.workload.find.places import Laid, Place, laid, statements_of
from readiness.workload.find.retries import Tries, failed_tries
from readiness.workload.find.statements import Flow, Statement

_TELLING_BYTES = 4  # shorter values do not say which statements belong together


@dataclass(frozen=True, slots=True, repr=False)
class Alignment(Raw):
    """All captures as one flow.

    `repeats` maps provisional names, which turns bear, to counts. `unmatched` has, per further
    capture, statements of the composite without partner (by number, from 0) and its own without
    partner, which are left out. `nested` loops within loops (their first statements) are written out as often as one
    capture runs them; `dropped` failed tries within loops are left out."""

    laid: tuple[Laid, ...]
    repeats: dict[str, tuple[int, ...]]
    unmatched: tuple[tuple[tuple[int, ...], tuple[Statement, ...]], ...]
    nested: tuple[int, ...] = ()
    dropped: int = 0

    @property
    def places(self) -> tuple[Place, ...]:
        """All places in order."""
        return tuple(p for one in self.laid for p in one.places)

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The statements in order."""
        return statements_of(self.laid)


def align(flows: Sequence[Flow]) -> Alignment:
    """Aligns all flows to the first. Raises WorkloadError when one shares too little with it."""
    composite, repeats, matched, tries = _best(flows)
    matched.require_one_flow()
    all_laid = laid(renumbered(composite.parts), repeats)
    missing = [
        tuple(i for i, one in enumerate(all_laid) if one.part.partners[c] is None)
        for c in range(1, len(flows))
    ]
    extra = [
        tuple(flow.statements[each.rest[i]] for i in numbers)
        for flow, each, numbers in zip(flows[1:], tries[1:], matched.extra, strict=True)
    ]
    return Alignment(
        tuple(all_laid),
        repeats.named,
        tuple(zip(missing, extra, strict=True)),
        tuple(composite.nested),
        composite.dropped,
    )


_Written = tuple[Composite, Repeats, Match, Sequence[Tries]]


def _best(flows: Sequence[Flow]) -> _Written:
    """Of the two ways to look for loops the one that loses least, and nests least."""
    shapes = [[s.shape for s in f.statements] for f in flows]
    if all(s == shapes[0] for s in shapes[1:]):  # written out as they are
        tries = [Tries(tuple(range(len(s)))) for s in shapes]
        return _written(flows, tries, inner_first=True)
    tries = [failed_tries(f.statements) for f in flows]
    found = [_written(flows, tries, inner_first=way) for way in (False, True)]
    return min(found, key=lambda f: (f[2].lost, len(f[0].nested)))


def _written(flows: Sequence[Flow], tries: Sequence[Tries], *, inner_first: bool) -> _Written:
    names: dict[bytes, int] = {}
    lines = [_line(f.statements, t, names) for f, t in zip(flows, tries, strict=True)]
    matched = match(lines, inner_first=inner_first)
    repeats = Repeats()
    composite = Composite(flows, tries, repeats)
    for nodes in matched.nodes:
        composite.write(nodes)
    return composite, repeats, matched, tries


def _line(statements: Sequence[Statement], tries: Tries, names: dict[bytes, int]) -> Line:
    kept = [statements[i] for i in tries.rest]

    def values(at: int) -> frozenset[bytes]:
        return frozenset(v for x in kept[at].literals if len(v := x.value) >= _TELLING_BYTES)

    return Line(
        [names.setdefault(aligning_shape(s), len(names)) for s in kept],
        [s.transaction for s in kept],
        values,
    )

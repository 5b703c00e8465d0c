"""Lays captures of one flow side by side: which literals are the same place, and their values.

The first capture is the reference. Statements are matched by the order of their shapes, literals
by their order within a matched statement with as many literals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from readiness.errors import WorkloadError
from readiness.model.transactions import Raw
from readiness.workload.literals import Literal
from readiness.workload.statements import Flow

_SAME_FLOW_RATIO = 0.5  # below this share of matched statements it is another flow


@dataclass(frozen=True, slots=True, repr=False)
class Place(Raw):
    """One literal of the reference, with its value in each capture (None: not matched there)."""

    statement: int
    index: int
    literal: Literal
    values: tuple[bytes | None, ...]

    @property
    def order(self) -> tuple[int, int]:
        """Where it stands in the flow."""
        return self.statement, self.index

    @property
    def is_constant(self) -> bool:
        """Seen in at least two captures and equal in all of them."""
        seen = [v for v in self.values if v is not None]
        return len(seen) > 1 and len(set(seen)) == 1


@dataclass(frozen=True, slots=True, repr=False)
class Alignment(Raw):
    """All places of the reference in order; `unmatched` counts, per further capture, statements
    of the reference without partner (by number, from 0) and its own without partner."""

    places: tuple[Place, ...]
    unmatched: tuple[tuple[tuple[int, ...], int], ...]


def align(flows: Sequence[Flow]) -> Alignment:
    """Aligns all flows to the first. Raises WorkloadError when one shares too little with it."""
    reference = flows[0].statements
    shapes = [s.shape for s in reference]
    matches: list[dict[int, int]] = [{i: i for i in range(len(reference))}]
    unmatched = []
    for number, flow in enumerate(flows[1:], 2):
        found = _matched(shapes, [s.shape for s in flow.statements])
        if len(found) < _SAME_FLOW_RATIO * max(len(shapes), 1):
            raise _other_flow(number, len(found), len(shapes))
        matches.append(found)
        missing = tuple(i for i in range(len(shapes)) if i not in found)
        unmatched.append((missing, len(flow.statements) - len(found)))
    places = [
        Place(i, j, literal, _values(flows, matches, i, j))
        for i, statement in enumerate(reference)
        for j, literal in enumerate(statement.literals)
    ]
    return Alignment(tuple(places), tuple(unmatched))


def _matched(reference: Sequence[bytes], other: Sequence[bytes]) -> dict[int, int]:
    blocks = SequenceMatcher(None, reference, other, autojunk=False).get_matching_blocks()
    return {a + k: b + k for a, b, size in blocks for k in range(size)}


def _values(
    flows: Sequence[Flow], matches: Sequence[dict[int, int]], statement: int, index: int
) -> tuple[bytes | None, ...]:
    """None where the statement has no partner, or a partner with longer or shorter lists."""
    count = len(flows[0].statements[statement].literals)
    values: list[bytes | None] = []
    for flow, match in zip(flows, matches, strict=True):
        partner = flow.statements[match[statement]].literals if statement in match else ()
        values.append(partner[index].value if len(partner) == count else None)
    return tuple(values)


def _other_flow(number: int, matched: int, total: int) -> WorkloadError:
    return WorkloadError(
        f"capture {number} is another flow than capture 1: {matched} of {total} statements match",
        hint="Capture the same flow each time: the same steps, basket size and outcome.",
    )

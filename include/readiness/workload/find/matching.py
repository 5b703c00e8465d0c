"""Matches captures by the order of their shapes, loops counted as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from readiness.errors import WorkloadError
from readiness.workload.find.loops import Line, Node, with_loops

_SAME_FLOW_RATIO = 0.5  # below this share of matched statements it is another flow


@dataclass(frozen=True, slots=True)
class Match:
    """Each node of the first capture with its partner in every capture. `found` counts, per further
    capture, nodes of the first with a partner; `extra` its own statements without one, by number."""

    nodes: tuple[tuple[Node | None, ...], ...]
    found: tuple[int, ...]
    extra: tuple[tuple[int, ...], ...]

    @property
    def lost(self) -> int:
        """Statements without partner in all captures, as far as can be told: a loop is one."""
        return sum(len(self.nodes) - f for f in self.found) + sum(map(len, self.extra))

    def require_one_flow(self) -> None:
        """Raises WorkloadError when a capture shares too little with the first."""
        total = len(self.nodes)
        for number, found in enumerate(self.found, 2):
            if found < _SAME_FLOW_RATIO * total:
                raise WorkloadError(
                    f"capture {number} is another flow than capture 1: {found} of {total} "
                    "statements match, each loop counted once",
                    hint="Capture the same flow each time: the same steps and the same outcome. "
                    "Baskets may differ in size.",
                )


def match(lines: Sequence[Line], *, inner_first: bool) -> Match:
    """The match of all captures with the first."""
    rows = with_loops(lines, inner_first=inner_first)
    partners = [_matched(rows[0], row) for row in rows]
    nodes = tuple(tuple(p.get(i) for p in partners) for i in range(len(rows[0])))
    extra = [_unmatched(*each) for each in zip(lines[1:], partners[1:], strict=True)]
    return Match(nodes, tuple(map(len, partners[1:])), tuple(extra))


def _unmatched(line: Line, partners: Mapping[int, Node]) -> tuple[int, ...]:
    covered = {i for node in partners.values() for i in range(node.start, node.end)}
    return tuple(i for i in range(len(line.symbols)) if i not in covered)


def _matched(reference: Sequence[Node], other: Sequence[Node]) -> dict[int, Node]:
    names, others = [n.symbol for n in reference], [n.symbol for n in other]
    if names == others:
        return dict(enumerate(other))
    blocks = SequenceMatcher(None, names, others, autojunk=False).get_matching_blocks()
    return {a + k: other[b + k] for a, b, size in blocks for k in range(size)}

"""How many items, or tries, one run of a flow had: of each repeat the number of its turns.

Rows of two runs may be compared where their baskets are equal. Turns that are statements of their
own are counted; turns within a statement show in how many literals it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from readiness.model.workload import Row, Step, Variable, Workload
from readiness.workload.prove.captured_shapes import text_with_literals
from readiness.workload.prove.observed import literals_in

Basket = tuple[tuple[str, int], ...]
"""(repeat, turns), sorted by name."""


class BasketReader:
    """Reads the basket of a run off the statements that it had.

    `listed` are the steps, by index, whose number of literals tells a basket."""

    def __init__(self, workload: Workload) -> None:
        self._steps = workload.steps
        self._turned = {s.turn.repeat for s in workload.steps if s.turn}
        variables = {v.name: v for v in workload.variables}
        most = {r.name: r.most for r in workload.repeats}
        self._lists: dict[int, tuple[str, Mapping[int, int]]] = {}
        for index, step in enumerate(workload.steps):
            repeats = {p.turn.repeat for p in step.pieces if isinstance(p, Row)}
            if len(repeats) == 1:
                repeat = repeats.pop()
                self._lists[index] = repeat, _turns(step, most.get(repeat, 0), variables)
        self.listed = frozenset(self._lists)

    def basket(self, literals: Mapping[int, int]) -> Basket:
        """The basket of a run; `literals` maps each step that ran, by index, to how many it had (-1
        where it is not `listed`). A repeat of which nothing can be told is left out; a list that is
        longer than any captured one counts as one turn more than all."""
        found = dict.fromkeys(self._turned, 0)
        for index in literals:
            turn = self._steps[index].turn
            if turn:
                found[turn.repeat] = max(found[turn.repeat], turn.number)
        for index, (repeat, turns) in self._lists.items():
            seen = literals.get(index, -1)
            if seen > max(turns):
                found[repeat] = max(turns.values()) + 1
            elif seen in turns:
                found.setdefault(repeat, turns[seen])
        return tuple(sorted(found.items()))


def _turns(step: Step, most: int, variables: Mapping[str, Variable]) -> dict[int, int]:
    """How many turns a statement with so many literals has."""
    found: dict[int, int] = {}
    for count in range(most + 1):
        pieces = tuple(p for p in step.pieces if not isinstance(p, Row) or p.turn.number <= count)
        text = text_with_literals(replace(step, pieces=pieces), variables)
        found.setdefault(literals_in(text), count)
    return found

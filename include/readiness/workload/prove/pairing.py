"""Finds the statements of a workload in a log of the same flow, in order.

Shapes must be equal; of all ways to pair them in order the one with most pairs is taken. A log with
two items in its basket meets turns 1 and 2 of a repeat, and leaves the others out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from readiness.errors import WorkloadError
from readiness.model.workload import Step, Workload
from readiness.workload.prove.baskets import Basket, BasketReader
from readiness.workload.prove.captured_shapes import captured_shapes
from readiness.workload.prove.observed import CONTROL, Heard, Observed

_PAIR, _CONTROL_PAIR = 10_000, 1_000  # a later turn is worth a little less
_MOST_CELLS = 20_000_000  # some seconds of work


@dataclass(frozen=True, slots=True)
class Match:
    """One log beside the workload: `heard` maps steps, by index, to the log's statements; `extra` are
    the shapes of statements inside the flow's transactions that met no step."""

    log: Observed
    heard: Mapping[int, Heard]
    basket: Basket
    extra: tuple[str, ...]

    @property
    def transactions(self) -> frozenset[int]:
        """Those of the log that belong to the flow."""
        return frozenset(h.transaction for h in self.heard.values() if h.kind not in CONTROL)


def match(workload: Workload, log: Observed) -> Match:
    """Pairs a log with the workload. Raises WorkloadError for a log that is too long to be one run,
    or that holds nothing of the flow."""
    steps, statements = workload.steps, log.statements
    if len(steps) * len(statements) > _MOST_CELLS:
        raise WorkloadError(
            f"{log.name} holds {len(statements):,} statements: more than one run of the flow",
            hint="Take one run out of it:  --like CLEAN_LOG, --marker NAME or --thread N",
        )
    pairs = _pairs(captured_shapes(workload), steps, statements)
    heard = {step: statements[at] for step, at in pairs}
    if not any(h.kind not in CONTROL for h in heard.values()):
        raise WorkloadError(
            f"{log.name} holds no statement of this workload",
            hint="Give the slow log that was written beside a capture of the same flow.",
        )
    basket = BasketReader(workload).basket({step: h.literals for step, h in heard.items()})
    taken = {at for _, at in pairs}
    flow = {h.transaction for h in heard.values() if h.kind not in CONTROL}
    extra = [
        h.shape
        for at, h in enumerate(statements)
        if at not in taken and h.kind not in CONTROL and h.transaction in flow
    ]
    return Match(log, heard, _beyond(workload, basket, extra), tuple(extra))


def _beyond(workload: Workload, basket: Basket, extra: Collection[str]) -> Basket:
    """The basket, where statements of a repeat came more often than it is written out: one turn more
    than all, which no replay draws."""
    shapes = captured_shapes(workload)
    more = {
        step.turn.repeat
        for step, shape in zip(workload.steps, shapes, strict=True)
        if step.turn and shape in extra
    }
    most = {r.name: r.most for r in workload.repeats}
    return tuple((name, most[name] + 1 if name in more else count) for name, count in basket)


def _pairs(
    shapes: Sequence[str], steps: Sequence[Step], statements: Sequence[Heard]
) -> list[tuple[int, int]]:
    """(step, statement) of the best common subsequence."""
    best = _best(shapes, steps, [h.shape for h in statements])
    found, i, j = [], 0, 0
    while i < len(steps) and j < len(statements):
        if shapes[i] == statements[j].shape and best[i][j] == best[i + 1][j + 1] + _worth(steps[i]):
            found.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def _best(shapes: Sequence[str], steps: Sequence[Step], log: Sequence[str]) -> list[list[int]]:
    """best[i][j]: the worth of what steps from i and statements from j have in common."""
    rows = [[0] * (len(log) + 1)]
    for i in range(len(steps) - 1, -1, -1):
        below, row, own, worth = rows[-1], [0] * (len(log) + 1), shapes[i], _worth(steps[i])
        right = 0
        for j in range(len(log) - 1, -1, -1):
            right = max(right, below[j])
            if log[j] == own:
                right = max(right, below[j + 1] + worth)
            row[j] = right
        rows.append(row)
    rows.reverse()
    return rows


def _worth(step: Step) -> int:
    late = min(step.turn.number, 500) if step.turn else 0
    return (_CONTROL_PAIR if step.kind in CONTROL else _PAIR) - late

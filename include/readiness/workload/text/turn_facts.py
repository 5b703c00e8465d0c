"""What turns a workload's statements and rows have, and which of them run together."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from readiness.model.workload import Row, Step, Turn


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that does not hold: at a turn of the step with that index, or at a repeat's own line
    (`step` None)."""

    message: str
    hint: str
    step: int | None = None
    turn: Turn | None = None
    repeat: str = ""


def turns_of(step: Step) -> tuple[Turn, ...]:
    """The step's own turn, if any, and those of its rows, in order."""
    own = (step.turn,) if step.turn else ()
    return own + tuple(p.turn for p in step.pieces if isinstance(p, Row))


def is_done(needed: Turn | None, has: Collection[Turn], least: Mapping[str, int]) -> bool:
    """Whether `needed` runs wherever all of `has` run."""
    return (
        needed is None
        or needed.number <= least[needed.repeat]
        or any(t.repeat == needed.repeat and t.number >= needed.number for t in has)
    )

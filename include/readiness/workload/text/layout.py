"""A step as one text with all its rows, that knows which turn each byte belongs to."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from readiness.model.workload import Row, Slot, Step, Turn


@dataclass(frozen=True, slots=True)
class Layout:
    """The text, variables by name and rows unmarked; where pieces and variables begin in it."""

    text: bytes
    starts: tuple[int, ...]
    turns: tuple[Turn | None, ...]
    slots: frozenset[int]

    def turn_at(self, at: int) -> Turn | None:
        """The turn of the row that holds a byte; None outside rows."""
        return self.turns[bisect_right(self.starts, at) - 1]


def layout(step: Step) -> Layout:
    """The step laid out."""
    text, starts, turns, slots = b"", list[int](), list[Turn | None](), set[int]()
    for piece in step.pieces:
        starts.append(len(text))
        turns.append(piece.turn if isinstance(piece, Row) else None)
        for part in piece.pieces if isinstance(piece, Row) else (piece,):
            if isinstance(part, Slot):
                slots.add(len(text))
                text += b"@" + part.variable.encode()
            else:
                text += part
    return Layout(text, tuple(starts), tuple(turns), frozenset(slots))

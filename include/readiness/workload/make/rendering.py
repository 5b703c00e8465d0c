"""Turns a step into what renders it: one template, or one for each count of the repeats in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from readiness.model.workload import Piece, Row, Slot, Step, Turn

Getter = Callable[[Sequence[bytes]], Any]
Template = tuple[bytes, Getter | None]
"""A %-template and what takes its values from the list (None: the text is constant)."""


def template_of(pieces: Sequence[bytes | Slot], index: Mapping[str, int]) -> Template:
    """The template of a statement without rows; `index` says where a variable's literal lies."""
    slots = [index[p.variable] for p in pieces if isinstance(p, Slot)]
    if not slots:
        return b"".join(p for p in pieces if isinstance(p, bytes)), None
    parts = [b"%s" if isinstance(p, Slot) else p.replace(b"%", b"%%") for p in pieces]
    return b"".join(parts), itemgetter(*slots)


class Templates(dict[tuple[bytes, ...], Template]):
    """The templates of a statement with rows, by the counts that were drawn for its repeats; each is
    made when it is first needed."""

    def __init__(
        self, pieces: Sequence[Piece], index: Mapping[str, int], draws: Mapping[str, int]
    ) -> None:
        super().__init__()
        self._pieces = pieces
        self._index = index
        rows = [p for p in pieces if isinstance(p, Row)]
        self._repeats = tuple(dict.fromkeys(row.turn.repeat for row in rows))
        self._at = [draws[name] for name in self._repeats]

    def of(self, values: Sequence[bytes]) -> Template:
        """The template for a checkout's counts."""
        return self[tuple([values[at] for at in self._at])]

    def __missing__(self, counts: tuple[bytes, ...]) -> Template:
        drawn = {name: int(c) for name, c in zip(self._repeats, counts, strict=True)}
        made = self[counts] = template_of(_kept(self._pieces, drawn), self._index)
        return made


def _kept(pieces: Sequence[Piece], drawn: Mapping[str, int]) -> list[bytes | Slot]:
    """The pieces without the rows beyond what was drawn."""
    kept: list[bytes | Slot] = []
    for piece in pieces:
        if not isinstance(piece, Row):
            kept.append(piece)
        elif piece.turn.number <= drawn[piece.turn.repeat]:
            kept += piece.pieces
    return kept


def rendered_by(
    step: Step, index: Mapping[str, int], draws: Mapping[str, int]
) -> Template | Templates:
    """What renders a step; `draws` says where the count of a repeat lies."""
    if any(isinstance(p, Row) for p in step.pieces):
        return Templates(step.pieces, index, draws)
    plain = [p for p in step.pieces if not isinstance(p, Row)]
    return template_of(plain, index)


class Skips:
    """Which steps a checkout leaves out: those whose turn is beyond what it drew."""

    def __init__(
        self,
        turns: Sequence[Turn | None],
        counts: Mapping[str, Sequence[int]],
        draws: Mapping[str, int],
    ) -> None:
        self._rules = [_rule(turn, counts, draws) for turn in turns]
        self.may_skip = [rule is not None for rule in self._rules]

    def following(self, step: int, values: Sequence[bytes]) -> int:
        """The first step from `step` on that is run; the number of steps where none is."""
        for at in range(step, len(self._rules)):
            rule = self._rules[at]
            if rule is None or values[rule[0]] in rule[1]:
                return at
        return len(self._rules)


def _rule(
    turn: Turn | None, counts: Mapping[str, Sequence[int]], draws: Mapping[str, int]
) -> tuple[int, frozenset[bytes]] | None:
    """Where the count lies, and the counts with which the step is run; None: with all."""
    if turn is None or turn.number <= min(counts[turn.repeat]):
        return None
    enough = {b"%d" % count for count in counts[turn.repeat] if count >= turn.number}
    return draws[turn.repeat], frozenset(enough)

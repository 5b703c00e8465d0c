"""Repeats and turns as such: known, written out, in order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches

from readiness.model.workload import Repeat, Row, Step, Turn, Workload
from readiness.workload.text.turn_facts import Broken, turns_of


def unsound_repeats(repeats: Sequence[Repeat]) -> Iterator[Broken]:
    """Counts are whole numbers from 0; each repeat has a name of its own."""
    names = [r.name for r in repeats]
    for repeat in repeats:
        if not repeat.counts or min(repeat.counts) < 0:
            yield Broken(
                f"the counts of {repeat.name} are no whole numbers from 0",
                "Give the count of each capture, for example: counts: 1 2 5",
                repeat=repeat.name,
            )
        if names.count(repeat.name) > 1:
            yield Broken(
                f"two repeats are called {repeat.name}",
                "Give each repeat its own name.",
                repeat=repeat.name,
            )


def unknown_turns(steps: Sequence[Step], by_name: Mapping[str, Repeat]) -> Iterator[Broken]:
    """A turn names a repeat, and a number within its counts."""
    for index, step in enumerate(steps):
        for turn in turns_of(step):
            repeat = by_name.get(turn.repeat)
            if repeat is None:
                yield _unknown(turn, index, by_name)
            elif not 0 < turn.number <= repeat.most:
                yield Broken(
                    f"turn {turn.number} of {turn.repeat}, whose counts go from 1 to {repeat.most}",
                    "Write a turn within them, or add a higher count to its line @repeat.",
                    index,
                    turn,
                )


def _unknown(turn: Turn, index: int, by_name: Collection[str]) -> Broken:
    near = get_close_matches(turn.repeat, by_name, 1)
    line = f"Write into the header: -- @repeat {turn.repeat}  counts: 1 2"
    hint = f"Did you mean {near[0]}?" if near else line
    return Broken(f"no line @repeat names {turn.repeat}", hint, index, turn)


def disordered_turns(steps: Sequence[Step]) -> Iterator[Broken]:
    """Turns go up by one; the next loop over the same items begins anew, with the first or second.

    Connections are looked at apart: their statements may stand between each other."""
    before: dict[tuple[str, int], int] = defaultdict(int)
    for index, step in enumerate(steps):
        if step.turn:
            key = (step.turn.repeat, step.connection)
            yield from _disordered(before[key], step.turn, index)
            before[key] = step.turn.number
        within: dict[str, int] = defaultdict(int)
        for turn in (p.turn for p in step.pieces if isinstance(p, Row)):
            yield from _disordered(within[turn.repeat], turn, index)
            within[turn.repeat] = turn.number


def _disordered(before: int, turn: Turn, index: int) -> Iterator[Broken]:
    if turn.number not in (before, before + 1) and turn.number > 2:
        place = f"follows turn {before}" if before else "comes first"
        yield Broken(
            f"turn {turn.number} of {turn.repeat} {place}",
            "Write the turns in order, none left out; the first may stand without @turn.",
            index,
            turn,
        )


def missing_turns(workload: Workload) -> Iterator[Broken]:
    """The turns are written out as far as the counts go; the first may stand without a turn."""
    written: dict[str, int] = {}
    for step in workload.steps:
        for turn in turns_of(step):
            written[turn.repeat] = max(written.get(turn.repeat, 1), turn.number)
    for repeat in workload.repeats:
        turns = written.get(repeat.name, 1)
        if turns < repeat.most:
            yield Broken(
                f"{repeat.name} counts up to {repeat.most}, but its turns are written out to {turns}",
                "Write the turns out that are missing, or take the higher counts away.",
                repeat=repeat.name,
            )

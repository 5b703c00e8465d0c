"""What the turns of a workload must keep, so that any count a checkout draws makes a sound checkout.

Repeats are known and written out as far as their counts go; turns stand in order; a transaction
begins and ends together with what it holds; no statement reads an id of a turn that was left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from readiness.model.workload import (
    Repeat,
    Row,
    Slot,
    StatementKind,
    Step,
    Turn,
    Variable,
    Workload,
)
from readiness.workload.expression import variables_of

_BOUNDARIES = (StatementKind.BEGIN, StatementKind.COMMIT, StatementKind.ROLLBACK)


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that does not hold: at a turn of the step with that index, or at a repeat's own line
    (`step` None)."""

    message: str
    hint: str
    step: int | None = None
    turn: Turn | None = None
    repeat: str = ""


def broken_turn(workload: Workload) -> Broken | None:
    """The first rule that does not hold, the most basic ones first."""
    return next(_broken(workload), None)


def _broken(workload: Workload) -> Iterator[Broken]:
    """Each rule takes for granted that those before it hold."""
    by_name = {r.name: r for r in workload.repeats}
    yield from _unsound_repeats(workload.repeats)
    yield from _unknown_turns(workload.steps, by_name)
    yield from _disordered_turns(workload.steps)
    yield from _missing_turns(workload)
    least = {r.name: min(r.counts) for r in workload.repeats}
    yield from _torn_transactions(workload.steps, least)
    yield from _unset_values(workload, least)


def turns_of(step: Step) -> tuple[Turn, ...]:
    """The step's own turn, if any, and those of its rows, in order."""
    own = (step.turn,) if step.turn else ()
    return own + tuple(p.turn for p in step.pieces if isinstance(p, Row))


def _unsound_repeats(repeats: Sequence[Repeat]) -> Iterator[Broken]:
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


def _unknown_turns(steps: Sequence[Step], by_name: Mapping[str, Repeat]) -> Iterator[Broken]:
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


def _disordered_turns(steps: Sequence[Step]) -> Iterator[Broken]:
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


def _missing_turns(workload: Workload) -> Iterator[Broken]:
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


def _is_done(needed: Turn | None, has: Collection[Turn], least: Mapping[str, int]) -> bool:
    """Whether `needed` runs wherever all of `has` run."""
    return (
        needed is None
        or needed.number <= least[needed.repeat]
        or any(t.repeat == needed.repeat and t.number >= needed.number for t in has)
    )


def _torn_transactions(steps: Sequence[Step], least: Mapping[str, int]) -> Iterator[Broken]:
    """BEGIN, COMMIT and ROLLBACK run wherever any statement of their transaction does."""
    held: dict[tuple[int, int], list[Step]] = defaultdict(list)
    for step in steps:
        held[step.connection, step.transaction].append(step)
    for index, step in enumerate(steps):
        if step.kind not in _BOUNDARIES or not step.transaction or step.turn is None:
            continue
        for other in held[step.connection, step.transaction]:
            if not _is_done(step.turn, (other.turn,) if other.turn else (), least):
                name = other.statement_id or f"its {other.kind.upper()}"
                yield Broken(
                    f"{step.kind.upper()} is left out of transaction {step.transaction} where "
                    f"{name} of the same transaction runs",
                    "Give BEGIN, COMMIT and all between them the same @turn.",
                    index,
                    step.turn,
                )


def _unset_values(workload: Workload, least: Mapping[str, int]) -> Iterator[Broken]:
    """A statement reads what is bound in a turn only where that turn runs."""
    needs = _needs(workload)
    for index, step in enumerate(workload.steps):
        own = (step.turn,) if step.turn else ()
        for name, has in _reads(step, own):
            for turn in needs.get(name, ()):
                if not _is_done(turn, has, least):
                    yield Broken(
                        f"@{name} is read where turn {turn.number} of {turn.repeat}, which sets it, "
                        "may be left out",
                        f"Give this statement or row @turn {turn.repeat} {turn.number}, or let it "
                        "read an id that every checkout sets.",
                        index,
                        next(iter(has), None),
                    )


def _reads(step: Step, own: tuple[Turn, ...]) -> Iterator[tuple[str, tuple[Turn, ...]]]:
    """Each variable that the step reads, with the turns that must run for it to be read."""
    for piece in step.pieces:
        if isinstance(piece, Slot):
            yield piece.variable, own
        elif isinstance(piece, Row):
            for slot in piece.pieces:
                if isinstance(slot, Slot):
                    yield slot.variable, (*own, piece.turn)


def _needs(workload: Workload) -> dict[str, frozenset[Turn]]:
    """The turns that must run for a variable to be set: of its own statement, or of its inputs'."""
    needs = {b.variable: frozenset((s.turn,)) for s in workload.steps if s.turn for b in s.binds}
    waiting: list[Variable] = [v for v in workload.variables if v.expression]
    found = True
    while found:
        found = False
        for variable in waiting:
            inputs = frozenset[Turn]().union(
                *(needs.get(name, ()) for name in variables_of(variable.expression))
            )
            if inputs - needs.get(variable.name, frozenset()):
                needs[variable.name] = inputs
                found = True
    return needs

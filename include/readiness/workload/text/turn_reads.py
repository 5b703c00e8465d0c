"""What a statement reads is there: ids, what is derived from them, names of the session."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from readiness.model.workload import Row, Slot, Step, Turn, Variable, Workload
from readiness.workload.find.row_ids import turns_of_rows
from readiness.workload.make.expression import variables_of
from readiness.workload.text.carried import mentions
from readiness.workload.text.turn_facts import Broken, is_done


def moved_ids(steps: Sequence[Step], least: Mapping[str, int]) -> Iterator[Broken]:
    """An id that is counted from the first row needs all rows up to its own."""
    for index, step in enumerate(steps):
        rows = _rows_with_ids(step)
        for bind in step.binds if rows else ():
            own = rows[bind.offset]
            has = [turn for turn in (step.turn, own) if turn]
            for turn in rows[: bind.offset]:
                if not is_done(turn, has, least):
                    yield Broken(
                        f"@{bind.variable} counts {bind.offset} rows from the first, and of those "
                        "before it some may be left out",
                        "Put the rows that are always there first, and those with @turn behind.",
                        index,
                        turn,
                    )


def _rows_with_ids(step: Step) -> tuple[Turn | None, ...]:
    """The turns of the rows whose ids the step binds; () where ids do not go up by one from row to
    row (the offsets reach further than the rows), or no row has a turn."""
    if not step.binds or not any(isinstance(piece, Row) for piece in step.pieces):
        return ()
    rows = turns_of_rows(step)
    return rows if max(bind.offset for bind in step.binds) < len(rows) else ()


def unset_values(workload: Workload, least: Mapping[str, int]) -> Iterator[Broken]:
    """A statement reads what is bound in a turn only where that turn runs."""
    needs = _needs(workload)
    for index, step in enumerate(workload.steps):
        own = (step.turn,) if step.turn else ()
        for name, has in _reads(step, own):
            for turn in needs.get(name, ()):
                if not is_done(turn, has, least):
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
    """The turns that must run for a variable to be set: of its statement and row, of its inputs."""
    needs: dict[str, frozenset[Turn]] = {}
    for step in workload.steps:
        rows = _rows_with_ids(step)
        for bind in step.binds:
            turns = (step.turn, rows[bind.offset] if rows else None)
            needs[bind.variable] = frozenset(turn for turn in turns if turn)
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


def unset_names(steps: Sequence[Step], least: Mapping[str, int]) -> Iterator[Broken]:
    """A savepoint, a prepared statement or an application's variable is there when it is taken.

    A name that no statement before sets is none of ours: the session may have it from elsewhere."""
    known: dict[tuple[int, str], list[Turn | None]] = defaultdict(list)
    for index, step in enumerate(steps):
        for mention in mentions(step):
            setters = known[step.connection, mention.name]
            has = [turn for turn in (step.turn, mention.turn) if turn]
            if mention.is_set:
                setters.append(step.turn)
            elif setters and not any(is_done(turn, has, least) for turn in setters):
                turn = next(turn for turn in setters if turn)
                yield Broken(
                    f"{mention.name} is taken where turn {turn.number} of {turn.repeat}, which "
                    "sets it, may be left out",
                    "Give both statements the same @turn.",
                    index,
                    step.turn,
                )

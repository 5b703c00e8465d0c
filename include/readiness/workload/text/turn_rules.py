"""What the turns of a workload must keep, so that any count a checkout draws makes a sound checkout.

Repeats are known and written out as far as their counts go; turns stand in order; a transaction
runs on one connection, and begins and ends together with what it holds; no statement reads an id of a turn that was left out, or
one that was counted over rows that were."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from readiness.model.workload import StatementKind, Step, Workload
from readiness.workload.text.turn_facts import Broken, is_done
from readiness.workload.text.turn_order import (
    disordered_turns,
    missing_turns,
    unknown_turns,
    unsound_repeats,
)
from readiness.workload.text.turn_reads import moved_ids, unset_names, unset_values

_BOUNDARIES = (StatementKind.BEGIN, StatementKind.COMMIT, StatementKind.ROLLBACK)
_IDLESS = (
    *_BOUNDARIES,
    StatementKind.SAVEPOINT,
    StatementKind.SET,
    StatementKind.SELECT,
    StatementKind.DELETE,
)


def broken_turn(workload: Workload) -> Broken | None:
    """The first rule that does not hold, the most basic ones first."""
    return next(_broken(workload), None)


def _broken(workload: Workload) -> Iterator[Broken]:
    """Each rule takes for granted that those before it hold."""
    by_name = {r.name: r for r in workload.repeats}
    yield from unsound_repeats(workload.repeats)
    yield from unknown_turns(workload.steps, by_name)
    yield from disordered_turns(workload.steps)
    yield from missing_turns(workload)
    least = {r.name: min(r.counts) for r in workload.repeats}
    yield from _split_transactions(workload.steps)
    yield from _torn_transactions(workload.steps, least)
    yield from _idless_binds(workload.steps)
    yield from moved_ids(workload.steps, least)
    yield from unset_values(workload, least)
    if workload.repeats:
        yield from unset_names(workload.steps, least)


def _split_transactions(steps: Sequence[Step]) -> Iterator[Broken]:
    """A COMMIT on another connection would leave the transaction open."""
    connections: dict[int, int] = {}
    for index, step in enumerate(steps):
        known = connections.setdefault(step.transaction, step.connection)
        if step.transaction and step.connection != known:
            yield Broken(
                f"transaction {step.transaction} began on connection {known}, and this statement of"
                f" it runs on connection {step.connection}",
                f"Write -- @connection {known}; or -- @transaction 0 where it belongs to none.",
                index,
            )


def _idless_binds(steps: Sequence[Step]) -> Iterator[Broken]:
    """The server gives an id to a statement that adds a row."""
    for index, step in enumerate(steps):
        if step.binds and step.kind in _IDLESS:
            yield Broken(
                f"@{step.binds[0].variable} takes the id of this {step.kind.upper()}, which has none",
                "Move its -- @bind and SET lines behind the INSERT.",
                index,
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
            if not is_done(step.turn, (other.turn,) if other.turn else (), least):
                name = other.statement_id or f"its {other.kind.upper()}"
                yield Broken(
                    f"{step.kind.upper()} is left out of transaction {step.transaction} where "
                    f"{name} of the same transaction runs",
                    "Give BEGIN, COMMIT and all between them the same @turn.",
                    index,
                    step.turn,
                )

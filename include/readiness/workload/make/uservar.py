"""The SET form of a workload: values travel as user variables, as the workload file itself has it.

One combined SET on each connection goes ahead of the flow, one more follows a statement that gives an
id which others use; every other statement names `@variables`. Nothing else changes: order, turns,
transactions and pauses stay. User variables belong to a connection, so each gets those that it uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from readiness.errors import WorkloadError
from readiness.model.workload import (
    SET_STATEMENT,
    Piece,
    Row,
    Slot,
    StatementKind,
    Step,
    Turn,
    Variable,
    Workload,
)
from readiness.workload.text.order import order_of


def with_user_variables(workload: Workload) -> Workload:
    """The same flow in its SET form. Raises WorkloadError where a statement of the flow has the id
    that those SETs are counted by."""
    if any(step.statement_id == SET_STATEMENT for step in workload.steps):
        raise WorkloadError(
            f'A statement of the workload is called "{SET_STATEMENT}", which counts the SETs of'
            " binding: uservar.",
            hint="Give the statement another id in its @statement line, or load with"
            "  binding: literal",
        )
    order = order_of(workload)
    made = _sets(order.before, workload.steps, transaction=0)
    for index, step in enumerate(workload.steps):
        made.append(replace(step, pieces=tuple(_named(step.pieces))))
        given = order.after.get(index, ())
        later = workload.steps[index + 1 :]
        made += _sets(given, later, transaction=step.transaction, turn=step.turn)
    return replace(workload, steps=tuple(made))


def _sets(
    variables: Sequence[Variable],
    steps: Sequence[Step],
    *,
    transaction: int,
    turn: Turn | None = None,
) -> list[Step]:
    """One SET for each connection on which `steps` use any of the variables."""
    used: dict[int, set[str]] = {}
    for step in steps:
        used.setdefault(step.connection, set()).update(_slots(step.pieces))
    wanted = {c: [v.name for v in variables if v.name in names] for c, names in used.items()}
    return [
        Step(
            SET_STATEMENT, connection, transaction, StatementKind.SET, 0.0, _assignments(names),
            turn=turn,
        )
        for connection, names in wanted.items()
        if names
    ]  # fmt: skip


def _assignments(names: Iterable[str]) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    for name in names:
        pieces += [f"{', ' if pieces else 'SET '}@{name} = ".encode(), Slot(name)]
    return tuple(pieces)


def _slots(pieces: Iterable[Piece]) -> set[str]:
    found: set[str] = set()
    for piece in pieces:
        if isinstance(piece, Slot):
            found.add(piece.variable)
        elif isinstance(piece, Row):
            found |= _slots(piece.pieces)
    return found


def _named(pieces: Iterable[Piece]) -> list[Piece]:
    """The pieces with names in the place of values."""
    return [
        replace(piece, pieces=tuple(map(_name, piece.pieces)))
        if isinstance(piece, Row)
        else _name(piece)
        for piece in pieces
    ]


def _name(piece: bytes | Slot) -> bytes:
    return b"@" + piece.variable.encode() if isinstance(piece, Slot) else piece

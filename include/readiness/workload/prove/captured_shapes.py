"""The shape of a workload's statement as its file holds it now, to compare with the captured one."""

from __future__ import annotations

from collections.abc import Mapping

from readiness.model.workload import Form, Piece, Row, Slot, Step, Variable, Workload
from readiness.sql.shape import fingerprint, shape

_LITERAL = {Form.TEXT: b"''", Form.NUMBER: b"0", Form.HEX: b"x'00'"}


def text_with_literals(step: Step, variables: Mapping[str, Variable]) -> bytes:
    """The statement with a literal of the right form in each slot; all rows are written out."""
    return b"".join(_written(piece, variables) for piece in step.pieces)


def shape_now(step: Step, variables: Mapping[str, Variable]) -> str:
    """The fingerprint of the statement's shape. Raises SqlError for one that cannot be read."""
    return fingerprint(shape(text_with_literals(step, variables)))


def captured_shapes(workload: Workload) -> list[str]:
    """By step: the shape that a log of the same flow holds. A statement that was added by hand, or
    comes from a file older than shapes, is looked for as it stands."""
    variables = {v.name: v for v in workload.variables}
    return [step.shape or shape_now(step, variables) for step in workload.steps]


def _written(piece: Piece, variables: Mapping[str, Variable]) -> bytes:
    if isinstance(piece, Slot):
        known = variables.get(piece.variable)
        return _LITERAL[known.form if known else Form.TEXT]
    if isinstance(piece, Row):
        return b"".join(_written(inner, variables) for inner in piece.pieces)
    return piece

"""Which variable to look at where a replayed statement has other rows than the captured one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from readiness.model.workload import (
    Piece,
    Row,
    Slot,
    StatementKind,
    Step,
    Variable,
    VariableKind,
    Workload,
)
from readiness.workload.make.expression import variables_of

# the likeliest class first: each with what it means where fewer, and where more rows are met
_WHY = (
    (
        VariableKind.EXISTING,
        "the sampled row is not the one looked up",
        "the sampled row has more rows around it than the captured one",
    ),
    (
        VariableKind.SERVER,
        "the id is bound from another statement than the captured one",
        "the id is bound from another statement than the captured one",
    ),
    (
        VariableKind.FRESH,
        "the value is new in each checkout, so no row has it yet",
        "the value is there already: its space is too small",
    ),
    (
        VariableKind.TIME,
        "rows depend on when the checkout runs",
        "rows depend on when the checkout runs",
    ),
)
_CLOCK = (
    "time: the server's clock is in the text, and writing the same second again changes nothing"
)
_NOW = re.compile(
    rb"\b(?:NOW|SYSDATE|CURDATE|CURTIME|UTC_TIMESTAMP|UNIX_TIMESTAMP)\s*\(|\bCURRENT_TIMESTAMP\b",
    re.IGNORECASE,
)
_CONSTANT = "constant: nothing varies here, so the target's rows are others than the source's"


def look_at(
    workload: Workload, step: Step, captured: Sequence[int], replayed: Sequence[int]
) -> str:
    """`existing: the sampled row is not the one looked up; look at @product_id_0`; no values."""
    variables = {v.name: v for v in workload.variables}
    used = _with_inputs(_names(step.pieces), variables)
    if step.kind is StatementKind.UPDATE and max(replayed, default=0) == 0 and _reads_clock(step):
        return _CLOCK
    is_fewer = max(replayed, default=0) < max(captured, default=0)
    for kind, fewer, more in _WHY:
        found = [name for name in used if variables[name].kind is kind]
        if found:
            shown = ", ".join(f"@{name}" for name in found[:3])
            return f"{kind}: {fewer if is_fewer else more}; look at {shown}"
    return _CONSTANT


def _reads_clock(step: Step) -> bool:
    return any(isinstance(piece, bytes) and _NOW.search(piece) for piece in step.pieces)


def _names(pieces: Sequence[Piece]) -> list[str]:
    found: list[str] = []
    for piece in pieces:
        if isinstance(piece, Slot):
            found.append(piece.variable)
        elif isinstance(piece, Row):
            found += _names(piece.pieces)
    return found


def _with_inputs(names: Sequence[str], variables: dict[str, Variable]) -> list[str]:
    """The variables and all that they are derived from, each once."""
    found: dict[str, None] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop(0)
        if name in found or name not in variables:
            continue
        found[name] = None
        if variables[name].expression:
            waiting += sorted(variables_of(variables[name].expression))
    return list(found)

"""Asks a target the plan's invariants, as the account that loads, in a transaction that only reads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from readiness.artifacts.invariants_file import read_readings, write_readings
from readiness.artifacts.run_folder import RunFolder
from readiness.errors import StatementFailed
from readiness.model.invariant import Invariant, Reading
from readiness.ports import Row
from readiness.wiring.targets import Target

_Answer = tuple[float | None, str]


def read_before(folder: RunFolder, target: Target, invariants: Sequence[Invariant]) -> None:
    """Notes the answers before the load in the run folder. Raises TargetError."""
    if not invariants:
        return
    answers = [_ask(target, asked) for asked in invariants]
    write_readings(
        folder.path,
        [
            Reading(i.name, value, why=why)
            for i, (value, why) in zip(invariants, answers, strict=True)
        ],
    )


def read_after(folder: RunFolder, target: Target, invariants: Sequence[Invariant]) -> None:
    """Adds the answers after the last drain. Raises TargetError."""
    if not invariants:
        return
    before, made = read_readings(folder.path), []
    for asked in invariants:
        value, why = _ask(target, asked)
        earlier = before.get(asked.name, Reading(asked.name, None))
        made.append(replace(earlier, after=value, why=earlier.why or why))
    write_readings(folder.path, made)


def _ask(target: Target, asked: Invariant) -> _Answer:
    with target.session() as session:
        try:
            session.query("START TRANSACTION READ ONLY")
            return _number(session.query(asked.sql))
        except StatementFailed as error:
            return None, f"the target answered it with error {error.code}"


def _number(rows: Sequence[Row]) -> _Answer:
    cells = [cell for row in rows for cell in row]
    if len(cells) != 1:
        return None, f"it gave {len(rows)} rows, wanted: one row of one number"
    try:
        value = float(str(cells[0]))
    except ValueError:
        value = math.nan
    return (value, "") if math.isfinite(value) else (None, "it gave no number")

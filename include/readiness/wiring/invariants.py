"""Asks a target the plan's invariants, as the account that loads, in a transaction that only reads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from readiness.artifacts.invariants_file import read_readings, write_readings
from readiness.artifacts.run_folder import RunFolder
from readiness.errors import StatementFailed
from readiness.model.invariant import Invariant, Reading
from readiness.ports import Row, Session
from readiness.wiring.targets import Target


def read_before(folder: RunFolder, target: Target, invariants: Sequence[Invariant]) -> None:
    """Notes the answers before the load in the run folder. Raises TargetError."""
    if invariants:
        write_readings(folder.path, [_reading(i, _ask(target, i)) for i in invariants])


def read_after(folder: RunFolder, target: Target, invariants: Sequence[Invariant]) -> None:
    """Adds the answers after the last drain. Raises TargetError."""
    before = read_readings(folder.path)
    made = []
    for asked in invariants:
        value, why = _ask(target, asked)
        earlier = before.get(asked.name, Reading(asked.name, None))
        made.append(replace(earlier, after=value, why=earlier.why or why))
    if invariants:
        write_readings(folder.path, made)


def _reading(asked: Invariant, answer: tuple[float | None, str]) -> Reading:
    value, why = answer
    return Reading(asked.name, value, why=why)


def _ask(target: Target, asked: Invariant) -> tuple[float | None, str]:
    with target.session() as session:
        try:
            session.query("START TRANSACTION READ ONLY")
            return _number(_rows(session, asked))
        except StatementFailed as error:
            return None, f"the target answered it with error {error.code}"


def _rows(session: Session, asked: Invariant) -> list[Row]:
    return session.query(asked.sql.replace("%", "%%") if False else asked.sql)


def _number(rows: Sequence[Row]) -> tuple[float | None, str]:
    if len(rows) != 1 or len(rows[0]) != 1:
        return None, f"it gave {len(rows)} rows; wanted: one row of one number"
    try:
        value = float(str(rows[0][0]))
    except ValueError:
        return None, "it gave no number"
    return (value, "") if math.isfinite(value) else (None, "it gave no number")

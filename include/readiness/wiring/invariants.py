"""Asks a target the plan's invariants, as the account that loads, in a transaction that only reads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from readiness.artifacts.invariants_file import read_readings, write_readings
from readiness.artifacts.run_folder import RunFolder
from readiness.errors import ConfigError, SqlError, StatementFailed, TargetError
from readiness.model.invariant import Invariant, Reading
from readiness.model.workload import StatementKind
from readiness.ports import Row
from readiness.sql.kind import statement_kind
from readiness.sql.lexer import TokenKind, lex, split_statements
from readiness.wiring.targets import Target

_CHANGING = {b"INTO", b"FOR", b"LOCK"}  # SELECT … INTO OUTFILE, FOR UPDATE, LOCK IN SHARE MODE


def require_reading(invariants: Sequence[Invariant]) -> None:
    """Raises ConfigError, without the SQL, where one is anything but a single SELECT that only reads."""
    for asked in invariants:
        if not _only_reads(asked.sql.encode()):
            raise ConfigError(
                f"The invariant {asked.name} is not one SELECT that only reads. Nothing was started.",
                hint="Give its sql one SELECT that gives one number, such as SELECT COUNT(*) FROM"
                " orders; without ; between statements, INTO, FOR UPDATE or LOCK.",
            )


def read_before(folder: RunFolder, target: Target, invariants: Sequence[Invariant]) -> None:
    """Notes the answers before the load in the run folder."""
    if invariants:
        answers = ((asked.name, *_ask(target, asked)) for asked in invariants)
        write_readings(folder.path, [Reading(name, value, why=why) for name, value, why in answers])


def read_after(folder: RunFolder, target: Target, invariants: Sequence[Invariant]) -> None:
    """Adds the answers after the last drain; a target that gives none is noted, not raised: what was
    measured is judged all the same."""
    if not invariants:
        return
    before, made = read_readings(folder.path), []
    for asked in invariants:
        value, why = _ask(target, asked)
        earlier = before.get(asked.name, Reading(asked.name, None))
        made.append(replace(earlier, after=value, why=earlier.why or why))
    write_readings(folder.path, made)


def _only_reads(sql: bytes) -> bool:
    try:
        tokens = lex(sql)
        is_one = len(split_statements(sql)) == 1
    except SqlError:
        return False
    words = {sql[t.start : t.end].upper() for t in tokens if t.kind is TokenKind.WORD}
    is_hidden = any(t.kind is TokenKind.EXECUTABLE_OPEN for t in tokens)
    is_select = statement_kind(sql, tokens) is StatementKind.SELECT
    return is_one and is_select and not is_hidden and not words & _CHANGING


def _ask(target: Target, asked: Invariant) -> tuple[float | None, str]:
    try:
        with target.session() as session:
            session.query("START TRANSACTION READ ONLY")
            return _number(session.query(asked.sql))
    except StatementFailed as error:
        return None, f"the target answered with error {error.code}"
    except TargetError:
        return None, "the target did not answer"


def _number(rows: Sequence[Row]) -> tuple[float | None, str]:
    if len(rows) != 1 or len(rows[0]) != 1:
        return None, f"it gave {len(rows)} rows; wanted: one row of one number"
    try:
        value = float(str(rows[0][0]))
    except ValueError:
        return None, "it gave no number"
    return (value, "") if math.isfinite(value) else (None, "it gave no number")

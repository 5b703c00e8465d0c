"""Writes and reads `checkout.sql`: SQL that a plain client runs once, with `-- @` annotations.

Writing puts variables into the order in which they can be set, so that
`parse(render(w)) == ordered(w)`, and rendering what was parsed gives the same bytes. What captures
change little changes little in the file: one line for each variable, table and statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from readiness.errors import WorkloadError
from readiness.model.workload import (
    WORKLOAD_SCHEMA_VERSION,
    Row,
    Slot,
    Step,
    Turn,
    Variable,
    VariableKind,
    Workload,
)
from readiness.sql.lexer import lex
from readiness.workload.text.annotations import POLICY
from readiness.workload.text.file_header import table_text
from readiness.workload.text.file_steps import MARKS, marks
from readiness.workload.text.file_variables import bind_text, derived_text, fresh_text, sample_text
from readiness.workload.text.gist import gist
from readiness.workload.text.order import Order, order_of, ordered
from readiness.workload.text.reader import read_workload
from readiness.workload.text.turn_rules import broken_turn

__all__ = ["ordered", "parse", "render"]

_HEADER = """\
-- One captured flow in replayable form. Its values are invented or sampled; none was captured.
-- A plain client runs it once:  mariadb DATABASE < {name}.sql
-- The load engine reads the lines that begin with "-- @" and writes new values into the
-- statements for each checkout. An "@gen" line says how such a value is made."""
_ABOUT_TURNS = """\
-- A statement or row marked "@turn" runs where the checkout drew a count that reaches it; a plain
-- client runs them all."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FLOW = re.compile(r"[A-Za-z0-9_-]+")


def parse(data: bytes, *, path: Path) -> Workload:
    """Reads a workload file; raises WorkloadFileError with the line and what to write there."""
    return read_workload(data, path)


def render(workload: Workload) -> bytes:
    """The file's bytes; raises WorkloadError when a variable can never be set, or a checkout that
    leaves turns out would not be sound."""
    order = order_of(workload)
    _check_names(workload)
    _check_turns(workload)
    lines = [*_header(workload), *_variables(workload, order), *_steps(workload, order)]
    return b"\n".join(lines) + b"\n"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _check_names(workload: Workload) -> None:
    """Names that would break the file's syntax are refused; statement ids are unique."""
    if not _FLOW.fullmatch(workload.name):
        raise WorkloadError("a workload's name is made of letters, digits, _ and -")
    names = [v.name for v in workload.variables] + [r.name for r in workload.repeats]
    wrong = [name for name in names if not _NAME.fullmatch(name)]
    if wrong:
        raise WorkloadError(
            f"a name in a workload is made of letters, digits and _; not {wrong[0]}"
        )
    if workload.policy and not POLICY.fullmatch(workload.policy):
        raise WorkloadError("a policy is called by its file's name and 12 hexadecimal digits")
    if any("\n" in table or "-- @" in table for table in workload.tables):
        raise WorkloadError("a table whose name breaks a line, or holds -- @, cannot be written")
    if len({s.statement_id for s in workload.steps}) < len(workload.steps):
        raise WorkloadError("two statements of the workload have the same id")


def _check_turns(workload: Workload) -> None:
    broken = broken_turn(workload)
    if broken:
        at = "" if broken.step is None else f"{workload.steps[broken.step].statement_id}: "
        raise WorkloadError(at + broken.message, hint=broken.hint)


def _header(workload: Workload) -> Iterator[bytes]:
    yield _HEADER.format(name=workload.name).encode()
    if workload.repeats:
        yield _ABOUT_TURNS.encode()
    yield _title(workload).encode()
    if workload.counts:
        counts = "".join(f"  {key}: {count}" for key, count in workload.counts.items())
        yield f"-- @counts{counts}".encode()
    if workload.policy:
        yield _bytes(f"-- @policy {workload.policy}")
    for repeat in workload.repeats:
        yield f"-- @repeat {repeat.name}  counts: {' '.join(map(str, repeat.counts))}".encode()
    for table, fingerprint in sorted(workload.tables.items()):
        yield _bytes(f"-- @tables {table_text(table, fingerprint)}")
    if workload.set_names:
        yield _bytes(workload.set_names) + b";"


def _title(workload: Workload) -> str:
    return (
        f"-- @workload {workload.name}  schema_version: {WORKLOAD_SCHEMA_VERSION}"
        f"  captures: {workload.captures}  statements: {len(workload.steps)}"
        f"  transactions: {workload.transactions}"
    )


def _variables(workload: Workload, order: Order) -> Iterator[bytes]:
    """Those that are set before the flow begins, under a line that says what they are."""
    by_name = {v.name: v for v in workload.variables}
    fresh = [fresh_text(v) for v in order.before if v.kind is VariableKind.FRESH]
    sampled = [sample_text(s, by_name, workload.samples) for s in workload.samples]
    derived = [derived_text(v) for v in order.before if v.expression]
    sections = {
        "-- New in each checkout": fresh,
        "-- Rows that the target has": sampled,
        "-- Worked out from these, or from the time": derived,
    }
    for title, texts in sections.items():
        if texts:
            yield b""
            yield title.encode()
            yield from map(_bytes, texts)


def _steps(workload: Workload, order: Order) -> Iterator[bytes]:
    by_name = {v.name: v for v in workload.variables}
    connection, transaction = 1, 0
    told: set[int] = set()
    for index, step in enumerate(workload.steps):
        if step.transaction != transaction or not step.transaction:
            yield b""
        if step.transaction and step.transaction not in told:
            told.add(step.transaction)
            held = [s for s in workload.steps if s.transaction == step.transaction]
            yield _bytes(f"-- {gist(held)}")
        yield _annotation(step, step.connection != connection, step.transaction != transaction)
        yield _text(step) + b";"
        yield from _after(step, by_name, order.after.get(index, ()))
        connection, transaction = step.connection, step.transaction


def _after(
    step: Step, by_name: dict[str, Variable], variables: Sequence[Variable]
) -> Iterator[bytes]:
    """The ids that a statement gives, and what is derived from them."""
    yield from (_bytes(bind_text(b, by_name[b.variable])) for b in step.binds)
    yield from (_bytes(derived_text(v)) for v in variables if v.expression)


def _annotation(step: Step, connects: bool, transacts: bool) -> bytes:
    notes = [f"-- @statement {step.statement_id}"]
    if connects:
        notes.append(f"-- @connection {step.connection}")
    if transacts:
        notes.append(f"-- @transaction {step.transaction}")
    if step.turn:
        notes.append(f"-- {_turn(step.turn)}")
    if step.pause_ms:
        notes.append(f"-- @pause {str(step.pause_ms).removesuffix('.0')}ms")
    if step.shape:
        notes.append(f"-- @shape {step.shape}")
    return "  ".join(notes).encode()


def _turn(turn: Turn) -> str:
    return f"@turn {turn.repeat} {turn.number}"


def _text(step: Step) -> bytes:
    """The statement with its rows marked; a comment of its own that reads as a mark is refused."""
    text, rows = b"", 0
    for piece in step.pieces:
        if isinstance(piece, Row):
            inner = b"".join(map(_plain, piece.pieces))
            text += f"/* {_turn(piece.turn)} */".encode() + inner + b"/* @end */"
            rows += 1
        else:
            text += _plain(piece)
    if b"/*" in text and sum(n.name in MARKS for _, n in marks(text, lex(text))) != 2 * rows:
        raise WorkloadError(
            f"{step.statement_id} holds a comment of its own that reads as @turn or @end",
            hint="Take the comment out of the statement.",
        )
    return text


def _plain(piece: bytes | Slot) -> bytes:
    return b"@" + piece.variable.encode() if isinstance(piece, Slot) else piece

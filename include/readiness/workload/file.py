"""Writes and reads `checkout.sql`: SQL that a plain client runs once, with `-- @` annotations.

Writing puts variables into the order in which they can be set, so that
`parse(render(w)) == ordered(w)`, and rendering what was parsed gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from readiness.errors import WorkloadError
from readiness.model.workload import (
    WORKLOAD_SCHEMA_VERSION,
    Bind,
    Form,
    Sample,
    Slot,
    Step,
    Variable,
    VariableKind,
    Workload,
)
from readiness.workload.order import order_of, ordered
from readiness.workload.reader import read_workload

__all__ = ["ordered", "parse", "render"]

_HEADER = """\
-- One captured flow in replayable form. Its values are invented or sampled; none was captured.
-- A plain client runs it once:  mariadb DATABASE < {name}.sql
-- The load engine reads the lines that begin with "-- @" and writes new values into the
-- statements for each checkout. An "@gen" line says how such a value is made.
"""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FLOW = re.compile(r"[A-Za-z0-9_-]+")


def parse(data: bytes, *, path: Path) -> Workload:
    """Reads a workload file; raises WorkloadFileError with the line and what to write there."""
    return read_workload(data, path)


def render(workload: Workload) -> bytes:
    """The file's bytes; raises WorkloadError when a variable can never be set."""
    order = order_of(workload)
    _check_names(workload)
    by_name = {v.name: v for v in workload.variables}
    lines = [_HEADER.format(name=workload.name).encode() + _title(workload)]
    if workload.set_names:
        lines.append(_bytes(workload.set_names) + b";")
    lines.append(b"")
    lines += [_fresh(v) for v in order.before if v.kind is VariableKind.FRESH]
    lines += [_sample(s, by_name, workload.samples) for s in workload.samples]
    lines += [_derived(v) for v in order.before if v.expression]
    connection, transaction = 1, 0
    for index, step in enumerate(workload.steps):
        if step.transaction != transaction or not step.transaction:
            lines.append(b"")
        lines.append(
            _annotation(step, step.connection != connection, step.transaction != transaction)
        )
        lines.append(_text(step) + b";")
        lines += [_bind(b, by_name[b.variable]) for b in step.binds]
        lines += [_derived(v) for v in order.after.get(index, ()) if v.expression]
        connection, transaction = step.connection, step.transaction
    return b"\n".join(lines) + b"\n"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _check_names(workload: Workload) -> None:
    """Names that would break the file's syntax are refused; statement ids are unique."""
    if not _FLOW.fullmatch(workload.name):
        raise WorkloadError("a workload's name is made of letters, digits, _ and -")
    wrong = [v.name for v in workload.variables if not _NAME.fullmatch(v.name)]
    if wrong:
        raise WorkloadError(f"a variable's name is made of letters, digits and _; not {wrong[0]}")
    if len({s.statement_id for s in workload.steps}) < len(workload.steps):
        raise WorkloadError("two statements of the workload have the same id")


def _title(workload: Workload) -> bytes:
    title = (
        f"-- @workload {workload.name}  schema_version: {WORKLOAD_SCHEMA_VERSION}"
        f"  captures: {workload.captures}  statements: {len(workload.steps)}"
        f"  transactions: {workload.transactions}"
    )
    counts = "".join(f"  {key}: {count}" for key, count in workload.counts.items())
    return (title + (f"\n-- @counts{counts}" if counts else "")).encode()


def _fresh(variable: Variable) -> bytes:
    text = (
        f"-- @gen {variable.name} fresh {variable.generator} {variable.column or '-'}\n"
        f"SET @{variable.name} = {variable.example};"
    )
    return _bytes(text)


def _derived(variable: Variable) -> bytes:
    text = (
        f"-- @derive {variable.name} {variable.kind} {variable.form} {variable.column or '-'}\n"
        f"SET @{variable.name} = {variable.expression};"
    )
    return _bytes(text)


def _bind(bind: Bind, variable: Variable) -> bytes:
    plus = f" + {bind.offset}" if bind.offset else ""
    text = (
        f"-- @bind {variable.name} server {variable.form} {variable.column or '-'}\n"
        f"SET @{variable.name} = LAST_INSERT_ID(){plus};"
    )
    return _bytes(text)


def _sample(sample: Sample, by_name: dict[str, Variable], samples: Sequence[Sample]) -> bytes:
    """The annotation, and the SELECT that gives a plain client one such row."""
    forms = [by_name[name].form for name in sample.variables]
    note = f"-- @sample {', '.join(sample.variables)} existing {_plain(sample.table)}"
    if sample.weight_by:
        note += f"  weight: {sample.weight_by}"
    if any(form is not Form.TEXT for form in forms):
        note += f"  forms: {' '.join(forms)}"
    where = [f"{quoted(column)} = @{name}" for column, name in sample.where]
    where += _enough_children(sample, samples)
    lines = [
        note,
        f"SELECT {', '.join(map(quoted, sample.columns))}"
        f" INTO {', '.join('@' + name for name in sample.variables)} FROM {quoted(sample.table)}",
        *(f"  {'AND' if i else 'WHERE'} {condition}" for i, condition in enumerate(where)),
        f"  ORDER BY {quoted(sample.columns[0])} LIMIT 1 OFFSET {sample.distinct};",
    ]
    return _bytes("\n".join(lines))


def _enough_children(sample: Sample, samples: Sequence[Sample]) -> list[str]:
    """Conditions that keep a plain client from a merchant without the products sampled later."""
    column_of = dict(zip(sample.variables, sample.columns, strict=True))
    needed: dict[tuple[str, str, str], int] = {}
    for child in samples:
        for column, name in child.where:
            if name in column_of and child.table != sample.table:
                key = (child.table, column, column_of[name])
                needed[key] = max(needed.get(key, 0), child.distinct + 1)
    parent = quoted(sample.table)
    return [
        f"(SELECT COUNT(*) FROM {quoted(table)}"
        f" WHERE {quoted(table)}.{quoted(column)} = {parent}.{quoted(own)}) > {count - 1}"
        for (table, column, own), count in needed.items()
    ]


def quoted(name: str) -> str:
    """A column or table name in backticks; `schema.table` keeps its dot."""
    return ".".join(f"`{part.replace('`', '``')}`" for part in name.split("."))


def _plain(name: str) -> str:
    if re.search(r"\s", name):
        raise WorkloadError("a table with a space in its name cannot be sampled")
    return name


def _annotation(step: Step, connects: bool, transacts: bool) -> bytes:
    notes = [f"-- @statement {step.statement_id}"]
    if connects:
        notes.append(f"-- @connection {step.connection}")
    if transacts:
        notes.append(f"-- @transaction {step.transaction}")
    if step.pause_ms:
        notes.append(f"-- @pause {str(step.pause_ms).removesuffix('.0')}ms")
    return "  ".join(notes).encode()


def _text(step: Step) -> bytes:
    parts = [b"@" + p.variable.encode() if isinstance(p, Slot) else p for p in step.pieces]
    return b"".join(parts)

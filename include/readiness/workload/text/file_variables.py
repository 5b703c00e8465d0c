"""Writes the statements of a workload file that set variables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from readiness.errors import WorkloadError
from readiness.model.workload import Bind, Form, Sample, Variable


def fresh_text(variable: Variable) -> str:
    """The annotation, and the example that a plain client uses."""
    return (
        f"-- @gen {variable.name} fresh {variable.generator} {variable.column or '-'}\n"
        f"SET @{variable.name} = {variable.example};"
    )


def derived_text(variable: Variable) -> str:
    """The annotation, and the expression that a plain client evaluates."""
    return (
        f"-- @derive {variable.name} {variable.kind} {variable.form} {variable.column or '-'}\n"
        f"SET @{variable.name} = {variable.expression};"
    )


def bind_text(bind: Bind, variable: Variable) -> str:
    """The annotation, and what gives a plain client the id."""
    plus = f" + {bind.offset}" if bind.offset else ""
    return (
        f"-- @bind {variable.name} server {variable.form} {variable.column or '-'}\n"
        f"SET @{variable.name} = LAST_INSERT_ID(){plus};"
    )


def sample_text(sample: Sample, by_name: Mapping[str, Variable], samples: Sequence[Sample]) -> str:
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
    return "\n".join(lines)


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

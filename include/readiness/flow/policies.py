"""A policy against the schema of the captures: whether each of its columns is there and bears it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from readiness.anonymize.policy import Policy
from readiness.config.mistakes import in_order
from readiness.config.nearest import did_you_mean
from readiness.config.policy import WHAT, PolicyFile, Rule, Treatment, load_policy
from readiness.errors import Mistake
from readiness.model.workload import Workload
from readiness.workload.schema import Schema

_CLOCK = ("date", "datetime", "timestamp", "time", "year")


def policy_in_force(path: Path, schema: Schema) -> Policy:
    """The policy of a file. Raises ConfigError when it cannot be read, ConfigMistakes with the line of
    each column that is unknown, or cannot be treated so."""
    file = load_policy(path)
    mistakes: list[Mistake] = []
    rules: dict[tuple[str, str], Rule] = {}
    for name, rule in file.rules.items():
        found = schema.find(*_spelt(name, schema))
        told = list(_faults(found, rule.treat, schema)) if found else [_unknown(name, schema)]
        if found in rules:
            told.append("this column is given twice, in another spelling")
        mistakes += [file.at(name, text) for text in told]
        if found:
            rules[found] = rule
    if mistakes:
        raise in_order(WHAT, mistakes, ["Write table.column as the schema has it."])
    return Policy(rules, _name(file), file.file.sha256)


def deciding(schema: Schema, policy: Policy) -> Schema:
    """The schema, with the columns that the policy keeps or changes out of reach of generators."""
    apart = policy.columns(Treatment.GENERALIZE, Treatment.EMPTY)
    return replace(schema, kept=policy.columns(Treatment.KEEP), apart=apart)


def policy_changes(before: Workload | None, workload: Workload) -> Iterator[str]:
    """What to tell where the workload that was there was built under another policy."""
    if before and before.policy != workload.policy:
        old, new = (
            f"the policy {w.policy}" if w.policy else "no policy" for w in (before, workload)
        )
        yield f"the workload that was there was built under {old}, this one under {new}"


def _name(file: PolicyFile) -> str:
    return "".join(
        c if c.isascii() and (c.isalnum() or c in "_.-") else "-" for c in file.file.path.stem
    )


def _spelt(name: str, schema: Schema) -> tuple[str, str]:
    """Table and column; the table as the schema spells it where only case differs."""
    table, _, column = name.partition(".")
    alike = [t for t in schema.tables if t.lower() == table.lower()]
    return (table if table in schema.tables or len(alike) != 1 else alike[0]), column


def _unknown(name: str, schema: Schema) -> str:
    table, column = _spelt(name, schema)
    known = schema.tables.get(table)
    if known is None:
        return f"there is no table {table}.{did_you_mean(table, schema.tables)}"
    return f"the table {table} has no column {column}.{did_you_mean(column, known.columns)}"


def _faults(column: tuple[str, str], treat: Treatment, schema: Schema) -> Iterator[str]:
    """Why a treatment would break each checkout, or only seem to do something."""
    kind = schema.type_of(*column)
    if kind in ("enum", "set") and treat is not Treatment.KEEP:
        yield f"its words are listed by the schema: {treat} would write one that it does not know"
    if treat is Treatment.PSEUDONYM:
        return
    if schema.is_unique(*column):
        yield f"it is unique, and with {treat} every checkout would write the same value"
    elif schema.root(*column) != column:
        target = ".".join(schema.root(*column))
        yield f"it refers to {target}, where the target need not have what {treat} leaves"
    if treat is Treatment.EMPTY and kind in (*_CLOCK, "json", "bit"):
        yield f"a {kind} has no empty value: use generalize or pseudonym"
    if treat is Treatment.GENERALIZE and kind in ("json", "time"):
        yield f"a {kind} cannot be made coarser: use pseudonym"

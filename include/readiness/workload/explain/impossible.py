"""What an override cannot do to a value, and what it can do but will hurt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from readiness.config.nearest import did_you_mean
from readiness.config.overrides import Override
from readiness.errors import WorkloadError
from readiness.model.generator import parse_specification
from readiness.model.workload import Form, VariableKind
from readiness.workload.explain.example import example_of
from readiness.workload.find.groups import Group
from readiness.workload.make.expression import Now, Place, compile_expression, variables_of
from readiness.workload.make.generators import Lane, generator
from readiness.workload.schema import Schema

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_MOVES = re.compile(r"\b(?:NOW|CURDATE|UNIX_TIMESTAMP)\b", re.IGNORECASE)


def faults_of(group: Group, entry: Override, schema: Schema) -> Iterator[tuple[str, str]]:
    """(key of the entry, what is wrong with it) for each thing that cannot be done."""
    if group.is_part and entry.kind in ("existing", "inline"):
        yield "class", "a stretch of a text has no place of its own: allowed are fresh and derived"
    if entry.kind == "fresh":
        yield from _fresh(group, entry)
    elif entry.kind == "existing":
        yield from _existing(group, entry, schema)
    elif entry.kind in ("derived", "time"):
        yield from _computed(entry)


def _fresh(group: Group, entry: Override) -> Iterator[tuple[str, str]]:
    key = "generator" if entry.generator else "class"
    if group.kind is VariableKind.SERVER:
        told = (
            f"the server numbers {'.'.join(group.column)} and no statement inserts it: allowed are"
            " existing, derived and inline"
        )
        yield key, told
    elif told := _unfit(entry.generator, group.home.place.literal.form):
        yield key, told


def is_given(text: str) -> bool:
    """The generator says all by itself; otherwise its range or shape is learnt from the captures."""
    if parse_specification(text).argument:
        return True
    try:
        generator(text, Form.TEXT, Lane(b""))
    except WorkloadError:
        return False
    return True


def _unfit(text: str, form: Form) -> str:
    """Why a generator cannot fill a literal of this form; "" when it can, or learns how."""
    if not text or not is_given(text):
        return ""
    try:
        value = example_of(text, form, "")
    except WorkloadError as error:
        return error.message
    if form is Form.NUMBER and not _NUMBER.fullmatch(value):
        return (
            "it makes text, and the statements write a number here: allowed are integer(..),"
            " decimal(..) and snowflake"
        )
    return ""


def _existing(group: Group, entry: Override, schema: Schema) -> Iterator[tuple[str, str]]:
    for key, text in (("sample", entry.sample), ("weight", entry.weight)):
        if text and (told := _no_column(text, schema)):
            yield key, told
    if not entry.sample and (group.root is None or group.root[0] not in schema.tables):
        key = "weight" if entry.weight else "class"
        yield key, "no table is known that holds it: add sample: table.column"


def _no_column(text: str, schema: Schema) -> str:
    table, _, column = text.partition(".")
    if table not in schema.tables:
        return f"there is no table {table}.{did_you_mean(table, schema.tables)}"
    if schema.find(table, column) is None:
        told = did_you_mean(column, schema.tables[table].columns)
        return f"table {table} has no column {column}.{told}"
    return ""


def _computed(entry: Override) -> Iterator[tuple[str, str]]:
    if not entry.expression:
        yield "class", f"{entry.kind} needs an expression: add expression: …"
        return
    try:
        names = sorted(variables_of(entry.expression))
        places = {name: Place(i, Form.TEXT) for i, name in enumerate(names)}
        compile_expression(entry.expression, places)
    except WorkloadError as error:
        yield "expression", error.message


def tension_of(group: Group, natural: Group) -> str:
    """One sentence on what is done as it was said, and why it will hurt; "" when it will not."""
    kind = group.override.kind
    if kind in ("inline", "existing") and natural.rank == 0:
        return (
            f"is {kind} now, and {'.'.join(natural.column)} is unique: a second checkout that"
            " inserts the same value fails"
        )
    if kind == "inline" and natural.kind in (VariableKind.SERVER, VariableKind.EXISTING):
        return "is inline now: no row has the pseudonym that stands there, so look-ups find nothing"
    if group.override.expression and (wrong := _disagreeing(group)):
        return (
            f"has an expression that gives another value than was captured in {wrong} of"
            f" {len(group.values)} captures"
        )
    return ""


def _disagreeing(group: Group) -> int:
    """In how many captures the expression does not give the captured value."""
    if _MOVES.search(group.expression):
        return 0
    captures = range(len(group.values))
    return sum(_computes(group, group.needs, c) is False for c in captures)


def _computes(group: Group, needs: Sequence[Group], capture: int) -> bool | None:
    """Whether it gives the value of one capture; None where a value is not known there."""
    values = [n.values[capture] for n in needs]
    known = [v for v in values if v is not None]
    if group.values[capture] is None or len(known) < len(values):
        return None
    places = {f"v{i}": Place(i, n.home.place.literal.form) for i, n in enumerate(needs)}
    text = group.expression
    for i, need in enumerate(needs):
        text = text.replace(need.reference, f"@v{i}")
    try:
        return (
            compile_expression(text, places).evaluate(known, Now.at(0, 0)) == group.values[capture]
        )
    except WorkloadError:
        return False

"""What changed between the capture and now: table definitions on the target, statements in the file.

A workload carries a fingerprint of each table that it uses and of each captured statement's shape.
Drift is no error: it says where the capture may no longer be what the application does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from readiness.model.workload import Step, Variable, Workload
from readiness.sql.lexer import TokenKind, lex
from readiness.workload.prove.captured_shapes import shape_now, text_with_literals
from readiness.workload.schema import Index, Schema, Table

_MOST_NAMED = 8
_NAMES = frozenset({TokenKind.WORD, TokenKind.QUOTED_IDENTIFIER})


@dataclass(frozen=True, slots=True)
class Drift:
    """What is another than when the workload was built.

    `tables` maps each table whose definition changed to what happened to it, `by_table` the
    statements to the changed tables that they use; `edited` are statements whose text in the file is
    no longer the captured one."""

    tables: Mapping[str, str]
    by_table: Mapping[str, tuple[str, ...]]
    edited: tuple[str, ...]

    @property
    def statements(self) -> tuple[str, ...]:
        """All statements that changed, or whose tables did."""
        return tuple(sorted({*self.edited, *self.by_table}))

    def __bool__(self) -> bool:
        return bool(self.tables or self.edited)

    def to_text(self) -> str:
        """`3 statements changed since capture: s012, s034, s035 (table loans: …)`; "" for none."""
        if not self:
            return ""
        count = len(self.statements)
        reasons = [f"table {name}: {why}" for name, why in self.tables.items()]
        if self.edited:
            reasons.append(f"edited in the file: {listed(self.edited)}")
        verb = f"{count} statement{'s' * (count != 1)} changed since capture"
        return f"{verb}: {listed(self.statements)} ({'; '.join(reasons)})"

    def to_json(self) -> dict[str, object]:
        """Plain values, for --json."""
        return {
            "statements": list(self.statements),
            "tables": dict(self.tables),
            "edited": list(self.edited),
        }


def drift_of(workload: Workload, schema: Schema) -> Drift:
    """What changed since the workload was built; `schema` is the target's. Raises SqlError."""
    changed = {
        name: "it is gone" if name not in schema.tables else "its definition is another"
        for name, known in sorted(workload.tables.items())
        if name not in schema.tables or table_fingerprint(schema.tables[name]) != known
    }
    variables = {v.name: v for v in workload.variables}
    used = {s.statement_id: tables_of(s, variables, changed) for s in workload.steps}
    edited = [
        s.statement_id for s in workload.steps if s.shape and shape_now(s, variables) != s.shape
    ]
    return Drift(changed, {i: names for i, names in used.items() if names}, tuple(edited))


def table_fingerprints(workload: Workload, schema: Schema) -> dict[str, str]:
    """Each table that the workload's statements use, with the fingerprint of its definition; {} where
    the schema comes from a file that is too old to know its column types."""
    variables = {v.name: v for v in workload.variables}
    names = {n for s in workload.steps for n in tables_of(s, variables, schema.tables)}
    found = {name: schema.tables[name] for name in sorted(names)}
    if not all(c.full_type for table in found.values() for c in table.columns.values()):
        return {}
    return {name: table_fingerprint(table) for name, table in found.items()}


def table_fingerprint(table: Table) -> str:
    """Eight hexadecimal digits of columns in order, indexes and foreign keys in any order.

    Names of indexes and keys, collations, comments and expressions are left out: engines and
    releases choose or spell them on their own."""
    columns = [
        [name, c.full_type or c.type, c.nullable, c.auto_increment, c.filled]
        for name, c in table.columns.items()
    ]
    indexes = sorted({(_kind(i), i.columns) for i in table.indexes})
    keys = sorted(
        (k.columns, k.referenced_table.lower(), k.referenced_columns) for k in table.foreign_keys
    )
    text = json.dumps([columns, indexes, keys])
    return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()


def tables_of(
    step: Step, variables: Mapping[str, Variable], among: Iterable[str]
) -> tuple[str, ...]:
    """Which of these tables the statement names. A column of the same name counts, too."""
    known = {name.encode("utf-8", "surrogateescape"): name for name in among}
    if not known:
        return ()
    sql = text_with_literals(step, variables)
    words = {
        sql[t.start : t.end].strip(b"`").replace(b"``", b"`") for t in lex(sql) if t.kind in _NAMES
    }
    return tuple(sorted(known[word] for word in words & known.keys()))


def listed(names: Iterable[str]) -> str:
    """The first few names, and how many more there are."""
    all_names = list(names)
    more = len(all_names) - _MOST_NAMED
    shown = ", ".join(all_names[:_MOST_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown


def _kind(index: Index) -> str:
    if index.name == "PRIMARY":
        return "primary"
    return "unique" if index.unique else "plain"

"""Which existing variables come from one row, so that they are sampled together.

With the source at hand, its rows say so; without it, the statements do: columns of one inserted
row, or of one WHERE, that belong to the same table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from readiness.model.workload import Sample, VariableKind
from readiness.workload.find.context import INSERTED, SET
from readiness.workload.find.groups import Group
from readiness.workload.find.source import SourceRows
from readiness.workload.schema import Schema

_Row = dict[str, Group]
ExistingRow = tuple[str, _Row]
"""A table, and by column of one row of it the group that the column fills."""


def existing_rows(
    groups: Sequence[Group], schema: Schema, rows: SourceRows | None
) -> list[ExistingRow]:
    """The rows behind the EXISTING groups, parents before the rows that they narrow down.

    Inline values that are other columns of such a row (its price) become EXISTING too."""
    existing = [g for g in groups if g.kind is VariableKind.EXISTING and g.root]
    found = _rows_by_source(existing, rows) if rows else []
    seen = {id(g) for _, row in found for g in row.values()}
    if rows:
        for table, row in found:
            _add_companions(table, row, groups, rows)
    found += _rows_by_statement([g for g in existing if id(g) not in seen])
    return sorted(found, key=lambda f: (len(schema.tables[f[0]].foreign_keys), _order(f[1])))


def _order(row: _Row) -> tuple[int, int]:
    return min(g.order for g in row.values())


def _rows_by_source(existing: Sequence[Group], rows: SourceRows) -> list[ExistingRow]:
    """Groups whose values lead to the same row of a table in every capture."""
    found: dict[tuple[str, tuple[tuple[tuple[str, bytes], ...], ...]], _Row] = {}
    for group in existing:
        table, column = group.root or ("", "")
        reached = [rows(table, column, v) for v in group.values if v is not None]
        if reached and all(r is not None for r in reached):
            key = tuple(tuple(sorted(r.items())) for r in reached if r is not None)
            found.setdefault((table, key), {}).setdefault(column, group)
    return [(table, row) for (table, _), row in found.items()]


def _rows_by_statement(existing: Sequence[Group]) -> list[ExistingRow]:
    """Groups of one table that one inserted row holds together."""
    found: list[ExistingRow] = []
    for group in existing:
        table, column = group.root or ("", "")
        for known, row in found:
            if known == table and column not in row and _share_a_row(group, row):
                row[column] = group
                break
        else:
            found.append((table, {column: group}))
    return found


def _share_a_row(group: Group, row: _Row) -> bool:
    own = _inserted_rows(group)
    return any(own & _inserted_rows(other) for other in row.values())


def _inserted_rows(group: Group) -> set[tuple[int, int]]:
    return {(u.place.statement, u.meeting.row) for u in group.uses if u.meeting.role == INSERTED}


def _add_companions(table: str, row: _Row, groups: Sequence[Group], rows: SourceRows) -> None:
    """Inline amounts and texts that equal another column of the row in every capture join it."""
    key_column, key = next(iter(row.items()))
    reached = [None if v is None else rows(table, key_column, v) for v in key.values]
    columns = {c for r in reached if r for c in r} - set(row)
    for column in sorted(columns):
        values = tuple(None if r is None else r.get(column) for r in reached)
        for group in groups:
            is_open = group.kind in (None, VariableKind.FRESH) and not group.is_indexed
            is_open = is_open and not group.is_settled
            if is_open and _equal(group.values, values) and _names_agree(group, column):
                group.kind, group.root = VariableKind.EXISTING, (table, column)
                group.because, group.is_at_source = "a column of the sampled row", True
                row[column] = group
                break


def _equal(left: Sequence[bytes | None], right: Sequence[bytes | None]) -> bool:
    pairs = [(a, b) for a, b in zip(left, right, strict=True) if a is not None]
    return len(pairs) > 1 and all(a == b for a, b in pairs)


def _names_agree(group: Group, column: str) -> bool:
    """Long values speak for themselves; short ones need a word of the column's name."""
    if min(len(v) for v in group.values if v is not None) >= 6:
        return True
    words = set(column.split("_"))
    return any(words & set(u.meeting.column.split("_")) for u in group.uses)


def samples_of(
    found: Sequence[ExistingRow], schema: Schema, rows: SourceRows | None
) -> list[Sample]:
    """One Sample per existing row, in the order of `existing_rows`; names must have been given."""
    made: list[Sample] = []
    sampled: list[Group] = []
    for table, row in found:
        where = _where(table, row, sampled, schema, rows)
        columns = _key_first(table, row, schema)
        said = next((g.override.weight for g in row.values() if g.override.weight), "")
        weight = said or ("" if where else _weight(table, columns[0], row[columns[0]], schema))
        same = [s for s in made if s.table == table and s.where == where]
        variables = tuple(row[c].name for c in columns)
        made.append(Sample(variables, table, columns, weight, where, len(same)))
        sampled += row.values()
    return made


def _key_first(table: str, row: Mapping[str, Group], schema: Schema) -> tuple[str, ...]:
    key = schema.tables[table].primary_key
    return tuple(sorted(row, key=lambda c: (c not in key, row[c].order)))


def _where(
    table: str,
    row: _Row,
    sampled: Sequence[Group],
    schema: Schema,
    rows: SourceRows | None,
) -> tuple[tuple[str, str], ...]:
    """The columns of `table` that must equal variables sampled before."""
    if rows:
        key_column, key = next(iter(row.items()))
        reached = [None if v is None else rows(table, key_column, v) for v in key.values]
        return tuple(
            (column, group.name)
            for column in schema.tables[table].columns
            if column not in row
            for group in sampled
            if _equal(group.values, [r.get(column) if r else None for r in reached])
            and _is_link(table, column, group, schema)
            and not _is_written((table, column), group, row)
        )
    return tuple(
        dict.fromkeys(
            (u.column[1], group.name)
            for group in sampled
            for u in group.uses
            if u.column[0] == table
            and u.column[1] not in row
            and _is_met_together(u.place.statement, row)
        )
    )


def _is_met_together(statement: int, row: _Row) -> bool:
    return any(u.place.statement == statement for g in row.values() for u in g.uses)


def _is_link(table: str, column: str, group: Group, schema: Schema) -> bool:
    """A foreign key to the group's column, or values too long to be equal by accident."""
    if schema.root(table, column) == group.root:
        return True
    return min(len(v) for v in group.values if v is not None) >= 8


def _is_written(column: tuple[str, str], group: Group, row: _Row) -> bool:
    """The flow itself writes the value into the row: the source shows what the capture left there, and
    the next checkout needs a row that was not taken yet."""
    return any(
        u.column == column and u.meeting.role == SET and _is_met_together(u.place.statement, row)
        for u in group.uses
    )


def _weight(table: str, column: str, group: Group, schema: Schema) -> str:
    """The child column that carries the skew: one that the flow itself writes, if there is one."""
    children = schema.children(table, column)
    written = {u.column for u in group.uses if u.meeting.role == INSERTED and u.column in children}
    best = next((c for c in children if c in written), None)
    return ".".join(best) if best else ""

"""Columns that must be treated alike, since foreign keys tie them: one group for each root."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from readiness.model.catalogue import Catalogue

Column = tuple[str, str]  # table, column


def groups_of(catalogue: Catalogue) -> Mapping[Column, tuple[Column, ...]]:
    """For each column that a foreign key ties to others: its whole group, the root first.

    Each part of a composite key is a group of its own; a self-reference is one as well."""
    parent: dict[Column, Column] = {}
    for child, target in _ties(catalogue):
        _join(parent, child, target)
    members: dict[Column, list[Column]] = defaultdict(list)
    for column in parent:
        members[_find(parent, column)].append(column)
    children = {child for child, target in _ties(catalogue) if child != target}
    grouped: dict[Column, tuple[Column, ...]] = {}
    for group in members.values():
        ordered = tuple(sorted(group, key=lambda c: (c in children, c)))
        grouped.update(dict.fromkeys(ordered, ordered))
    return grouped


def _ties(catalogue: Catalogue) -> Iterator[tuple[Column, Column]]:
    for table in catalogue.tables.values():
        for key in table.foreign_keys:
            for own, theirs in zip(key.columns, key.referenced_columns, strict=True):
                yield (table.name, own), (_spelt(catalogue, key.referenced_table), theirs)


def _spelt(catalogue: Catalogue, table: str) -> str:
    """MySQL on some file systems tells the referenced table in lower case."""
    if table in catalogue.tables:
        return table
    return next((name for name in catalogue.tables if name.lower() == table.lower()), table)


def _find(parent: dict[Column, Column], column: Column) -> Column:
    while parent.setdefault(column, column) != column:
        column = parent[column]
    return column


def _join(parent: dict[Column, Column], one: Column, other: Column) -> None:
    first, second = _find(parent, one), _find(parent, other)
    parent[max(first, second)] = min(first, second)

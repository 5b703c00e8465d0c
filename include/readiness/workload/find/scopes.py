"""Which table a column name means: that of the nearest SELECT, UPDATE or DELETE around it.

One alias may stand for different tables in a statement and in its sub-queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import expressions as exp

from readiness.workload.schema import Schema

NOTHING = ("", "")
_SCOPES = (exp.Select, exp.Update, exp.Delete, exp.Insert)


class Scopes:
    """The tables of one parsed statement, by the part of it that names them."""

    def __init__(self, tree: exp.Expr, schema: Schema) -> None:
        self._schema = schema
        self._tables: dict[int, dict[str, str]] = {}
        virtual = {c.alias for c in tree.find_all(exp.CTE)}
        for table in tree.find_all(exp.Table):
            scope = table.find_ancestor(*_SCOPES)
            if scope is not None and table.name:
                known = self._tables.setdefault(id(scope), {})
                name = "" if table.name in virtual and not table.db else table.name
                if table.alias:
                    known[table.alias] = name
                else:  # `DELETE o FROM orders o`: the first `o` is an alias
                    known.setdefault(table.name, name)

    def column(self, column: exp.Expr | None) -> tuple[str, str]:
        """(table, column) in the schema's spelling; ("", "") for what the schema does not know."""
        if not isinstance(column, exp.Column):
            return NOTHING
        for tables in self._around(column):
            if column.table and column.table in tables:
                return self._schema.find(tables[column.table], column.name) or NOTHING
            if not column.table and (found := self._holding(tables, column.name)):
                return found
        return self._schema.find(column.table, column.name) or NOTHING

    def _around(self, node: exp.Expr) -> Iterator[Mapping[str, str]]:
        """The tables named around a node, nearest first."""
        parent = node.parent
        while parent is not None:
            if id(parent) in self._tables:
                yield self._tables[id(parent)]
            parent = parent.parent

    def _holding(self, tables: Mapping[str, str], name: str) -> tuple[str, str] | None:
        found = (self._schema.find(t, name) for t in dict.fromkeys(tables.values()))
        return next((f for f in found if f), None)

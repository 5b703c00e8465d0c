"""Walks a parsed statement: which column each literal is compared with, or stored into.

The only module that knows the parser. It reads masked text, so it never sees a value."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

import sqlglot
from sqlglot import expressions as exp
from sqlglot.errors import SqlglotError

from readiness.sql.lexer import Token
from readiness.sql.mask import mask
from readiness.workload.context import COMPARED, INSERTED, LIKE, LISTED, SET, Insertion, Meeting
from readiness.workload.schema import Schema

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it warns of statements that it skips


def parse(
    sql: bytes, tokens: Sequence[Token], schema: Schema
) -> tuple[dict[int, Meeting], Insertion | None] | None:
    """By the byte offset of a literal the column it meets, and what the statement inserts; None
    for a statement that the parser cannot read."""
    try:
        tree = sqlglot.parse_one(mask(sql, tokens).decode("ascii"), read="mysql")
    except (SqlglotError, RecursionError):
        return None
    walk = _Walk(tree, schema)
    walk.all()
    return walk.met, walk.insertion


class _Walk:
    """One pass over one tree; nearer contexts are met first and stay."""

    def __init__(self, tree: exp.Expr, schema: Schema) -> None:
        self.tree = tree
        self.schema = schema
        self.met: dict[int, Meeting] = {}
        self.aliases = self._aliases()
        self.insertion: Insertion | None = None

    def all(self) -> None:
        for case in self.tree.find_all(exp.Case):
            if isinstance(case.this, exp.Column):
                for branch in case.args["ifs"]:
                    self._meet(branch.this, self._column(case.this), COMPARED)
        self._comparisons(self.tree)
        if isinstance(self.tree, exp.Insert):
            self._insert(self.tree)
        elif isinstance(self.tree, exp.Update):
            for assignment in self.tree.expressions:
                self._assignment(assignment)

    def _aliases(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for table in self.tree.find_all(exp.Table):
            if table.name:
                found[table.alias or table.name] = table.name
                found.setdefault(table.name, table.name)
        return found

    def _column(self, column: exp.Expr | None) -> tuple[str, str]:
        """(table, column) in the schema's spelling; ("", "") for what the schema does not know."""
        if not isinstance(column, exp.Column):
            return "", ""
        if column.table:
            table = self.aliases.get(column.table, column.table)
            return self.schema.find(table, column.name) or ("", "")
        for table in dict.fromkeys(self.aliases.values()):
            if found := self.schema.find(table, column.name):
                return found
        return "", ""

    def _comparisons(self, tree: exp.Expr) -> None:
        pairs = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.NullSafeEQ)
        for node in tree.find_all(*pairs):
            if isinstance(node.parent, (exp.Update, exp.Insert, exp.OnConflict)):
                continue
            self._compare(node, LIKE if isinstance(node, exp.Like) else COMPARED)
        for listing in tree.find_all(exp.In):
            for item in listing.expressions:
                self._meet(item, self._column(listing.this), LISTED)
        for between in tree.find_all(exp.Between):
            column = self._column(between.this)
            self._meet(between.args["low"], column, COMPARED)
            self._meet(between.args["high"], column, COMPARED)

    def _compare(self, node: exp.Expr, role: str) -> None:
        left, right = node.this, node.expression
        if not isinstance(left, exp.Column) and isinstance(right, exp.Column):
            left, right = right, left
        self._meet(right, self._column(left), role)

    def _assignment(self, node: exp.Expr, table: str = "") -> None:
        if isinstance(node, exp.EQ) and isinstance(node.this, exp.Column):
            column = self.schema.find(table, node.this.name) if table else None
            self._meet(node.expression, column or self._column(node.this), SET)

    def _insert(self, tree: exp.Insert) -> None:
        target = tree.this
        has_names = isinstance(target, exp.Schema)
        table = target.this.name if has_names else target.name
        known = self.schema.tables.get(table)
        names = [c.name for c in target.expressions] if has_names else []
        names = names or (list(known.columns) if known and not has_names else [])
        rows = self._rows(tree)
        for number, row in enumerate(rows):
            for name, value in zip(names, row, strict=False):
                self._meet(value, self.schema.find(table, name) or ("", ""), INSERTED, number)
        conflict = tree.args.get("conflict")
        for assignment in conflict.find_all(exp.EQ) if conflict else ():
            self._assignment(assignment, table)
        numbered = known.auto_increment_column if known else ""
        is_given = numbered.lower() in (n.lower() for n in names)
        self.insertion = Insertion(table, len(rows), "" if is_given else numbered)

    @staticmethod
    def _rows(tree: exp.Insert) -> list[list[exp.Expr]]:
        if not isinstance(tree.expression, exp.Values):
            return []
        return [
            list(row.expressions) if isinstance(row, exp.Tuple) else [row]
            for row in tree.expression.expressions
        ]

    def _meet(self, node: exp.Expr, column: tuple[str, str], role: str, row: int = 0) -> None:
        """Every literal below `node` meets `column`, unless it has met a nearer one."""
        if not column[1]:
            return
        for literal, is_wrapped in _literals_below(node):
            start = literal.meta.get("start")
            if start is not None and start not in self.met:
                self.met[start] = Meeting(*column, role, row, is_wrapped)


def _literals_below(node: exp.Expr) -> Iterator[tuple[exp.Expr, bool]]:
    """The literals under a node, and whether a function or arithmetic stands between."""
    plain = (exp.Literal, exp.HexString, exp.BitString, exp.National)
    wrapping = (exp.Func, exp.Binary, exp.Case)
    harmless = (exp.Cast, exp.Collate)  # TIMESTAMP '…', COLLATE
    for found in node.walk():
        if not isinstance(found, plain):
            continue
        parent: exp.Expr = found
        is_wrapped = False
        while parent is not node and parent.parent is not None:
            parent = parent.parent
            is_wrapped |= isinstance(parent, wrapping) and not isinstance(parent, harmless)
        yield found, is_wrapped

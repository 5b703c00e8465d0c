"""Walks a parsed statement: which column each literal is compared with, or stored into.

With `scopes` the only module that knows the parser. It reads masked text, so it never sees a
value, and long literals are cut short: a parser has no use for a megabyte."""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

import sqlglot
from sqlglot import expressions as exp
from sqlglot.errors import SqlglotError

from readiness.sql.lexer import Token, TokenKind
from readiness.sql.mask import mask
from readiness.workload.find.context import (
    COMPARED,
    INSERTED,
    LIKE,
    LISTED,
    SET,
    Insertion,
    Meeting,
)
from readiness.workload.find.scopes import NOTHING, Scopes
from readiness.workload.schema import Schema

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it warns of statements that it skips

_LONG = 256  # bytes of a literal, from which on the parser is given a short one
_KEPT = 4  # bytes of it: `x'00`, or a quote and three letters
_PAIRS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.NullSafeEQ)


def parse(
    sql: bytes, tokens: Sequence[Token], schema: Schema
) -> tuple[dict[int, Meeting], Insertion | None] | None:
    """By the byte offset of a literal the column it meets, and what the statement inserts; None
    for a statement that the parser cannot read."""
    cuts = _cuts(sql, tokens)
    try:
        tree = sqlglot.parse_one(_without(mask(sql, tokens), cuts).decode("ascii"), read="mysql")
    except (SqlglotError, RecursionError):
        return None
    walk = _Walk(tree, schema)
    walk.all()
    return _moved_back(walk.met, cuts), walk.insertion


def _cuts(sql: bytes, tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """What is left out of each long literal: a stretch within its quotes, or of its digits."""
    return [
        (t.start + _KEPT, t.end - (sql[t.end - 1 : t.end] in (b"'", b'"')))
        for t in tokens
        if t.end - t.start > _LONG and t.kind in (TokenKind.TEXT, TokenKind.HEX, TokenKind.BIT)
    ]


def _without(text: bytes, cuts: Sequence[tuple[int, int]]) -> bytes:
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(text)]
    return b"".join(text[a:b] for a, b in zip(starts, ends, strict=True))


def _moved_back(met: dict[int, Meeting], cuts: Sequence[tuple[int, int]]) -> dict[int, Meeting]:
    """The offsets as they are with all that was left out."""
    if not cuts:
        return met
    sizes = [0, *accumulate(end - start for start, end in cuts)]
    places = [start - before for (start, _), before in zip(cuts, sizes, strict=False)]
    return {at + sizes[bisect_right(places, at)]: meeting for at, meeting in met.items()}


class _Walk:
    """One pass over one tree; nearer contexts are met first and stay."""

    def __init__(self, tree: exp.Expr, schema: Schema) -> None:
        self.tree = tree
        self.schema = schema
        self.met: dict[int, Meeting] = {}
        self.scopes = Scopes(tree, schema)
        self.insertion: Insertion | None = None

    def all(self) -> None:
        for case in self.tree.find_all(exp.Case):
            if isinstance(case.this, exp.Column):
                for branch in case.args["ifs"]:
                    self._meet(branch.this, self.scopes.column(case.this), COMPARED)
        self._comparisons(self.tree)
        if isinstance(self.tree, exp.Insert):
            self._insert(self.tree)
        elif isinstance(self.tree, exp.Update):
            for assignment in self.tree.expressions:
                self._assignment(assignment)

    def _comparisons(self, tree: exp.Expr) -> None:
        for node in tree.find_all(*_PAIRS):
            if isinstance(node.parent, (exp.Update, exp.Insert, exp.OnConflict)):
                continue
            role = LIKE if isinstance(node, exp.Like) else COMPARED
            self._compare(node.this, node.expression, role)
        for listing in tree.find_all(exp.In):
            for item in listing.expressions:
                self._compare(listing.this, item, LISTED)
        for between in tree.find_all(exp.Between):
            column = self.scopes.column(between.this)
            self._meet(between.args["low"], column, COMPARED)
            self._meet(between.args["high"], column, COMPARED)
        for call in tree.find_all(exp.Anonymous):
            if call.name.upper() == "FIELD" and call.expressions:  # ORDER BY FIELD(id, 3, 1, 2)
                for item in call.expressions[1:]:
                    self._meet(item, self.scopes.column(call.expressions[0]), LISTED)

    def _compare(self, left: exp.Expr, right: exp.Expr, role: str) -> None:
        """`column = value` in either order; `(a, b) = (1, 2)` pair by pair."""
        if isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple):
            for one, other in zip(left.expressions, right.expressions, strict=False):
                self._compare(one, other, role)
            return
        if not left.find(exp.Column) and right.find(exp.Column):
            left, right = right, left
        wrapped = None if isinstance(left, exp.Column) else _only_column(left)
        self._meet(right, self.scopes.column(wrapped or left), role, is_wrapped=wrapped is not None)

    def _assignment(self, node: exp.Expr, table: str = "") -> None:
        if isinstance(node, exp.EQ) and isinstance(node.this, exp.Column):
            column = self.schema.find(table, node.this.name) if table else None
            self._meet(node.expression, column or self.scopes.column(node.this), SET)

    def _insert(self, tree: exp.Insert) -> None:
        target = tree.this
        has_names = isinstance(target, exp.Schema)
        table = target.this.name if has_names else target.name
        known = self.schema.tables.get(table)
        names = [c.name for c in target.expressions] if has_names else []
        names = names or (list(known.columns) if known and not has_names else [])
        rows = _rows(tree)
        for number, row in enumerate(rows or _selected(tree)):
            if len(row) == len(names):  # else it has columns that the schema does not tell
                for name, value in zip(names, row, strict=True):
                    column = self.schema.find(table, name) or NOTHING
                    self._meet(value, column, INSERTED, number if rows else 0)
        conflict = tree.args.get("conflict")
        for assignment in conflict.find_all(exp.EQ) if conflict else ():
            self._assignment(assignment, table)
        numbered = known.auto_increment_column if known else ""
        is_given = numbered.lower() in (n.lower() for n in names)
        may_keep = bool(tree.args.get("ignore") or conflict) and not _tells_id(conflict)
        returns = tree.args.get("returning") is not None
        self.insertion = Insertion(
            table, len(rows), "" if is_given else numbered, may_keep, returns
        )

    def _meet(
        self,
        node: exp.Expr,
        column: tuple[str, str],
        role: str,
        row: int = 0,
        *,
        is_wrapped: bool = False,
    ) -> None:
        """Every literal below `node` meets `column`, unless it has met a nearer one. `is_wrapped`:
        the column stands within a function (`LOWER(email) = 'x'`)."""
        if not column[1]:
            return
        for literal, around in _literals_below(node):
            start = literal.meta.get("start")
            if start is not None and start not in self.met:
                is_spelled = bool(around) and not is_wrapped and all(map(_turns_to_bytes, around))
                is_deep = is_wrapped or bool(around)
                self.met[start] = Meeting(*column, role, row, is_deep, is_spelled)


def _only_column(node: exp.Expr) -> exp.Column | None:
    """The one column that a function is of; None for several, and for those of a sub-query."""
    found = list(node.find_all(exp.Column, exp.Subquery))
    only = found[0] if len(found) == 1 else None
    return only if isinstance(only, exp.Column) else None


def _rows(tree: exp.Insert) -> list[list[exp.Expr]]:
    if not isinstance(tree.expression, exp.Values):
        return []
    return [
        list(row.expressions) if isinstance(row, exp.Tuple) else [row]
        for row in tree.expression.expressions
    ]


def _selected(tree: exp.Insert) -> list[list[exp.Expr]]:
    """What INSERT … SELECT puts into the columns; of a UNION each part's."""
    source = tree.expression
    if isinstance(source, exp.SetOperation):
        selects = [s for s in source.find_all(exp.Select) if s.parent_select is None]
    else:
        selects = [source] if isinstance(source, exp.Select) else []
    return [[p.unalias() for p in s.expressions] for s in selects]


def _tells_id(conflict: exp.Expr | None) -> bool:
    """`ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(id)` tells the id of the row that was there."""
    calls = conflict.find_all(exp.Anonymous) if conflict else ()
    return any(c.name.upper() == "LAST_INSERT_ID" and c.expressions for c in calls)


def _literals_below(node: exp.Expr) -> Iterator[tuple[exp.Expr, list[exp.Expr]]]:
    """The literals under a node, and the functions and arithmetic that stand between."""
    plain = (exp.Literal, exp.HexString, exp.BitString, exp.National)
    wrapping = (exp.Func, exp.Binary, exp.Case)
    harmless = (exp.Cast, exp.Collate)  # TIMESTAMP '…', COLLATE
    for found in node.walk():
        if not isinstance(found, plain):
            continue
        parent: exp.Expr = found
        around: list[exp.Expr] = []
        while parent is not node and parent.parent is not None:
            parent = parent.parent
            if isinstance(parent, wrapping) and not isinstance(parent, harmless):
                around.append(parent)
        yield found, around


def _turns_to_bytes(node: exp.Expr) -> bool:
    """UNHEX, also of a UUID without its dashes, and UUID_TO_BIN that swaps nothing."""
    if isinstance(node, exp.Anonymous):
        return node.name.upper() == "UUID_TO_BIN" and len(node.expressions) == 1
    return isinstance(node, (exp.Unhex, exp.Replace))

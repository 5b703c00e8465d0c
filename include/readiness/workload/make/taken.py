"""Finds which numbers of a small shape the target's rows have taken, at a bounded cost.

Two look-ups in an index give the ends. Only where rows lie everywhere are values read, at most about
a million in 64 strips, and all that is kept of them is one bit each. All shards of a run read before
the load begins, and hence find the same.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from readiness.errors import StatementFailed, WorkloadError
from readiness.model.generator import parse_specification
from readiness.model.workload import Variable, VariableKind, Workload
from readiness.ports import Session
from readiness.workload.make.free import Free, Order
from readiness.workload.make.keys import UniqueColumn, unique_columns
from readiness.workload.make.lanes import lane_key, with_shared_lanes
from readiness.workload.make.shapes import Numbers, Octets, Shape, Texts, shape_of

_WINDOW = 1 << 20  # numbers that are looked at one by one
_STRIPS = 64
_SNOWFLAKE_EPOCH_MS = 1_288_834_974_657


@dataclass(frozen=True, slots=True)
class Found:
    """What the target says of the fresh variables: the columns that stand in unique keys, and what
    is free for those of few values, by `lane_key`."""

    unique: Mapping[str, UniqueColumn]
    free: Mapping[str, Free]


def read_taken(workload: Workload, session: Session) -> Found:
    """Asks the target. Raises WorkloadError where no value is free, or a table is missing."""
    fresh = [v for v in workload.variables if v.kind is VariableKind.FRESH]
    unique = unique_columns(session, {v.column for v in fresh})
    free: dict[str, Free] = {}
    shared = with_shared_lanes(workload, unique)
    for variable in shared.variables:
        column = unique.get(variable.column) if variable.kind is VariableKind.FRESH else None
        if column and lane_key(variable) not in free:
            found = _free_for(session, variable, column)
            if found:
                free[lane_key(variable)] = found
    return Found(unique, free)


def _free_for(session: Session, variable: Variable, column: UniqueColumn) -> Free | None:
    """None where the values are drawn, or stand in an order that an index does not have."""
    if not (column.leads or column.led_by):
        return None
    specification = parse_specification(variable.generator)
    if specification.name == "snowflake" and column.is_numeric and column.leads:
        epoch_ms = int(specification.argument or _SNOWFLAKE_EPOCH_MS)
        return _later(_Column.of(session, variable), epoch_ms)
    shape = _as_indexed(shape_of(specification), column)
    if shape is None:
        return None
    try:
        asked = _Column.of(session, variable)
        return asked.free(shape) if column.leads else asked.free_of_all(shape, column.led_by)
    except StatementFailed as error:
        raise WorkloadError(
            f"what {variable.column} holds cannot be read: {error.message}",
            hint="Is --target a clone of the database that the workload was captured on?",
        ) from error


def _as_indexed(shape: Shape | None, column: UniqueColumn) -> Shape | None:
    """The shape in the order of the column's index; None where it has another. Digits that are
    written in quotes are numbers where the column holds numbers."""
    if isinstance(shape, Texts) and column.is_numeric:
        return _digits(shape)
    if isinstance(shape, Numbers):
        return shape if column.is_numeric else None
    if isinstance(shape, Octets):
        return shape if column.is_binary else None
    return shape if column.is_text else None


def _digits(shape: Texts) -> Numbers | None:
    """`10` and any three digits are the numbers from 10000 on."""
    texts = (str(shape.spell(0)), str(shape.spell(shape.space - 1)))
    if not all(text.isdigit() for text in texts):
        return None
    first, last = map(int, texts)
    return Numbers(first, shape.space) if last - first + 1 == shape.space else None


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the target that an index begins with."""

    session: Session
    name: str
    sql: str
    table: str

    @classmethod
    def of(cls, session: Session, variable: Variable) -> _Column:
        table, _, column = variable.column.partition(".")
        return cls(session, f"@{variable.name}", _quoted(column), _quoted(table))

    def end(self, direction: str, low: object, high: object) -> object:
        """The smallest (ASC) or largest (DESC) value between two; None where there is none."""
        rows = self.session.query(
            f"SELECT {self.sql} FROM {self.table} WHERE {self.sql} BETWEEN %s AND %s"
            f" ORDER BY {self.sql} {direction} LIMIT 1",
            (low, high),
        )
        return rows[0][0] if rows else None

    def free(self, shape: Shape) -> Free:
        """The larger free end, where it is large; else what is free in the strips. An empty table is
        filled from below, so that the next stage can go on above."""
        low, high = shape.spell(0), shape.spell(shape.space - 1)
        first = self.end("ASC", low, high)
        if first is None:
            return Free(0, shape.space, Order.UP)
        below = max(shape.floor(first), 0)
        top = shape.floor(self.end("DESC", low, high)) + 1
        above = shape.space - top
        if max(below, above) < min(shape.space // 4, _WINDOW):
            return self._strips(shape)
        if above >= below:
            return Free(top, above, Order.UP)
        return Free(0, below, Order.DOWN)

    def free_of_all(self, shape: Shape, led_by: str) -> Free | None:
        """What is above all values, whatever stands in the column before: the index gives the ends
        of each group. None where less than a quarter is."""
        rows = self.session.query(
            f"SELECT MAX({self.sql}) FROM {self.table} GROUP BY {_quoted(led_by)}"
        )
        top = max((shape.floor(row[0]) for row in rows if row[0] is not None), default=-1) + 1
        above = shape.space - top
        return Free(top, above, Order.UP) if above >= shape.space // 4 else None

    def _strips(self, shape: Shape) -> Free:
        is_whole = shape.space <= _WINDOW
        strip = shape.space if is_whole else _WINDOW // _STRIPS
        every = shape.space if is_whole else shape.space // _STRIPS
        size = shape.space if is_whole else _WINDOW
        taken = bytearray(-(-size // 8))
        for bit in range(size, 8 * len(taken)):
            taken[bit // 8] |= 1 << bit % 8
        step = _WINDOW // _STRIPS
        for at in range(0, size, step):
            first = at // strip * every + at % strip
            self._mark(shape, first, min(step, size - at), taken, at)
        free = 8 * len(taken) - sum(map(int.bit_count, taken))
        if not free:
            raise WorkloadError(
                f"no value is free for {self.name}: the target holds all of its shape",
                hint="Write a wider pattern in its @gen line of the workload file.",
            )
        return Free(0, free, Order.STRIPS, strip, every, bytes(taken))

    def _mark(self, shape: Shape, first: int, count: int, taken: bytearray, at: int) -> None:
        """Sets the bits of one strip from bit `at` on; all of them where more rows stand in it than
        it has numbers."""
        rows = self.session.query(
            f"SELECT {self.sql} FROM {self.table} WHERE {self.sql} BETWEEN %s AND %s LIMIT %s",
            (shape.spell(first), shape.spell(first + count - 1), count + 1),
        )
        if len(rows) > count:
            bits = list(range(at, at + count))
        else:
            numbers = {shape.floor(row[0]) for row in rows}
            bits = [at + number - first for number in numbers if first <= number < first + count]
        for bit in bits:
            taken[bit // 8] |= 1 << bit % 8


def _later(column: _Column, epoch_ms: int) -> Free | None:
    """How many milliseconds ids must run ahead of the clock to stand above the target's."""
    largest = column.end("DESC", 0, (1 << 63) - 1)
    ahead = ((int(str(largest)) >> 22) + 1 if largest is not None else 0) - _now_ms() + epoch_ms
    return Free(ahead, 0) if ahead > 0 else None


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"

"""Draws the sampled rows of a checkout, as source: one look-up of a group, one search in its weights.

A row is drawn whole, as often as the target's skew says; rows of one family that must differ do.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from readiness.errors import WorkloadError
from readiness.model.workload import Form
from readiness.workload.make.code import Code
from readiness.workload.make.literal import literal_of
from readiness.workload.make.pools import Group, Pool, PoolRow

PICK_ENTROPY = 6  # bytes for one draw
TRIES = 50

Draw = tuple[tuple[PoolRow, ...], tuple[int, ...], int]
"""Rows, the running sum of their weights, and its end."""


class NoRows(Exception):
    """Two conditions meet in no row: the checkout's rows are drawn again."""


@dataclass(frozen=True, slots=True)
class Picked:
    """The locals that hold a drawn row's literals and raw values, one of each for a variable."""

    literals: tuple[str, ...]
    raws: tuple[str, ...]


class Literals(dict[PoolRow, tuple[bytes, ...]]):
    """The literals of rows, each written when it is first drawn."""

    def __init__(self, fields: Sequence[int], forms: Sequence[Form]) -> None:
        super().__init__()
        self._writers = [(at, literal_of(form)) for at, form in zip(fields, forms, strict=True)]

    def __missing__(self, row: PoolRow) -> tuple[bytes, ...]:
        made = self[row] = tuple(write(row[at]) for at, write in self._writers)
        return made


@dataclass(frozen=True, slots=True)
class Wanted:
    """One sample to draw: `fields` of the pool's rows and the forms they are written in, `parents`
    the locals with the raw values of the condition, `rivals` those with the rows that must differ."""

    pool: Pool
    fields: tuple[int, ...]
    forms: tuple[Form, ...]
    parents: tuple[str, ...]
    rivals: tuple[str, ...]


def pick(code: Code, wanted: Wanted, at: int) -> tuple[str, Picked]:
    """Adds the draw of one sample to the code, with the entropy `q` from byte `at` on.

    Returns the local of the row, and those of its fields."""
    fields, rivals = wanted.fields, wanted.rivals
    group = code.let(_group(code, wanted.pool.groups, wanted.parents))
    entropy = f"int.from_bytes(q[{at}:{at + PICK_ENTROPY}], 'big')"
    drawn = f"{entropy} % {group}[2]"
    place = code.let(f"{code.object(bisect_right)}({group}[1], {drawn})")
    row = code.let(f"{group}[0][{place}]")
    if rivals:
        row = code.let(f"{code.object(_other)}({group}[0], {place}, ({', '.join(rivals)},))")
    literals = code.let(f"{code.object(Literals(fields, wanted.forms))}[{row}]")
    return row, Picked(
        tuple(f"{literals}[{k}]" for k in range(len(fields))),
        tuple(f"{row}[{field}]" for field in fields),
    )


def _group(code: Code, groups: Mapping[tuple[bytes, ...], Group], parents: Sequence[str]) -> str:
    draws = {key: (g.rows, g.cumulative, g.cumulative[-1]) for key, g in groups.items()}
    if not parents:
        return code.object(draws[()])
    return f"{code.object(_found)}({code.object(draws)}, ({', '.join(parents)},))"


def _found(groups: Mapping[tuple[bytes, ...], Draw], key: tuple[bytes, ...]) -> Draw:
    found = groups.get(key)
    if found is None:
        raise NoRows
    return found


def _other(rows: Sequence[PoolRow], at: int, taken: Sequence[PoolRow]) -> PoolRow:
    """The row at a place, or the next that is not taken: a group has more than one checkout takes."""
    while rows[at] in taken:
        at = (at + 1) % len(rows)
    return rows[at]


def nothing_fits() -> WorkloadError:
    """What is raised when no rows fit each other."""
    return WorkloadError(
        f"in {TRIES} tries no rows were drawn that fit each other",
        hint="Two conditions of one @sample rarely hold together on this target.",
    )

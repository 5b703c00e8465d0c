"""Which AUTO_INCREMENT ids are no new ones after all, and what stays a guess about the others.

A server numbers upward, so all new ids of a flow rise and fall together over the captures. IGNORE
and ON DUPLICATE KEY UPDATE may keep a row that existed; INSERT … SELECT makes rows that nobody
counted; of several rows only some ids may be used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from readiness.workload.find.context import Context, Insertion
from readiness.workload.find.groups import Group, Use
from readiness.workload.schema import Schema

Inserts = Sequence[tuple[int, Insertion]]
"""The inserts into one table, each with the number of its statement."""


def without_kept_rows(
    ids: Sequence[Group], inserts: Inserts, others: Sequence[Group]
) -> list[Group]:
    """The ids that may be new. Where an insert may keep a row, those that do not rise and fall with
    the ids of `others`, which are new without doubt, are of rows that were there."""
    if not others or not any(insertion.may_keep for _, insertion in inserts):
        return list(ids)
    clock = max(others, key=lambda g: sum(v is not None for v in g.observed))
    return [g for g in ids if _rises_with(g, clock)]


def _rises_with(group: Group, clock: Group) -> bool:
    pairs = [
        (int(a), int(b))
        for a, b in zip(group.observed, clock.observed, strict=True)
        if a is not None and b is not None
    ]
    return sorted(pairs) == sorted(pairs, key=lambda p: p[1])


def release_strays(ids: Sequence[Group], inserts: Inserts) -> None:
    """Of an insert that made unknown many rows, ids that do not keep their distance to the highest
    one are not its own."""
    for at, insertion in inserts:
        bound = [g for g in ids if g.bound_by == at]
        highest = max(bound, key=_first_id, default=None)
        for group in bound if highest and not insertion.rows else ():
            if len(set(_distances(group, highest or group))) != 1:
                group.kind, group.bound_by, group.because = None, -1, ""


def doubts(ids: Sequence[Group], inserts: Inserts) -> list[str]:
    """What is a guess about the ids that were bound, by statement."""
    found: list[str] = []
    for at, insertion in inserts:
        bound = [g for g in ids if g.bound_by == at]
        if bound:
            found += [f"s{at + 1:03d}: {text}" for text in _doubts(bound, insertion)]
    return found


def _doubts(bound: Sequence[Group], insertion: Insertion) -> Iterator[str]:
    table, rows, used = insertion.table, insertion.rows, len(bound)
    step = max(g.offset for g in bound) // max(rows - 1, 1)
    if not rows:
        yield (
            f"how many rows INSERT … SELECT puts into {table} depends on the data; {used} of their "
            "ids are used, counted from the first"
        )
    elif used < rows:
        yield f"{used} of the ids of {rows} rows inserted into {table} are used, as the first ones"
    elif step > 1:
        yield (
            f"the ids of one insert into {table} lie {step} apart: the target must number with "
            f"auto_increment_increment = {step} too"
        )
    if insertion.may_keep:
        yield (
            f"IGNORE or ON DUPLICATE KEY UPDATE may keep a row of {table}, whose id the server does "
            "not tell; the id is bound as that of a new row"
        )
    if insertion.returns:
        yield (
            f"INSERT … RETURNING tells the ids of {table} in rows, which the load engine does not "
            "read; capture with RETURNING switched off in the application's database layer"
        )


def equal_ids(uses: Sequence[Use], contexts: Sequence[Context], schema: Schema) -> list[str]:
    """Warnings for ids that all captures share although the flow inserted the row: a database that
    was put back between captures numbers alike. `uses` are the places that do not differ."""
    first = _first_inserts(contexts)
    found: dict[str, list[int]] = {}
    for use in uses:
        table, column = schema.root(*use.column) if use.is_plain else ("", "")
        at = use.place.statement
        if schema.is_auto_increment(table, column) and first.get(table, at) < at:
            found.setdefault(table, []).append(at)
    return [
        f"ids of {table} are equal in all captures although the flow inserts into it ({len(places)} "
        f"places, the first in s{places[0] + 1:03d}): they stay as they are. If the database was put "
        "back between captures, salt the AUTO_INCREMENT ranges before the next one"
        for table, places in found.items()
    ]


def _first_inserts(contexts: Sequence[Context]) -> Mapping[str, int]:
    first: dict[str, int] = {}
    for at, context in enumerate(contexts):
        if context.insertion and context.insertion.numbered:
            first.setdefault(context.insertion.table, at)
    return first


def _first_id(group: Group) -> int:
    return int(next(v for v in group.values if v is not None))


def _distances(group: Group, other: Group) -> Iterator[int]:
    for value, its in zip(group.observed, other.observed, strict=True):
        if value is not None and its is not None:
            yield int(value) - int(its)

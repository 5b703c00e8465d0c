"""Before any change: whether masked values would meet where a unique index holds them apart.

Hashes may meet where values are short. The server is asked, set-based and by the very expressions of the
masking; where values meet, the key of their domain is changed and it is asked again. Values that are
one-to-one cannot meet among themselves, but may with neighbours of another shape, so they are asked too.
Long values that identify shall not become another original either: that is tried a few times, and left
to chance where a space is so full that it must happen (a million telephone numbers of ten digits).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from readiness.errors import MaskingError
from readiness.masking.data_types import TEXTS
from readiness.masking.names import quoted
from readiness.masking.sql import expressions_of
from readiness.masking.sql.elements import with_elements
from readiness.model.catalogue import Catalogue, ColumnFacts, IndexFacts, TableFacts
from readiness.model.masking import Look, MaskedColumn, MaskPlan
from readiness.ports import Session

MOST_TRIES = 16
_TRIES_FOR_ORIGINALS = 4
_IDENTIFYING = frozenset({Look.EMAIL, Look.PHONE, Look.DIGITS, Look.TOKEN, Look.HEX, Look.UUID})
_LONG = 8  # characters from which a meeting is no ordinary chance
_PLACE = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class _Question:
    """A query that gives a row where values meet, the domains whose keys may mend it, and the columns."""

    sql: str
    domains: frozenset[str]
    columns: tuple[str, ...]


def settle(session: Session, catalogue: Catalogue, plan: MaskPlan) -> MaskPlan:
    """The plan with the attempts under which no unique index is broken, and with the elements of arrays
    that JSON paths need. Changes nothing; @readiness_key must be set.

    Raises MaskingError naming the columns whose values are too short to stay unique."""
    ready = with_elements(session, catalogue, plan)
    ready = _tried(session, catalogue, ready, unique=True)
    other = _tried(session, catalogue, ready, unique=False)
    if other == ready:
        return ready
    return other if _broken(session, catalogue, other) == [] else ready


def _broken(session: Session, catalogue: Catalogue, plan: MaskPlan) -> list[_Question]:
    return [q for q in _of_indexes(catalogue, plan) if session.query(q.sql)]


def _tried(session: Session, catalogue: Catalogue, plan: MaskPlan, *, unique: bool) -> MaskPlan:
    asked: frozenset[str] | None = None
    met: list[_Question] = []
    for _ in range(MOST_TRIES if unique else _TRIES_FOR_ORIGINALS):
        every = _of_indexes(catalogue, plan) if unique else _of_originals(catalogue, plan)
        questions = [q for q in every if asked is None or q.domains & asked]
        met = [q for q in questions if session.query(q.sql)]
        if not met:
            return plan
        asked = frozenset(d for q in met for d in q.domains)
        attempts = {**(plan.attempts or {})}
        plan = replace(plan, attempts={**attempts, **{d: attempts.get(d, 0) + 1 for d in asked}})
    if unique:
        _refuse(met)
    return plan


def _refuse(met: list[_Question]) -> None:
    columns = sorted({c for q in met for c in q.columns})
    raise MaskingError(
        f"{', '.join(columns)}: the values are too short to stay unique ({MOST_TRIES} keys were tried)."
        " Nothing was changed.",
        hint="Keep one of the columns in the policy, and run it again with that policy:\n"
        f'  {columns[0]}: {{treat: keep, reason: "…"}}',
    )


def _of_indexes(catalogue: Catalogue, plan: MaskPlan) -> Iterator[_Question]:
    for title in plan.tables:
        table = catalogue.tables[title]
        columns = {c.column: c for c in plan.of(title)}
        expressions = expressions_of(tuple(columns.values()), table, plan.attempts or {})
        for index in table.indexes:
            held = [columns[c] for c in index.columns if c in columns]
            if index.is_unique and held and not _is_held_by_others(index, table, columns):
                yield _question(catalogue.database, table, index, held, columns, expressions)


def _is_held_by_others(
    index: IndexFacts, table: TableFacts, masked: Mapping[str, MaskedColumn]
) -> bool:
    """Whether columns that are not masked keep the rows apart already."""
    plain = {c for c in index.columns if c not in masked}
    return any(
        set(other.columns) <= plain and all(not length for _, length in other.parts)
        for other in table.indexes
        if other.is_unique and not any(table.columns[c].is_nullable for c in other.columns if c)
    )


def _question(
    database: str,
    table: TableFacts,
    index: IndexFacts,
    held: list[MaskedColumn],
    columns: Mapping[str, MaskedColumn],
    expressions: Mapping[str, str],
) -> _Question:
    parts = [(c, length) for c, length in index.parts if c]
    keys = [
        _key(table.columns[c], expressions.get(c, quoted(c)), length) + f" AS k{n}"
        for n, (c, length) in enumerate(parts)
    ]
    there = " AND ".join(f"{quoted(c)} IS NOT NULL" for c, _ in parts)
    listed = ", ".join(f"k{n}" for n in range(len(parts)))
    inner = f"SELECT {', '.join(keys)} FROM {quoted(database, table.name)} WHERE {there}"
    sql = f"SELECT 1 FROM ({inner}) AS masked GROUP BY {listed} HAVING COUNT(*) > 1 LIMIT 1"
    domains = frozenset(d for c in held for d in _domains(c, columns))
    return _Question(sql, domains, tuple(c.id for c in held))


def _domains(column: MaskedColumn, columns: Mapping[str, MaskedColumn]) -> Iterator[str]:
    """The domains of a column; of a derived one those that it is made from."""
    if column.look is not None:
        yield column.domain
    for other in _PLACE.findall(column.derived):
        if other in columns and other != column.column:
            yield from _domains(columns[other], columns)


def _key(facts: ColumnFacts, sql: str, length: int = 0) -> str:
    """A value as the index compares it."""
    made = f"LEFT({sql}, {length})" if length else sql
    return collated_as(facts, made)


def collated_as(facts: ColumnFacts, sql: str) -> str:
    """A value in the character set and collation of a column."""
    if facts.data_type not in TEXTS or not facts.charset:
        return sql
    return f"CONVERT({sql} USING {facts.charset}) COLLATE {facts.collation}"


def _of_originals(catalogue: Catalogue, plan: MaskPlan) -> Iterator[_Question]:
    """For each identifying column: whether one of its masked values is an original of its domain."""
    asked = [c for c in plan.columns if c.look in _IDENTIFYING and _is_text(catalogue, c)]
    for column in asked:
        table = catalogue.tables[column.table]
        made = expressions_of(plan.of(column.table), table, plan.attempts or {})[column.column]
        peers = [c for c in asked if c.domain == column.domain]
        among = " OR ".join(_is_among(catalogue, made, peer) for peer in peers)
        source = quoted(catalogue.database, column.table)
        sql = (
            f"SELECT 1 FROM {source} WHERE CHAR_LENGTH({quoted(column.column)}) >= {_LONG}"
            f" AND ({among}) LIMIT 1"
        )
        yield _Question(sql, frozenset({column.domain}), (column.id,))


def _is_text(catalogue: Catalogue, column: MaskedColumn) -> bool:
    return catalogue.tables[column.table].columns[column.column].data_type in TEXTS


def _is_among(catalogue: Catalogue, made: str, peer: MaskedColumn) -> str:
    facts = catalogue.tables[peer.table].columns[peer.column]
    source = quoted(catalogue.database, peer.table)
    return f"{collated_as(facts, made)} IN (SELECT {quoted(peer.column)} FROM {source})"

"""Columns that are masked as others are: tied by foreign keys, repeating their row, holding their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from readiness.config.policy import Rule
from readiness.masking.plan.decision import Decision, fits, type_look
from readiness.masking.plan.derived import derivation_of
from readiness.masking.plan.references import Column
from readiness.masking.plan.sampling import Sample
from readiness.masking.plan.shared import Held, shared
from readiness.model.catalogue import ColumnFacts, TableFacts
from readiness.model.masking import JsonPath, Look, Source

_SOURCES = {  # looks of columns that others repeat
    Look.EMAIL, Look.PHONE, Look.DIGITS, Look.NAME, Look.TEXT, Look.TOKEN, Look.UUID, Look.HEX,
}  # fmt: skip
_SAME_ROWS, _SAME_VALUES = 20, 8


@dataclass(slots=True, repr=False)
class Planned:
    """A table while it is planned: decisions by column; what policy or rows say beyond a look."""

    facts: TableFacts
    rows: Sequence[Sample]
    decisions: dict[str, Decision] = field(default_factory=dict)
    derived: dict[str, str] = field(default_factory=dict)
    paths: dict[str, tuple[JsonPath, ...]] = field(default_factory=dict)

    def values(self, column: str) -> list[bytes | None]:
        """What the sample has of a column."""
        return [row[column] for row in self.rows if column in row]


def tie(
    tables: Mapping[str, Planned],
    groups: Mapping[Column, Sequence[Column]],
    rules: Mapping[Column, Rule],
) -> None:
    """What a foreign key ties together is masked alike, or not at all."""
    for group in dict.fromkeys(map(tuple, groups.values())):
        members = [(t, c) for t, c in group if t in tables and c in tables[t].decisions]
        leader = _leader(tables, members, rules)
        if leader is None:
            continue
        table, column = leader
        decision, sql = tables[table].decisions[column], tables[table].derived.get(column, "")
        for other, name in members:
            if (other, name) != leader:
                _follow(tables[other], name, decision, f"{table}.{column}", has_sql=bool(sql))


def _leader(
    tables: Mapping[str, Planned], members: Sequence[Column], rules: Mapping[Column, Rule]
) -> Column | None:
    """The column whose decision the others take: one with a rule; none where the root counts rows or
    the server computes it; else the first, from the root on, that is masked by its rows, by its name."""
    ruled = [m for m in members if m in rules]
    if ruled:
        return ruled[0]
    roots = [tables[t].facts.columns[c] for t, c in members]
    if any(c.is_auto_increment or c.generated for c in roots):
        return next((m for m in members if _facts(tables, m).is_auto_increment), None) or members[0]
    for source in (Source.CONTENT, Source.NAME, Source.TYPE):
        for table, column in members:
            decision = tables[table].decisions[column]
            if decision.is_masked and decision.source is source:
                return table, column
    return None


def _facts(tables: Mapping[str, Planned], column: Column) -> ColumnFacts:
    return tables[column[0]].facts.columns[column[1]]


def _follow(table: Planned, column: str, leader: Decision, of: str, *, has_sql: bool) -> None:
    table.derived.pop(column, None)
    if not leader.is_masked or has_sql:
        why = f"a foreign key ties it to {of}, which is kept"
        table.decisions[column] = Decision(None, Source.REFERENCE, why)
        return
    look = leader.look
    if look is None or not fits(look, table.facts.columns[column]):
        look = type_look(table.facts.columns[column])
    why = f"a foreign key ties it to {of}"
    table.decisions[column] = Decision(look, Source.REFERENCE, why, leader.domain)


def repeat(
    table: Planned,
    rules: Mapping[Column, Rule],
    groups: Mapping[Column, Sequence[Column]],
) -> None:
    """Columns that repeat masked ones of their row become what these become."""
    name = table.facts.name
    for target, facts in table.facts.columns.items():
        free = (name, target) not in rules and (name, target) not in groups
        if not free or facts.is_json or facts.generated or type_look(facts) not in _REPEATING:
            continue
        sources = [s for s in table.facts.columns if s != target and _is_source(table, s)]
        if same := next((s for s in sources if _are_same(table, target, s)), ""):
            _take(table, target, same)
            continue
        sql, says = derivation_of(table.facts, target, sources, table.rows)
        if sql:
            table.derived[target] = sql
            table.decisions[target] = Decision(Look.TEXT, Source.DERIVED, f"it is {says}", "")


_REPEATING = {Look.TEXT, Look.BYTES}


def _is_source(table: Planned, column: str) -> bool:
    decision = table.decisions[column]
    return decision.look in _SOURCES and column not in table.derived


def _are_same(table: Planned, one: str, other: str) -> bool:
    pairs = {
        (row.get(one), row.get(other)) for row in table.rows if row.get(one) and row.get(other)
    }
    count = sum(1 for row in table.rows if row.get(one) and row.get(other))
    is_telling = count >= _SAME_ROWS and len(pairs) >= _SAME_VALUES
    return is_telling and all(a == b for a, b in pairs)


def _take(table: Planned, target: str, source: str) -> None:
    found, own = table.decisions[source], table.decisions[target]
    if (own.look, own.domain) == (found.look, found.domain):
        return
    if found.look is not None and fits(found.look, table.facts.columns[target]):
        why = f"it is {source} again"
        table.decisions[target] = Decision(found.look, Source.DERIVED, why, found.domain)


def share(
    tables: Mapping[str, Planned],
    rules: Mapping[Column, Rule],
    groups: Mapping[Column, Sequence[Column]],
) -> None:
    """Kept columns that hold values of masked ones become what these become."""
    for (table, column), (other, source) in shared(_held(tables, rules, groups)).items():
        found, facts = tables[other].decisions[source], tables[table].facts.columns[column]
        if found.look is not None and fits(found.look, facts):
            why = f"it holds values of {other}.{source}"
            decision = Decision(found.look, Source.CONTENT, why, found.domain)
            tables[table].decisions[column] = decision


def _held(
    tables: Mapping[str, Planned],
    rules: Mapping[Column, Rule],
    groups: Mapping[Column, Sequence[Column]],
) -> Iterator[Held]:
    for name, table in tables.items():
        for column, facts in table.facts.columns.items():
            decision, at = table.decisions[column], (name, column)
            is_open = (
                not facts.is_json and type_look(facts) is Look.TEXT and column not in table.derived
            )
            is_free = at not in rules and at not in groups and not facts.generated
            if is_open and (decision.is_masked or is_free):
                values = frozenset(v for v in table.values(column) if v)
                yield Held(at, decision.look, values)

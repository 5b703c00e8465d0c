"""What is masked in a database, and how: the policy first, then references, rows, names and types.

Works on the catalogue and on sampled rows; asks the server nothing and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from readiness.config.policy import Rule, Treatment
from readiness.masking.classify import decide, forced
from readiness.masking.coarse import emptied, generalized
from readiness.masking.decision import (
    Decision,
    fits,
    place_of,
    type_look,
)
from readiness.masking.derived import derivation_of
from readiness.masking.documents import all_texts_of, decide_document
from readiness.masking.limits import notes_of, refuse_unmaskable
from readiness.masking.looks import Looks
from readiness.masking.references import Column, groups_of
from readiness.masking.sampling import Sample
from readiness.masking.shared import Held, shared
from readiness.model.catalogue import Catalogue, ColumnFacts, TableFacts
from readiness.model.masking import JsonPath, Look, MaskedColumn, MaskPlan, Source

__all__ = ["Looks", "MaskRule", "plan_masking"]

MaskRule = Rule
Samples = Callable[[str], Sequence[Sample]]

_SOURCES = {  # looks of columns that others repeat
    Look.EMAIL, Look.PHONE, Look.DIGITS, Look.NAME, Look.TEXT, Look.TOKEN, Look.UUID, Look.HEX,
}  # fmt: skip
_SAME_ROWS, _SAME_VALUES = 20, 8
_FOLDED = {Look.EMAIL, Look.DOMAIN, Look.NAME, Look.TEXT, Look.TOKEN, Look.HEX, Look.UUID, Look.IP}


@dataclass(slots=True, repr=False)
class _Table:
    """A table while it is planned: decisions by column; what policy or rows say beyond a look."""

    facts: TableFacts
    rows: Sequence[Sample]
    decisions: dict[str, Decision] = field(default_factory=dict)
    derived: dict[str, str] = field(default_factory=dict)
    paths: dict[str, tuple[JsonPath, ...]] = field(default_factory=dict)

    def values(self, column: str) -> list[bytes | None]:
        """What the sample has of a column."""
        return [row[column] for row in self.rows if column in row]


def plan_masking(
    catalogue: Catalogue,
    rules: Mapping[tuple[str, str], MaskRule],
    looks: Looks,
    samples: Samples,
) -> MaskPlan:
    """The plan for one database. `samples` gives rows of a table to look at.

    Raises MaskingError where something personal stands in a table or type that cannot be masked."""
    tables = {n: _Table(facts, samples(n)) for n, facts in catalogue.tables.items()}
    groups = groups_of(catalogue)
    for table in tables.values():
        _decide_table(table, rules, looks, groups)
    _tie(tables, groups, rules)
    for table in tables.values():
        _repeat(table, rules, groups)
    _share(tables, rules, groups)
    masked = tuple(c for t in tables.values() for c in _masked(t))
    masked = _folded(masked, catalogue)
    refuse_unmaskable(catalogue, masked, rules)
    kept = tuple(c for t in tables.values() for c in _kept(t))
    return MaskPlan(catalogue.database, "", masked, kept, None, notes_of(catalogue, masked))


def _decide_table(
    table: _Table,
    rules: Mapping[Column, MaskRule],
    looks: Looks,
    groups: Mapping[Column, Sequence[Column]],
) -> None:
    for column in table.facts.columns.values():
        at = table.facts.name, column.name
        values = table.values(column.name)
        if column.is_json:
            _decide_json(table, column, rules.get(at), looks)
            continue
        place = place_of(table.facts, column, values, looks, is_tied=at in groups)
        rule = rules.get(at)
        table.decisions[column.name] = decide(place)
        if rule is not None:
            table.decisions[column.name] = _ruled(table, column, rule, forced(place))


def _decide_json(table: _Table, column: ColumnFacts, rule: MaskRule | None, looks: Looks) -> None:
    values = table.values(column.name)
    decision, documents = decide_document(table.facts, values, looks)
    if rule is not None:
        documents = all_texts_of(table.facts, values, looks)
        decision = Decision(Look.JSON, Source.POLICY, decision.why, Look.JSON)
    table.paths[column.name] = documents.paths
    if decision.is_masked and not documents.paths:
        table.derived[column.name] = emptied(column)
    if rule is not None:
        decision = _ruled(table, column, rule, decision)
    table.decisions[column.name] = decision


def _ruled(table: _Table, column: ColumnFacts, rule: MaskRule, base: Decision) -> Decision:
    """What a policy's line makes of a column; `base` is how it is masked without a look of its own."""
    why = f"the policy says {rule.treat}" + (f": {rule.reason}" if rule.reason else "")
    if rule.treat is Treatment.KEEP:
        return Decision(None, Source.POLICY, why, is_asked_about=True)
    if rule.json:
        paths = tuple(JsonPath(path, look) for path, look in sorted(rule.json.items()))
        table.paths[column.name] = paths
        table.derived.pop(column.name, None)
    elif sql := rule.derive or _lessened(column, rule.treat):
        table.derived[column.name] = sql
        table.paths.pop(column.name, None)
    look = rule.look or base.look
    return Decision(look, Source.POLICY, why, base.domain if look is base.look else str(look))


def _lessened(column: ColumnFacts, treat: Treatment) -> str:
    if treat is Treatment.EMPTY:
        return emptied(column)
    return generalized(column) if treat is Treatment.GENERALIZE else ""


def _tie(
    tables: Mapping[str, _Table],
    groups: Mapping[Column, Sequence[Column]],
    rules: Mapping[Column, MaskRule],
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
    tables: Mapping[str, _Table], members: Sequence[Column], rules: Mapping[Column, MaskRule]
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


def _facts(tables: Mapping[str, _Table], column: Column) -> ColumnFacts:
    return tables[column[0]].facts.columns[column[1]]


def _follow(table: _Table, column: str, leader: Decision, of: str, *, has_sql: bool) -> None:
    table.derived.pop(column, None)
    if not leader.is_masked or has_sql:
        why = f"a foreign key ties it to {of}, which is kept"
        table.decisions[column] = Decision(None, Source.REFERENCE, why, is_asked_about=True)
        return
    look = leader.look
    if look is None or not fits(look, table.facts.columns[column]):
        look = type_look(table.facts.columns[column])
    why = f"a foreign key ties it to {of}"
    table.decisions[column] = Decision(look, Source.REFERENCE, why, leader.domain)


def _repeat(
    table: _Table,
    rules: Mapping[Column, MaskRule],
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


def _is_source(table: _Table, column: str) -> bool:
    decision = table.decisions[column]
    return decision.look in _SOURCES and column not in table.derived


def _are_same(table: _Table, one: str, other: str) -> bool:
    pairs = {
        (row.get(one), row.get(other)) for row in table.rows if row.get(one) and row.get(other)
    }
    count = sum(1 for row in table.rows if row.get(one) and row.get(other))
    is_telling = count >= _SAME_ROWS and len(pairs) >= _SAME_VALUES
    return is_telling and all(a == b for a, b in pairs)


def _take(table: _Table, target: str, source: str) -> None:
    found, own = table.decisions[source], table.decisions[target]
    if (own.look, own.domain) == (found.look, found.domain):
        return
    if found.look is not None and fits(found.look, table.facts.columns[target]):
        why = f"it is {source} again"
        table.decisions[target] = Decision(found.look, Source.DERIVED, why, found.domain)


def _share(
    tables: Mapping[str, _Table],
    rules: Mapping[Column, MaskRule],
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
    tables: Mapping[str, _Table],
    rules: Mapping[Column, MaskRule],
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


def _masked(table: _Table) -> Iterator[MaskedColumn]:
    name = table.facts.name
    for column, decided in table.decisions.items():
        if not decided.is_masked:
            continue
        sql = table.derived.get(column, "")
        decision = _told_apart(table.facts, column, decided)
        yield MaskedColumn(
            table=name,
            column=column,
            look=None if sql else decision.look,
            domain="" if sql else decision.domain or str(decision.look),
            source=decision.source,
            why=decision.why,
            derived=sql,
            paths=() if sql else table.paths.get(column, ()),
            is_unique=table.facts.is_unique(column),
        )


def _told_apart(table: TableFacts, column: str, decision: Decision) -> Decision:
    """In an index, texts have to stay as different as they were."""
    is_said = decision.source is Source.POLICY
    if decision.look is not Look.BLANK or is_said or not table.is_indexed(column):
        return decision
    return replace(decision, look=Look.TEXT, domain=Look.TEXT)


def _kept(table: _Table) -> Iterator[MaskedColumn]:
    """Those of which somebody might ask why."""
    for column, decision in table.decisions.items():
        if not decision.is_masked and decision.is_asked_about:
            name = table.facts.name
            yield MaskedColumn(name, column, None, "", decision.source, decision.why)


def _folded(columns: Sequence[MaskedColumn], catalogue: Catalogue) -> tuple[MaskedColumn, ...]:
    """A domain ignores case where the collations of all its columns do."""
    exact = {
        c.domain
        for c in columns
        if c.look and catalogue.tables[c.table].columns[c.column].is_case_sensitive
    }
    return tuple(replace(c, is_folded=c.look in _FOLDED and c.domain not in exact) for c in columns)

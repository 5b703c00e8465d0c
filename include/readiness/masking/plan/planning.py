"""What is masked in a database, and how: the policy first, then references, rows, names and types.

Works on the catalogue and on sampled rows; asks the server nothing and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from readiness.config.policy import Rule, Treatment
from readiness.masking.plan.alike import Planned, repeat, share, tie
from readiness.masking.plan.classify import decide, forced
from readiness.masking.plan.coarse import emptied, generalized
from readiness.masking.plan.decision import (
    Decision,
    place_of,
)
from readiness.masking.plan.documents import all_texts_of, decide_document
from readiness.masking.plan.limits import notes_of, refuse_unmaskable
from readiness.masking.plan.looks import Looks
from readiness.masking.plan.references import Column, groups_of
from readiness.masking.plan.sampling import Sample
from readiness.model.catalogue import Catalogue, ColumnFacts, TableFacts
from readiness.model.masking import JsonPath, Look, MaskedColumn, MaskPlan, Source

__all__ = ["Looks", "MaskRule", "plan_masking"]

MaskRule = Rule
Samples = Callable[[str], Sequence[Sample]]

_FOLDED = {Look.EMAIL, Look.DOMAIN, Look.NAME, Look.TEXT, Look.TOKEN, Look.HEX, Look.UUID, Look.IP}


def plan_masking(
    catalogue: Catalogue,
    rules: Mapping[tuple[str, str], MaskRule],
    looks: Looks,
    samples: Samples,
) -> MaskPlan:
    """The plan for one database. `samples` gives rows of a table to look at.

    Raises MaskingError where something personal stands in a table or type that cannot be masked."""
    tables = {n: Planned(facts, samples(n)) for n, facts in catalogue.tables.items()}
    groups = groups_of(catalogue)
    for table in tables.values():
        _decide_table(table, rules, looks, groups)
    tie(tables, groups, rules)
    for table in tables.values():
        repeat(table, rules, groups)
    share(tables, rules, groups)
    masked = tuple(c for t in tables.values() for c in _masked(t))
    masked = _folded(masked, catalogue)
    refuse_unmaskable(catalogue, masked, rules)
    kept = tuple(c for t in tables.values() for c in _kept(t))
    return MaskPlan(catalogue.database, "", masked, kept, None, notes_of(catalogue, masked))


def _decide_table(
    table: Planned,
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


def _decide_json(table: Planned, column: ColumnFacts, rule: MaskRule | None, looks: Looks) -> None:
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


def _ruled(table: Planned, column: ColumnFacts, rule: MaskRule, base: Decision) -> Decision:
    """What a policy's line makes of a column; `base` is how it is masked without a look of its own."""
    why = f"the policy says {rule.treat}" + (f": {rule.reason}" if rule.reason else "")
    if rule.treat is Treatment.KEEP:
        return Decision(None, Source.POLICY, why)
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


def _masked(table: Planned) -> Iterator[MaskedColumn]:
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


def _kept(table: Planned) -> Iterator[MaskedColumn]:
    """All others: whoever reads the plan has to see what stays."""
    for column, decision in table.decisions.items():
        if not decision.is_masked:
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

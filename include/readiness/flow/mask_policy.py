"""A policy against the databases that are masked: whether each column is there and bears what is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from readiness.config.derive_form import derive_columns
from readiness.config.mistakes import in_order
from readiness.config.nearest import did_you_mean
from readiness.config.policy import WHAT, PolicyFile, Rule, Treatment, load_policy
from readiness.errors import Mistake
from readiness.masking.data_types import MOMENTS, NUMBERS
from readiness.masking.plan.coarse import emptied, generalized
from readiness.masking.plan.decision import fits
from readiness.masking.plan.references import Column, groups_of
from readiness.model.catalogue import Catalogue, ColumnFacts
from readiness.model.masking import Look

_NAMED = 12  # hexadecimal digits of the hash that name a policy
_ORDERED = {Look.DATE, Look.MOMENT, Look.NUMBER}
_ORDERED_TYPES = {"date"} | MOMENTS | NUMBERS


@dataclass(frozen=True, slots=True)
class MaskPolicy:
    """A policy in force; `title` is `default 3f2a9c11d0ab`. `rules` by database have table and column
    as the server spells them."""

    title: str
    sha256: str
    rules: Mapping[str, Mapping[Column, Rule]]

    def of(self, database: str) -> Mapping[Column, Rule]:
        """The rules of one database."""
        return self.rules.get(database, {})


def mask_rules(path: Path, catalogues: Sequence[Catalogue]) -> MaskPolicy:
    """The policy of a file for all databases of a clone; a line counts in each that has its column.

    Raises ConfigError when it cannot be read, ConfigMistakes with the line of all that is wrong."""
    file = load_policy(path)
    placed = {c.database: _Placed(file, c) for c in catalogues}
    mistakes = [m for p in placed.values() for m in p.mistakes()]
    known = {name for p in placed.values() for name in p.names}
    mistakes += [file.at(n, _unknown(n, catalogues)) for n in file.rules if n not in known]
    if mistakes:
        raise in_order(WHAT, mistakes, ["Write table.column as the database has it."])
    title = f"{_name(file)} {file.file.sha256[:_NAMED]}"
    return MaskPolicy(title, file.file.sha256, {d: p.rules for d, p in placed.items()})


class _Placed:
    """The lines of a policy that a database has columns for."""

    def __init__(self, file: PolicyFile, catalogue: Catalogue) -> None:
        self._file = file
        self._catalogue = catalogue
        self._groups = groups_of(catalogue)
        found = ((name, _find(name, catalogue)) for name in file.rules)
        self.names: dict[str, Column] = {name: at for name, at in found if at is not None}
        self.rules: dict[Column, Rule] = {at: file.rules[n] for n, at in self.names.items()}

    def mistakes(self) -> Iterator[Mistake]:
        """All that cannot be, at its line."""
        seen: set[Column] = set()
        for name, at in self.names.items():
            if at in seen:
                yield self._file.at(name, "this column is given twice, in another spelling")
            seen.add(at)
            yield from (self._file.at(name, told) for told in self._faults(at, self.rules[at]))

    def _faults(self, at: Column, rule: Rule) -> Iterator[str]:
        facts = self._catalogue.tables[at[0]].columns[at[1]]
        if facts.generated and rule.treat is not Treatment.KEEP:
            yield "the server computes it from other columns: give the rule to these"
            return
        yield from _look_faults(facts, rule)
        yield from _lessening_faults(facts, rule)
        yield from self._unique_faults(at, rule)
        yield from self._tie_faults(at, rule)
        yield from self._derive_faults(at, rule)
        yield from self._namesake_faults(at, rule)

    def _unique_faults(self, at: Column, rule: Rule) -> Iterator[str]:
        table = self._catalogue.tables[at[0]]
        alone = any(i.is_unique and i.columns == (at[1],) for i in table.indexes)
        if alone and rule.treat in (Treatment.EMPTY, Treatment.GENERALIZE):
            yield f"it is unique, and {rule.treat} gives rows the same value: use pseudonym"
        if alone and rule.look is Look.BLANK:
            yield "it is unique, and blank gives rows the same value: use text or token"

    def _tie_faults(self, at: Column, rule: Rule) -> Iterator[str]:
        """Said once, at the later of two lines that differ, or where the rest would not follow."""
        group = self._groups.get(at, ())
        if group and (rule.treat in (Treatment.EMPTY, Treatment.GENERALIZE) or rule.derive):
            others = ", ".join(".".join(c) for c in group if c != at)
            yield f"a foreign key ties it to {others}: it can be kept or have a look"
        ruled = [c for c in self.rules if c in group]
        first = ruled[0] if ruled else at
        if first != at and _differ(self.rules[first], rule):
            yield f"a foreign key ties it to {'.'.join(first)}, of which another line says otherwise"
        counted = [c for c in group if self._facts(c).is_auto_increment]
        if rule.treat is Treatment.PSEUDONYM and (counted or self._facts(at).is_auto_increment):
            yield "it counts rows, or refers to what does, and says nothing: leave the line out"

    def _facts(self, at: Column) -> ColumnFacts:
        return self._catalogue.tables[at[0]].columns[at[1]]

    def _derive_faults(self, at: Column, rule: Rule) -> Iterator[str]:
        columns = self._catalogue.tables[at[0]].columns
        for name in derive_columns(rule.derive):
            if name not in columns:
                yield f"derive names {name}, and {at[0]} has no such column.{did_you_mean(name, columns)}"
        if at[1] in self._reached(at):
            yield "derive goes in a circle: the column is made from itself"

    def _reached(self, at: Column) -> set[str]:
        """The columns from which a column is made, by any number of lines."""
        reached: set[str] = set()
        open_ends = [at[1]]
        while open_ends:
            rule = self.rules.get((at[0], open_ends.pop()))
            new = set(derive_columns(rule.derive)) - reached if rule else set()
            reached |= new
            open_ends += new
        return reached

    def _namesake_faults(self, at: Column, rule: Rule) -> Iterator[str]:
        """A masked key to which other tables refer by name alone would no longer meet them."""
        table = self._catalogue.tables[at[0]]
        if table.primary_key != (at[1],) or rule.treat is not Treatment.PSEUDONYM:
            return
        group, kind = self._groups.get(at, ()), table.columns[at[1]].data_type
        names = {f"{stem}_{at[1]}".lower() for stem in (at[0], at[0].removesuffix("s"))}
        for other in self._catalogue.tables.values():
            for name, facts in other.columns.items():
                there = other.name, name
                is_named = name.lower() in names and facts.data_type == kind
                if is_named and there not in group and there not in self.rules:
                    yield (
                        f"{other.name}.{name} refers to it without a foreign key, and would meet it no"
                        " more: give it the same line"
                    )


def _look_faults(facts: ColumnFacts, rule: Rule) -> Iterator[str]:
    if rule.json and not facts.is_json:
        yield f"json is for documents, and this is a {facts.data_type}"
    if facts.is_json and (rule.look or rule.derive):
        yield 'a document has a look at each path: json: {"$.user.email": email}'
    elif rule.look and not fits(rule.look, facts):
        yield f"the look {rule.look} does not fit a {facts.column_type}"
    if facts.data_type in ("enum", "set") and rule.treat is not Treatment.KEEP:
        yield f"its words are listed by the schema: {rule.treat} would write one that it does not know"
    is_ranged = rule.look in _ORDERED or (rule.look is None and facts.data_type in _ORDERED_TYPES)
    if rule.ordered and rule.treat is Treatment.PSEUDONYM and not (is_ranged and not rule.derive):
        yield "ordered is for dates and numbers: no look of a text keeps its order"


def _lessening_faults(facts: ColumnFacts, rule: Rule) -> Iterator[str]:
    kind = facts.data_type
    if rule.treat is Treatment.EMPTY and not emptied(facts) and kind not in ("enum", "set"):
        yield f"a {kind} has no empty value: use generalize or pseudonym"
    if (
        rule.treat is Treatment.GENERALIZE
        and not generalized(facts)
        and kind not in ("enum", "set")
    ):
        yield f"a {kind} cannot be made coarser: use pseudonym"


def _differ(one: Rule, other: Rule) -> bool:
    return (one.treat, one.look) != (other.treat, other.look)


def _find(name: str, catalogue: Catalogue) -> Column | None:
    """Table and column as the server spells them, whatever the case of the line."""
    table = _spelt(name.partition(".")[0], catalogue.tables)
    if table is None:
        return None
    column = _spelt(name.partition(".")[2], catalogue.tables[table].columns)
    return (table, column) if column else None


def _spelt(name: str, known: Mapping[str, object]) -> str | None:
    alike = [k for k in known if k.lower() == name.lower()]
    return name if name in known else alike[0] if len(alike) == 1 else None


def _unknown(name: str, catalogues: Sequence[Catalogue]) -> str:
    table, _, column = name.partition(".")
    for catalogue in catalogues:
        if found := _spelt(table, catalogue.tables):
            columns = catalogue.tables[found].columns
            return f"the table {found} has no column {column}.{did_you_mean(column, columns)}"
    known = [t for c in catalogues for t in c.tables]
    return f"there is no table {table} in the clone.{did_you_mean(table, known)}"


def _name(file: PolicyFile) -> str:
    return "".join(
        c if c.isascii() and (c.isalnum() or c in "_.-") else "-" for c in file.file.path.stem
    )

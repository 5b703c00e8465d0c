"""Lets a person's overrides decide: tied to groups by name, checked, and held through every rule.

Names are those that the captures give without overrides; they are given first and kept, so that
changing one variable renames no other."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from readiness.config.mistakes import in_order
from readiness.config.nearest import did_you_mean
from readiness.config.overrides import WHAT, Override, Overrides
from readiness.errors import Mistake, WorkloadError
from readiness.model.workload import VariableKind
from readiness.workload.explain.impossible import faults_of, tension_of
from readiness.workload.find.groups import Group
from readiness.workload.find.names import Identity, give_names, identities
from readiness.workload.find.variables import Found, Material
from readiness.workload.make.expression import variables_of

_KINDS = {
    "fresh": VariableKind.FRESH,
    "existing": VariableKind.EXISTING,
    "derived": VariableKind.DERIVED,
    "time": VariableKind.TIME,
}
_SAID = "said by the overrides file"


@dataclass(frozen=True, slots=True)
class InForce:
    """An overrides file, and what the workload before called things: `before` maps names to their
    columns, so that a name that is gone can be explained."""

    overrides: Overrides
    before: Mapping[str, str]


def with_overrides(
    material: Material, natural: Found, in_force: InForce, own: Collection[str]
) -> Found:
    """The variables again, as the overrides say. `natural` are those found without; `own` are the
    application's user variables. Raises ConfigMistakes with every line that cannot be followed."""
    overrides = in_force.overrides
    _refuse(_unknown(natural.groups, in_force))
    forcing = _Forcing(natural.groups, overrides, material)
    _refuse([*forcing.name_faults(own), *forcing.faults()])
    found = material.find(forcing.settle)
    _refuse(forcing.finish(found.groups))
    found.warnings.extend(forcing.warnings())
    give_names(found.groups, own, forcing.names)
    return found


def _refuse(mistakes: Sequence[Mistake]) -> None:
    if mistakes:
        raise in_order(
            WHAT,
            list(mistakes),
            ["Names, classes and reasons stand in the .variables.yaml beside the workload."],
        )


def _unknown(groups: Sequence[Group], in_force: InForce) -> list[Mistake]:
    names = {g.name for g in groups}
    renamed = {o.name: n for n, o in in_force.overrides.entries.items() if o.name}
    found = []
    for name in in_force.overrides.entries:
        if name in names:
            continue
        told = f"these captures give no variable {name}."
        if name in renamed:
            told += f" This file renames {renamed[name]} to it: write it under {renamed[name]}."
        elif name in in_force.before:
            told += _what_changed(in_force.before[name], groups)
        else:
            told += did_you_mean(name, names)
        found.append(in_force.overrides.at(name, "", told))
    return found


def _what_changed(column: str, groups: Sequence[Group]) -> str:
    """Where the column of a variable that is gone is found now."""
    now = [f"@{g.name}" for g in groups if column and ".".join(g.column) == column]
    if now:
        return f" It was {column}; now there: {', '.join(now)}."
    return f" It was {column or 'a value without a column'}, where nothing differs any more."


class _Forcing:
    """The entries of one file and the groups they mean."""

    def __init__(self, groups: Sequence[Group], overrides: Overrides, material: Material) -> None:
        self._overrides = overrides
        self._schema = material.schema
        self._scope = material.scope
        self._natural = {g.name: g for g in groups}
        self._identity = {g.name: i for g, i in zip(groups, identities(groups), strict=True)}
        entries = overrides.entries
        self.names: dict[Identity, str] = {
            identity: (entries[name].name if name in entries else "") or name
            for name, identity in self._identity.items()
        }
        self._meant = {o.name: n for n, o in entries.items() if o.name}
        self._said: dict[str, Group] = {}

    def name_faults(self, own: Collection[str]) -> Iterator[Mistake]:
        """New names that something else has."""
        for name, entry in self._overrides.entries.items():
            others = [n for i, n in self.names.items() if i != self._identity[name]]
            if entry.name and entry.name in others:
                yield self._overrides.at(name, "name", "another variable has this name")
            elif entry.name.lower() in own:
                told = "the application's own statements set a user variable of this name"
                yield self._overrides.at(name, "name", told)

    def faults(self) -> Iterator[Mistake]:
        """What cannot be done, before anything is tried."""
        for name, entry in self._overrides.entries.items():
            group = self._natural[name]
            for key, told in faults_of(group, entry, self._schema):
                yield self._overrides.at(name, key, told)
            if entry.expression:
                yield from self._expression_faults(name, entry)

    def _expression_faults(self, name: str, entry: Override) -> Iterator[Mistake]:
        try:
            read = sorted(variables_of(entry.expression))
        except WorkloadError:
            return  # told with the other faults of the entry
        for used in read:
            told = self._unfit(name, used)
            if told:
                yield self._overrides.at(name, "expression", told)

    def _unfit(self, name: str, used: str) -> str:
        """Why an expression cannot read a variable; "" when it can."""
        meant = self._meant.get(used, used)
        if meant not in self._natural:
            return f"there is no variable @{used}.{did_you_mean(used, self._natural)}"
        if self._natural[meant].is_part:
            return f"@{used} is a stretch of a text, which nothing else can read"
        if self._entry(meant).kind == "inline":
            return f"@{used} is no variable: this file keeps it inline"
        if name in self._reached(meant, set()):
            return f"@{used} is computed from @{name}: that goes in a circle"
        return ""

    def _reached(self, name: str, seen: set[str]) -> set[str]:
        """The names behind one, by the file's own expressions."""
        if name in seen:
            return seen
        seen.add(name)
        expression = self._entry(name).expression
        try:
            for used in variables_of(expression) if expression else ():
                self._reached(self._meant.get(used, used), seen)
        except WorkloadError:
            pass  # a broken expression is told where it stands
        return seen

    def _entry(self, name: str) -> Override:
        return self._overrides.entries.get(name, Override())

    def settle(self, groups: Sequence[Group]) -> None:
        """Says what the groups of the file are, before any rule does."""
        by_identity = dict(zip(identities(groups), groups, strict=True))
        now = {n: by_identity[i] for n, i in self._identity.items() if i in by_identity}
        for name, entry in self._overrides.entries.items():
            if name in now:
                self._apply(now[name], entry, now)
                self._said[name] = now[name]
        for group in groups:  # the rules look anew at what was the same in a later turn
            if not group.is_settled and any(n.stays_inline for n in group.needs):
                group.kind, group.expression, group.needs = None, "", []

    def _apply(self, group: Group, entry: Override, now: Mapping[str, Group]) -> None:
        group.override = entry
        if not entry.kind:
            return
        group.kind, group.expression, group.needs = _KINDS.get(entry.kind), "", []
        group.because = _SAID
        if entry.sample:
            table, _, column = entry.sample.partition(".")
            group.root = self._schema.find(table, column)
        if entry.expression:
            self._compute(group, entry.expression, now)

    def _compute(self, group: Group, expression: str, now: Mapping[str, Group]) -> None:
        """The expression over references, so that new names reach it, and what it needs."""
        for used in sorted(variables_of(expression), key=len, reverse=True):
            need = now[self._meant.get(used, used)]
            expression = _put(expression, used, need.reference)
            group.needs.append(need)
            need.needed_by(group.deadline)
        group.expression = expression

    def finish(self, groups: Sequence[Group]) -> list[Mistake]:
        """After the rules: stretches of texts, what feeds an expression, and what came too late."""
        by_identity = dict(zip(identities(groups), groups, strict=True))
        now = {n: by_identity[i] for n, i in self._identity.items() if i in by_identity}
        mistakes = []
        for name, entry in self._overrides.entries.items():
            if name not in now:
                told = "this file changes the text that it was a stretch of: keep one of the two"
                mistakes.append(self._overrides.at(name, "", told))
            elif name not in self._said:
                self._apply(now[name], entry, now)
                self._said[name] = now[name]
        for name, group in self._said.items():
            mistakes += self._late(name, group)
        return mistakes

    def _late(self, name: str, group: Group) -> Iterator[Mistake]:
        if not group.override.expression:
            return
        for need in _behind(group, []):
            if need is group:
                told = "what it reads is computed from it: that goes in a circle"
                yield self._overrides.at(name, "expression", told)
            elif need.kind is VariableKind.SERVER and (told := self._unknown(need, group)):
                yield self._overrides.at(name, "expression", told)
            elif need.kind is None:
                need.kind, need.because = VariableKind.FRESH, "feeds a derived value"

    def _unknown(self, need: Group, group: Group) -> str:
        """Why a server's id is not there yet, or not always; "" when it is."""
        if need.bound_by >= group.deadline[0]:
            return (
                f"an id that it reads is known only after s{need.bound_by + 1:03d}, and "
                f"s{group.deadline[0] + 1:03d} needs it already"
            )
        if all(self._scope.relies(u.place.turn, need.bound_by) for u in group.uses):
            return ""
        return f"an id that it reads comes from s{need.bound_by + 1:03d}, which some checkouts leave out"

    def warnings(self) -> Iterator[str]:
        """What is done as it was said, and will hurt."""
        for name, group in self._said.items():
            if told := tension_of(group, self._natural[name]):
                yield f"@{self.names[self._identity[name]]} {told}"


def _put(expression: str, name: str, reference: str) -> str:
    """`@name`, as a whole word, as a reference."""
    return re.sub(rf"@{re.escape(name)}(?![A-Za-z0-9_])", lambda _: reference, expression)


def _behind(group: Group, seen: list[Group]) -> list[Group]:
    """All that a group needs, however far; itself only when it goes in a circle."""
    for need in group.needs:
        if not any(need is s for s in seen):
            seen.append(need)
            _behind(need, seen)
    return seen

"""From places that differ to variables: every rule in its order, once for each reading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from readiness.model.transactions import Raw
from readiness.workload.find.classify import Exists, bind_choices, bind_server_ids, classify
from readiness.workload.find.context import Context
from readiness.workload.find.derive import derive
from readiness.workload.find.embed import embed, keep_json
from readiness.workload.find.groups import Group, Use, group
from readiness.workload.find.sampling import ExistingRow, existing_rows
from readiness.workload.find.source import SourceRows
from readiness.workload.find.spelled import spelled_keys
from readiness.workload.find.times import bind_times
from readiness.workload.find.turns import Scope, part_by_turns
from readiness.workload.schema import Schema


@dataclass(frozen=True, slots=True, repr=False)
class Found(Raw):
    """The groups, and the existing rows behind some of them."""

    groups: list[Group]
    rows: list[ExistingRow]
    warnings: list[str]


@dataclass(frozen=True, slots=True, repr=False)
class Material(Raw):
    """What the rules read: places with their columns, which parts run when, and the source where it
    may be asked."""

    uses: Sequence[Use]
    contexts: Sequence[Context]
    scope: Scope
    schema: Schema
    exists: Exists | None
    rows: SourceRows | None

    def find(self, settle: Callable[[Sequence[Group]], None] | None = None) -> Found:
        """Groups and classes; `settle` may first say what some groups are."""
        groups = group(self.uses, self.schema)
        groups += part_by_turns(groups, self.contexts, self.scope)
        if settle:
            settle(groups)
        bind_times(groups)
        warnings = bind_server_ids(groups, self.contexts, self.schema, self.scope)
        bind_choices(groups, self.scope)
        keys, told = spelled_keys(groups, self.schema, self.exists)
        groups += keys
        warnings += [*told, *classify(groups, self.schema, self.exists)]
        found = existing_rows(groups, self.schema, self.rows)
        derive(groups)
        groups += embed(groups)
        keep_json(groups)
        return Found(groups, found, warnings)

"""Keys in BINARY columns that the flow only ever spells: `WHERE id = UNHEX('5f1c…')`.

The value to draw from the target is the key; what stands in the statement is computed from it."""

from __future__ import annotations

from collections.abc import Sequence

from readiness.model.workload import VariableKind
from readiness.workload.find.classify import Exists, classify
from readiness.workload.find.derive import settle
from readiness.workload.find.groups import Group, Use, Values
from readiness.workload.find.relations import bytes_of, hex_forms
from readiness.workload.schema import Schema

_INDEXED = 1  # rank


def spelled_keys(
    groups: Sequence[Group], schema: Schema, exists: Exists | None
) -> tuple[list[Group], list[str]]:
    """Groups for keys of rows that exist and stand nowhere as bytes, and warnings; the groups that
    spell them become DERIVED. A spelling that the flow inserts itself is left to other rules."""
    found: dict[Values, Group] = {g.values: g for g in groups if g.is_binary}
    made: list[Group] = []
    warnings: list[str] = []
    for group in groups:
        key = None if group.is_binary or group.kind or group.is_settled else _key(group, schema)
        if key is None:
            continue
        key.number = len(groups) + len(made)
        if key.values not in found:
            warnings += classify([key], schema, exists, among=groups)
            if key.kind is not VariableKind.EXISTING:
                continue
            found[key.values] = key
            made.append(key)
        source = found[key.values]
        if source in made:
            _spell(group, source)
    return made, warnings


def _key(group: Group, schema: Schema) -> Group | None:
    """The key that the group spells, None where it does not, or spells keys of several tables."""
    uses = [u for u in group.uses if u.meeting.is_spelled]
    roots = {schema.root(*u.column) for u in uses}
    values = tuple(None if v is None else bytes_of(v) for v in group.values)
    is_whole = all((v is None) == (w is None) for v, w in zip(values, group.values, strict=True))
    if len(roots) != 1 or not is_whole or not _has_form(group, values):
        return None
    return _group(values, uses, roots.pop())


def _group(values: Values, uses: list[Use], root: tuple[str, str]) -> Group:
    return Group(
        0,
        values,
        is_binary=True,
        uses=uses,
        home=uses[0],
        root=root,
        rank=_INDEXED,
        is_indexed=True,
        is_part=True,
    )


def _has_form(group: Group, values: Values) -> bool:
    return bool(_form(group, values, ""))


def _form(group: Group, values: Values, reference: str) -> str:
    """The expression that spells the key as the group does, "" for mixed spellings."""
    raw = tuple(v for v in values if v is not None)
    texts = tuple(v for v in group.values if v is not None)
    return next((sql for sql, made in hex_forms(reference, raw) if made == texts), "")


def _spell(group: Group, key: Group) -> None:
    settle(group, _form(group, key.values, key.reference), [key], "spelling of a binary key")

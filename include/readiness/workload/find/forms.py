"""In what forms a value may stand inside a text: as it is, in another case, as cents, as an end."""

from __future__ import annotations

from collections.abc import Iterator

from readiness.model.workload import VariableKind
from readiness.workload.find.derive import is_document
from readiness.workload.find.groups import Group, is_telling
from readiness.workload.find.relations import hex_forms, lower, upper

_FRAGMENTS = (12, 10, 8)

Forms = tuple[tuple[int, str, tuple[bytes, ...]], ...]
"""Weight, expression, and what it is in every capture."""


def forms_of(group: Group) -> Forms:
    """In what forms the group may stand in a text, by their weight."""
    if None in group.values or is_document(group):
        return ()
    values = tuple(v for v in group.values if v is not None)
    made = enumerate(_forms(group, values))
    return tuple((weight, sql, v) for weight, (sql, v) in made if _may_stand(group, v))


def _forms(group: Group, values: tuple[bytes, ...]) -> Iterator[tuple[str, tuple[bytes, ...]]]:
    if group.is_binary:
        yield from hex_forms(group.reference, values)
        return
    yield group.reference, values
    if group.kind is VariableKind.TIME:
        return
    for name, change in (("UPPER", upper), ("LOWER", lower)):
        changed = tuple(change(v) for v in values)
        if changed != values:
            yield f"{name}({group.reference})", changed
    if all(v.isdigit() and 3 <= len(v) <= 9 for v in values):
        cents = tuple(v[:-2] + b"." + v[-2:] for v in values)
        yield f"CONCAT({group.reference} DIV 100, '.', RIGHT({group.reference}, 2))", cents
    for size in _FRAGMENTS if group.rank <= 1 else ():
        if all(len(v) >= size + 2 and v.isascii() for v in values):
            for name, ends in (
                ("RIGHT", tuple(v[-size:] for v in values)),
                ("LEFT", tuple(v[:size] for v in values)),
            ):
                if len(set(ends)) == len(ends):
                    yield f"{name}({group.reference}, {size})", ends


def _may_stand(group: Group, values: tuple[bytes, ...]) -> bool:
    """Long enough to be found by more than accident; short numbers only where they are columns."""
    if is_telling(values) or min(map(len, values)) >= 4:
        return True
    if all(v.isdigit() for v in values):
        return bool(group.home.meeting.column)
    return group.statements > 1 and all(v.isalpha() and len(v) > 2 for v in values)

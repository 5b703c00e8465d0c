"""A plan as people read it, and as JSON for the journal and the clone's folder. It holds no value."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from readiness.errors import ArtifactError
from readiness.model.masking import JsonPath, Look, MaskedColumn, MaskPlan, Source

_VERSION = 1
_HEADS = ("column", "becomes", "because")
_MOST_PATHS = 6


def describe(plan: MaskPlan) -> str:
    """The plan as a text of lines: what is masked, with look and reason; what is kept, and why."""
    tables = len(plan.tables)
    by = f" under the policy {plan.policy}" if plan.policy else ""
    lines = [
        f"{plan.database}: {_counted(len(plan.columns), 'column')} of {_counted(tables, 'table')}"
        f" masked{by}"
    ]
    if plan.columns:
        lines += ["", *_table([(c.id, _becomes(c), c.why) for c in plan.columns])]
    if plan.kept:
        lines += ["", "kept", *_table([(c.id, "stays", c.why) for c in plan.kept])[1:]]
    return "\n".join([*lines, *([""] if plan.notes else []), *plan.notes]) + "\n"


def to_json(plan: MaskPlan) -> str:
    """As JSON, the same text for the same plan."""
    body = {"version": _VERSION, **asdict(plan)}
    return json.dumps(body, ensure_ascii=False, sort_keys=True, indent=1) + "\n"


def from_json(text: str) -> MaskPlan:
    """The plan of a JSON text. Raises ArtifactError where it is none, or of another version."""
    try:
        body = json.loads(text)
        if body["version"] != _VERSION:
            raise ArtifactError(f"A masking plan of version {body['version']}, not {_VERSION}.")
        return MaskPlan(
            database=body["database"],
            policy=body["policy"],
            columns=tuple(map(_column, body["columns"])),
            kept=tuple(map(_column, body["kept"])),
            attempts=body["attempts"],
            notes=tuple(body["notes"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ArtifactError("This is no masking plan.") from error


def hash_of(plan: MaskPlan) -> str:
    """What names the plan: hex of the SHA-256 of its JSON."""
    return hashlib.sha256(to_json(plan).encode()).hexdigest()


def _column(body: Mapping[str, object]) -> MaskedColumn:
    held = dict(body)
    look, paths = held["look"], held["paths"]
    if not isinstance(paths, list):
        raise TypeError
    found = tuple(JsonPath(p["path"], Look(p["look"])) for p in paths)
    source = Source(str(held["source"]))
    known: dict[str, object] = {
        **held, "look": Look(str(look)) if look else None, "source": source, "paths": found
    }  # fmt: skip
    return MaskedColumn(**known)  # type: ignore[arg-type]


def _becomes(column: MaskedColumn) -> str:
    if column.derived:
        return column.derived
    if column.paths:
        told = [f"{p.path} {p.look}" for p in column.paths[:_MOST_PATHS]]
        more = len(column.paths) - len(told)
        return "json: " + ", ".join(told) + (f" and {more} more" if more > 0 else "")
    return str(column.look)


def _table(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    """Three columns; a middle one that is long does not push the third away."""
    return list(_lines([_HEADS, *rows]))


_WIDEST = (48, 36)


def _lines(rows: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    first = min(max(len(r[0]) for r in rows), _WIDEST[0])
    second = min(max(len(r[1]) for r in rows), _WIDEST[1])
    for one, two, three in rows:
        yield f"  {one:<{first}}  {two:<{second}}  {three}".rstrip()


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"

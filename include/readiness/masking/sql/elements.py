"""How many elements the arrays of a table's documents have, so that a path with [*] can be spelled out."""

from __future__ import annotations

from dataclasses import replace

from readiness.masking.names import quoted
from readiness.masking.sql.parts import text
from readiness.model.catalogue import Catalogue
from readiness.model.masking import JsonPath, Look, MaskedColumn, MaskPlan
from readiness.ports import Session

_MOST_PATHS = 64  # of one path spelled out; beyond, longer arrays are emptied
_STAR = "[*]"


def with_elements(session: Session, catalogue: Catalogue, plan: MaskPlan) -> MaskPlan:
    """The plan with [0], [1] … for each [*], as many as the longest array needs; a path whose array
    would need too many stays as it is."""
    return replace(plan, columns=tuple(_spelled(session, catalogue, c) for c in plan.columns))


def _spelled(session: Session, catalogue: Catalogue, column: MaskedColumn) -> MaskedColumn:
    if column.look is not Look.JSON or not any(_STAR in p.path for p in column.paths):
        return column
    source = quoted(catalogue.database, column.table)
    paths = [p for path in column.paths for p in _of_path(session, source, column.column, path)]
    return replace(column, paths=tuple(paths))


def _of_path(session: Session, source: str, column: str, path: JsonPath) -> list[JsonPath]:
    ways = [path.path]
    while _STAR in ways[0]:
        lengths = [_longest(session, source, column, way.partition(_STAR)[0]) for way in ways]
        if sum(lengths) > _MOST_PATHS:
            return [path]
        ways = [
            way.replace(_STAR, f"[{n}]", 1)
            for way, length in zip(ways, lengths, strict=True)
            for n in range(length)
        ]
        if not ways:
            return []
    return [JsonPath(way, path.look) for way in ways]


def _longest(session: Session, source: str, column: str, path: str) -> int:
    found = f"JSON_EXTRACT({quoted(column)}, {text(path)})"
    is_array = f"JSON_TYPE({found}) = 'ARRAY'"
    length = f"IF(JSON_VALID({quoted(column)}), IF({is_array}, JSON_LENGTH({found}), 0), 0)"
    rows = session.query(f"SELECT COALESCE(MAX({length}), 0) FROM {source}")
    return int(str(rows[0][0]))

"""Tables as a catalogue has them, written short: `users(id int! auto, email varchar(80) unique)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from readiness.model.catalogue import (
    Catalogue,
    ColumnFacts,
    ForeignKeyFacts,
    IndexFacts,
    TableFacts,
)

_TABLE = re.compile(r"(\w+)\(((?:[^()]|\([^()]*\))*)\)")
_COLUMN = re.compile(r"(\w+) (\w+)(?:\((\d+)\))?(!?)((?: \w+(?:=[\w.]+)?)*)")
_TEXTS = {"char", "varchar", "text", "json", "longtext"}


def catalogue_of(text: str, database: str = "shop") -> Catalogue:
    """Columns are `name type(length)! auto unique exact generated to=table.column`; `!` is the primary key."""
    tables = [_table(match[1], match[2]) for match in _TABLE.finditer(text)]
    return Catalogue(database, "mysql", "9.7.0", {t.name: t for t in tables})


def _table(name: str, columns: str) -> TableFacts:
    found = list(filter(None, map(_COLUMN.match, (c.strip() for c in columns.split(",")))))
    return TableFacts(
        name,
        "InnoDB",
        {m[1]: _column(m) for m in found},
        tuple(_indexes(found)),
        tuple(_keys(found)),
    )


def _column(match: re.Match[str]) -> ColumnFacts:
    name, kind, length, _, words = match.groups()
    return ColumnFacts(
        name,
        kind,
        f"{kind}({length})" if length else kind,
        is_nullable="unique" not in words,
        max_chars=int(length or 0) if kind != "text" else 65_535,
        charset="utf8mb4" if kind in _TEXTS else "",
        collation=_collation(kind, words),
        generated="virtual" if "generated" in words else "",
        is_auto_increment="auto" in words,
        is_json=kind == "json",
    )


def _collation(kind: str, words: str) -> str:
    if kind not in _TEXTS:
        return ""
    return "utf8mb4_bin" if "exact" in words else "utf8mb4_0900_ai_ci"


def _indexes(columns: list[re.Match[str]]) -> Iterator[IndexFacts]:
    key = tuple((m[1], 0) for m in columns if m[4])
    if key:
        yield IndexFacts("PRIMARY", True, key)
    yield from (IndexFacts(m[1], True, ((m[1], 0),)) for m in columns if "unique" in m[5])


def _keys(columns: list[re.Match[str]]) -> Iterator[ForeignKeyFacts]:
    for m in columns:
        if target := re.search(r"to=(\w+)\.(\w+)", m[5]):
            yield ForeignKeyFacts(f"fk_{m[1]}", (m[1],), target[1], (target[2],))

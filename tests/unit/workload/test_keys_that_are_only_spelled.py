"""`WHERE id = UNHEX('5f1c…')`: the row is drawn by its key, and the text is computed from it."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest
from tests.fakes.captures import shop_schema, statements, variables

from readiness.model.draft import RawDraft
from readiness.model.workload import Form, VariableKind
from readiness.workload.find.classify import Exists
from readiness.workload.find.parameterize import parameterize
from readiness.workload.schema import Column, ForeignKey, Index, Schema, Table

KEYS = (
    UUID("5f1c9a52-3f0e-4c59-9d3e-2b7f6a1d8c04"),
    UUID("c2d79a52-3f0e-4c59-9d3e-2b7f6a1d8c05"),
)


def articles() -> Schema:
    key = Column("binary", nullable=False, full_type="binary(16)")
    primary = Index("PRIMARY", unique=True, columns=("id",))
    lines = Table(
        {"id": key, "article_id": key},
        (primary,),
        (ForeignKey(("article_id",), "articles", ("id",)),),
    )
    tables = {"articles": Table({"id": key, "price": Column("int")}, (primary,)), "lines": lines}
    return replace(shop_schema(), tables=tables)


def looked_up(spelled: str, exists: Exists | None = None, first: str = "") -> RawDraft:
    """A look-up and a reference, with the key in `spelled`."""
    captures = []
    for key in KEYS:
        text = spelled.format(key=key, digits=key.hex, upper=key.hex.upper())
        captures.append(
            statements(
                *([first.format(key=key.hex)] if first else []),
                f"SELECT price FROM articles WHERE id = {text}",
                f"INSERT INTO lines VALUES (RANDOM_BYTES(16), {text})",
            )
        )
    return parameterize(captures, schema=articles(), name="order", exists=exists)


@pytest.mark.parametrize(
    "spelled",
    [
        "UNHEX('{digits}')",
        "UNHEX('{upper}')",
        "UNHEX(REPLACE('{key}', '-', ''))",
        "UUID_TO_BIN('{key}')",
    ],
)
def test_the_row_is_drawn_and_its_key_is_spelled(spelled: str) -> None:
    found = looked_up(spelled)
    kinds = [v.kind for v in found.variables]
    assert kinds.count(VariableKind.EXISTING) == 1
    assert VariableKind.FRESH not in kinds
    drawn = next(v for v in found.variables if v.kind is VariableKind.EXISTING)
    assert drawn.values == tuple(key.bytes for key in KEYS)
    assert drawn.form is Form.HEX
    assert [(s.table, s.columns, s.variables) for s in found.samples] == [
        ("articles", ("id",), (drawn.name,))
    ]


def test_a_swapped_uuid_is_no_plain_spelling() -> None:
    found = looked_up("UUID_TO_BIN('{key}', 1)")
    texts = [v for v in found.variables if v.values == tuple(str(k).encode() for k in KEYS)]
    assert [v.kind for v in texts] == [VariableKind.FRESH]


def test_a_hash_is_no_spelling() -> None:
    found = looked_up("UNHEX(MD5('{digits}'))")
    assert not any(s.table == "articles" for s in found.samples)


def test_what_the_flow_inserts_is_not_drawn() -> None:
    found = looked_up(
        "UNHEX('{digits}')", first="INSERT INTO articles VALUES (UNHEX('{key}'), 100)"
    )
    assert not found.samples


def test_a_key_that_the_source_does_not_hold_is_a_planned_miss() -> None:
    found = looked_up("UNHEX('{digits}')", exists=lambda *_: False)
    assert not found.samples
    assert any("does not exist at the source" in w for w in found.warnings)
    assert [v.kind for v in variables(found).values()] == [VariableKind.FRESH]

"""The schema file is the schema, and a broken one is refused in words."""

from __future__ import annotations

import json

import pytest
from tests.fakes.captures import paylater_schema, shop_schema

from readiness.errors import WorkloadError
from readiness.workload.schema import Schema


@pytest.mark.parametrize("schema", [paylater_schema(), shop_schema(), Schema("empty", "")])
def test_json_gives_the_schema_back(schema: Schema) -> None:
    assert Schema.from_json(json.loads(json.dumps(schema.to_json()))) == schema


def test_another_version_is_refused() -> None:
    with pytest.raises(WorkloadError, match="schema_version 9, 1 is read"):
        Schema.from_json({"schema_version": 9})


@pytest.mark.parametrize("tables", [None, [], {"t": {}}, {"t": {"columns": 1, "indexes": 1}}])
def test_a_broken_file_is_refused(tables: object) -> None:
    with pytest.raises(WorkloadError, match="broken") as caught:
        Schema.from_json({"schema_version": 1, "tables": tables})
    assert "--source" in caught.value.hint


def test_a_reference_leads_to_its_root() -> None:
    schema = paylater_schema()
    assert schema.root("checkout_items", "checkout_id") == ("checkouts", "id")
    assert schema.root("checkouts", "token") == ("checkouts", "token")


def test_keys_are_known() -> None:
    schema = shop_schema()
    assert schema.is_unique("users", "email")
    assert schema.is_indexed("orders", "user_id")
    assert not schema.is_unique("orders", "user_id")
    assert not schema.is_indexed("orders", "note")
    assert schema.is_auto_increment("orders", "id")
    assert not schema.is_auto_increment("users", "id")
    assert schema.children("shops", "id") == [("orders", "shop_id"), ("products", "shop_id")]
    assert schema.find("users", "EMAIL") == ("users", "email")
    assert schema.find("users", "nothing") is None

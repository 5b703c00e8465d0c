"""Captures become a workload that plans find, and an asset that tells of it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from tests.integration.upkeep.conftest import Airflow

from readiness.workload.text.file import parse

pytestmark = [pytest.mark.airflow, pytest.mark.long]


@pytest.fixture
def asked(repository: Path) -> dict[str, object]:
    data = repository / "tests/unit/workload/data"
    return {
        "name": "shop",
        "captures": [str(data / f"salted_{n}.log") for n in (1, 2, 3)],
        "schema": str(data / "schema.json"),
    }


@pytest.fixture
def file(repository: Path) -> str:
    return str(repository / "dags/readiness_workload.py")


def variables(folder: Path) -> dict[str, str]:
    return {"READINESS_STATE": str(folder), "READINESS_KEY_FILE": str(folder / "key")}


def test_a_workload_is_built_kept_and_published(
    airflow: Airflow, file: str, asked: dict[str, object], tmp_path: Path
) -> None:
    built = tmp_path / "workloads/shop.sql"
    built.parent.mkdir()
    built.write_text("the one before")
    answer = airflow("run", file, json.dumps(asked), **variables(tmp_path))
    assert answer.found["state"] == "success", answer.said
    workload = parse(built.read_bytes(), path=built)
    extra = answer.found["published"][-1]
    assert extra["name"] == "shop"
    assert extra["sha256"] == hashlib.sha256(built.read_bytes()).hexdigest()
    assert extra["counts"]["statements"] == len(workload.steps)
    assert (built.parent / "shop.sql.previous").read_text() == "the one before"
    assert sorted(p.name for p in built.parent.rglob("*.sql*")) == ["shop.sql", "shop.sql.previous"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"source": "shop_reader"}, "Airflow has no connection shop_reader."),
        ({"caputres": []}, "Did you mean captures?"),
    ],
)
def test_what_cannot_be_built_says_why_and_leaves_the_file(
    airflow: Airflow,
    file: str,
    asked: dict[str, object],
    tmp_path: Path,
    changed: dict[str, object],
    message: str,
) -> None:
    built = tmp_path / "workloads/shop.sql"
    built.parent.mkdir()
    built.write_text("the one before")
    answer = airflow("run", file, json.dumps({**asked, **changed}), **variables(tmp_path))
    assert answer.found["state"] == "failed"
    assert message in answer.said
    assert built.read_text() == "the one before"

"""Every DAG file loads; a broken plan takes away its own DAG alone, and says why."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.integration.upkeep.conftest import Airflow

from readiness.airflow.tags import Tag

pytestmark = pytest.mark.airflow
ALL = {f"readiness_{n}" for n in ("demo", "weekly", "peak", "spike", "workload", "janitor")}


def test_every_file_gives_its_dag_with_tags_of_the_list(airflow: Airflow, repository: Path) -> None:
    found = airflow("bag", str(repository / "dags")).found
    assert found["errors"] == {}
    assert set(found["dags"]) == ALL
    assert {tag for tags in found["dags"].values() for tag in tags} <= set(Tag)
    assert all(Tag.SUITE in tags for tags in found["dags"].values())


def test_a_broken_plan_takes_away_its_own_dag_and_says_where_it_is_broken(
    airflow: Airflow, repository: Path, tmp_path: Path
) -> None:
    written = (repository / "include/plans/weekly.yaml").read_text()
    broken = tmp_path / "include/plans/weekly.yaml"
    broken.parent.mkdir(parents=True)
    broken.write_text(written.replace("hold_s: 40", "hold: 40"))
    line = next(n for n, text in enumerate(broken.read_text().split("\n"), 1) if "hold: 40" in text)
    found = airflow("bag", str(repository / "dags")).found
    assert set(found["dags"]) == ALL - {"readiness_weekly"}
    (text,) = found["errors"].values()
    assert list(found["errors"]) == ["readiness_weekly.py"]
    assert f"weekly.yaml:{line}:" in text.splitlines()[-1]
    assert "unknown key. Did you mean hold_s?" in text.splitlines()[-1]

"""The janitor's DAG destroys an expired clone, and is red only when it could not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.integration.upkeep.conftest import Airflow

from readiness.clones.lifecycle import write_record
from readiness.flow.janitor import last_round_at
from readiness.model.clone import Clone, Endpoint

pytestmark = [pytest.mark.airflow, pytest.mark.long]


@pytest.fixture
def file(repository: Path) -> str:
    return str(repository / "dags/readiness_janitor.py")


def half_made(state: Path, lease_until: float) -> Path:
    """A clone whose restore was killed before its server started."""
    folder = state / "clones/readiness-killed-a"
    (folder / "data.partial").mkdir(parents=True)
    clone = Clone(
        folder.name, "killed", "gold", Endpoint(), 0, str(folder), lease_until, lease_until
    )
    write_record(folder, clone)
    return folder


def test_the_janitor_deletes_raw_logs_in_time(airflow: Airflow, file: str, tmp_path: Path) -> None:
    old, young = tmp_path / "captures/old.log", tmp_path / "captures/young.log"
    old.parent.mkdir()
    for log in (old, young):
        log.write_text("SELECT 1")
    os.utime(old, (1.0, 1.0))
    answer = airflow("run", file, "{}", READINESS_STATE=str(tmp_path))
    assert answer.found["tasks"]["prune"] == "success", answer.said
    assert (old.exists(), young.exists()) == (False, True)


def test_a_round_ends_what_a_killed_restore_left(
    airflow: Airflow, file: str, tmp_path: Path
) -> None:
    folder = half_made(tmp_path, 1.0)
    answer = airflow("run", file, "{}", READINESS_STATE=str(tmp_path))
    assert answer.found["tasks"] == {"tend_clones": "success", "prune": "success"}, answer.said
    assert not folder.exists()
    assert last_round_at(tmp_path / "janitor.json") is not None

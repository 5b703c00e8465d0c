"""A run that the clock started and that was refused is told: nobody watches it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk.exceptions import AirflowFailException
from tests.unit.airflow.task_runs import Place

from readiness.airflow.operators import ReserveOperator


def refused(place: Place, *, run_type: str) -> list[Path]:
    """The messages of a run without workload and snapshot."""
    run_id = f"{run_type}__1"
    context: Any = {
        "dag_run": SimpleNamespace(
            run_id=run_id, run_after=datetime.now(UTC), run_type=run_type, conf=None
        ),
        "ti": SimpleNamespace(dag_id="readiness_demo", run_id=run_id),
        "params": place.params(),
    }
    with pytest.raises(AirflowFailException, match="no snapshot"):
        ReserveOperator(task_id="reserve", plan=place.plan, minutes=5).execute(context)
    return sorted(place.settings.runs.glob("*/slack/*-ended.json"))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("READINESS_STATE", str(tmp_path))
    return Place(tmp_path)


def test_a_scheduled_run_that_is_refused_is_told(place: Place) -> None:
    (message,) = refused(place, run_type="scheduled")
    text = json.dumps(json.loads(message.read_text("utf-8")))
    assert "it was refused: " in text
    assert "no snapshot" in text
    assert "nothing was made" in text


def test_who_started_a_run_sees_its_refusal_in_airflow(place: Place) -> None:
    assert refused(place, run_type="manual") == []
    assert not place.settings.runs.exists()

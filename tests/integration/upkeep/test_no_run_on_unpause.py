"""A real scheduler: a DAG that is un-paused waits for its next time, and is started by it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.integration.upkeep.airflow_process import environment

pytestmark = [pytest.mark.airflow, pytest.mark.long]
FILE = '''\
"""Two DAGs for Airflow: one that was due this morning, one that is due each minute."""
from datetime import UTC, datetime, timedelta
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG
from readiness.airflow.timetable import FreezeTimetable
from readiness.config.schedule import schedule_of

earlier = datetime.now(UTC) - timedelta(hours=2)
for name, cron in [("daily", f"0 {earlier.hour} * * *"), ("minutely", "* * * * *")]:
    schedule = schedule_of(cron=cron, timezone="UTC", freeze=(), start_within_min=10)
    with DAG(name, schedule=FreezeTimetable(schedule), start_date=datetime(2026, 1, 1, tzinfo=UTC),
             catchup=False) as dag:
        EmptyOperator(task_id="only")
    globals()[name] = dag
'''


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An Airflow home whose DAGs were read once, while they were paused."""
    (tmp_path / "dags").mkdir()
    (tmp_path / "dags/two.py").write_text(FILE)
    airflow(tmp_path, "db", "migrate")
    airflow(tmp_path, "dag-processor", "--num-runs", "1")
    return tmp_path


def airflow(home: Path, *arguments: str) -> None:
    program = Path(sys.executable).with_name("airflow")
    env = environment(
        home,
        AIRFLOW__SCHEDULER__ENABLE_HEALTH_CHECK="False",
        AIRFLOW__API_AUTH__JWT_SECRET="x" * 64,
    )
    command = [str(program), *arguments]
    subprocess.run(command, env=env, capture_output=True, timeout=240, check=True)


def runs(home: Path) -> list[str]:
    with sqlite3.connect(home / "airflow.db") as database:
        return [name for (name,) in database.execute("SELECT dag_id FROM dag_run")]


def test_an_unpaused_dag_waits_and_then_comes_by_its_timetable(home: Path) -> None:
    for name in ("daily", "minutely"):
        airflow(home, "dags", "unpause", name)
    deadline = time.monotonic() + 240
    while "minutely" not in runs(home) and time.monotonic() < deadline:
        airflow(home, "scheduler", "--num-runs", "20")
    assert set(runs(home)) == {"minutely"}

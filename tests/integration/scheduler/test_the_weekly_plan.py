"""Under a real scheduler: the plan `weekly` is started by its timetable, and by nobody else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml
from tests.fakes.slack_server import SlackServer
from tests.integration.scheduler.conftest import PLAN_FILE
from tests.integration.scheduler.real_airflow import RealAirflow, Run, wait_for

pytestmark = [pytest.mark.airflow, pytest.mark.mysql, pytest.mark.long]
DAG = "readiness_weekly"
AHEAD_S = 40  # in which Airflow reads the new file


def weekly(repository: Path, due: datetime) -> dict[str, Any]:
    """The plan `weekly`, due soon, its first and last stage, short, its freezes on days that are far away."""
    plan: dict[str, Any] = yaml.safe_load((repository / "include/plans/weekly.yaml").read_text())
    local = due.astimezone(ZoneInfo(plan["schedule"]["timezone"]))
    plan["schedule"]["cron"] = f"{local.minute} {local.hour} * * {local.isoweekday() % 7}"
    day = (local + timedelta(days=180)).strftime("%m-%d")
    plan["schedule"]["freeze"] = [{"from": day, "to": day, "because": "a day far away"}]
    short = {"ramp_s": 1, "hold_s": 4, "warmup_s": 1}
    plan["stages"] = [{**stage, **short} for stage in (plan["stages"][0], plan["stages"][-1])]
    plan["flows"] = [{"name": "checkout", "normal_rate_per_s": 2}]
    plan["validity"] = {"schedule_lag_p99_ms": 5000, "generator_cpu_ratio": 1,
                        "run_queue_delay_ratio": 1, "missing_samples_ratio": 1}  # fmt: skip
    return plan


def test_it_starts_by_its_timetable(
    airflow: RealAirflow, slack: SlackServer, repository: Path, tmp_path: Path
) -> None:
    due = (datetime.now(UTC) + timedelta(seconds=AHEAD_S + 60)).replace(second=0, microsecond=0)
    (tmp_path / "weekly.yaml").write_text(yaml.safe_dump(weekly(repository, due)))
    file = airflow.dags / f"{DAG}.py"
    file.write_text(PLAN_FILE.format(plan=str(tmp_path / "weekly.yaml")))
    wait_for(lambda: is_read(airflow), lambda: f"{DAG} to be read", within_s=120)
    assert airflow.runs(DAG) == []
    airflow.pause(DAG, is_paused=False)
    try:
        (begun,) = wait_for(
            lambda: airflow.runs(DAG) or None, lambda: f"{DAG} at {due}", within_s=180
        )
        run = Run(airflow, DAG, begun["dag_run_id"])
        assert run.end() == "success", run.states
    finally:
        airflow.pause(DAG, is_paused=True)
    assert (begun["run_type"], begun["triggered_by"]) == ("scheduled", "timetable")
    assert datetime.fromisoformat(begun["run_after"]) == due
    assert len(airflow.runs(DAG)) == 1
    assert run.folder.read_verdict().checks
    assert len(run.folder.read_stages()) == 2
    assert len(slack.shared()) == 1
    assert airflow.left == []


def is_read(airflow: RealAirflow) -> bool:
    return DAG in {dag.name for dag in airflow.api.dags()}

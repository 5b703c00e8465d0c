"""Under a real scheduler: a DAG that is paused in mid-run leaves its clone to the janitor."""

from __future__ import annotations

import time

import pytest
from tests.fakes.slack_server import SlackServer
from tests.integration.scheduler.real_airflow import RealAirflow, Run
from tests.integration.scheduler.task_process import loading

pytestmark = [pytest.mark.airflow, pytest.mark.mysql, pytest.mark.long]
LOOK_S = 8.0  # several rounds of the scheduler


def stays(run: Run, task: str) -> bool:
    """Whether the task is not begun for a while."""
    deadline = time.monotonic() + LOOK_S
    while time.monotonic() < deadline:
        if run.states[task]:
            return False
        time.sleep(0.5)
    return True


def test_its_clone_is_destroyed_after_its_lease_and_it_ends_red_when_it_goes_on(
    airflow: RealAirflow, slack: SlackServer
) -> None:
    run = airflow.trigger("readiness_long")
    loading(run, "first.load")
    airflow.pause(run.dag, is_paused=True)
    try:
        run.reaches("first.load", "success")
        assert stays(run, "second.gate")
        airflow.clones.end_lease(run.clone_name, in_s=0)
        assert airflow.trigger("readiness_janitor").end() == "success"
        assert run.clone_name not in " ".join(airflow.left)
        (told,) = [m for m in slack.roots if "failed" in m["text"]]
        assert run.folder.path.name in told["text"]
        assert "clone destroyed by the janitor" in str(told["blocks"])
        assert run.facts["state"] == "running"
    finally:
        airflow.pause(run.dag, is_paused=False)
    assert run.end() == "failed", run.states
    assert run.states["second.load"] == "failed"
    assert airflow.left == []

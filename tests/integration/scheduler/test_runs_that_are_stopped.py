"""Under a real scheduler: a run that a person marks as failed, or whose task is killed, at any step.

Its clone is gone, its locks are free, its colour is true, and its channel knows.
"""

from __future__ import annotations

import os
import signal

import pytest
from tests.fakes.slack_server import SlackServer
from tests.integration.scheduler.real_airflow import RealAirflow, Run, wait_for
from tests.integration.scheduler.task_process import (
    about_to_restore,
    destroying,
    loading,
    restoring,
)

from readiness.adapters.processes import wait_gone
from readiness.errors import ArtifactError

pytestmark = [pytest.mark.airflow, pytest.mark.mysql, pytest.mark.long]

MARKED = "somebody marked the run as ended"


def news(slack: SlackServer, run: Run) -> str:
    """The one message that says that the run did not end as it should."""
    (said,) = [m for m in slack.roots if m["text"].startswith(f"{run.folder.path.name} failed")]
    return str(said["blocks"])


def has_verdict(run: Run) -> bool:
    try:
        run.folder.read_verdict()
    except ArtifactError:
        return False
    return True


def gave_up(run: Run, task: str) -> bool:
    events = run.folder.read_events()
    return any(e["event"] == "task_failed" and e["task"] == task for e in events)


def test_marked_as_failed_while_it_restores(airflow: RealAirflow, slack: SlackServer) -> None:
    run = airflow.trigger("readiness_short")
    task = restoring(run)
    run.mark_failed()
    task.wait_for_sigterm()
    task.go_on()
    assert run.end() == "failed", run.states
    states = run.states
    assert (states["restore"], states["destroy"], states["seal"]) == ("failed", "success", "failed")
    assert airflow.left == []
    said = news(slack, run)
    assert "restore failed" in said
    assert MARKED in said
    assert "clone destroyed" in said


def test_a_restore_that_outlives_its_run_leaves_no_clone(
    airflow: RealAirflow, slack: SlackServer
) -> None:
    run = airflow.trigger("readiness_short")
    run.reaches("reserve", "success")
    task = about_to_restore(run)
    supervisor = task.hold_supervisor()
    try:
        run.mark_failed()
        assert run.end() == "failed", run.states
        assert run.states["destroy"] == "success"
        task.go_on()
        wait_for(lambda: gave_up(run, "restore"), lambda: "restore to give up", within_s=60)
    finally:
        os.kill(supervisor.pid, signal.SIGCONT)
    assert wait_gone(task.process, timeout_s=60)
    assert airflow.left == []


def test_marked_as_failed_in_a_stage(airflow: RealAirflow, slack: SlackServer) -> None:
    run = airflow.trigger("readiness_long")
    loading(run, "first.load")
    run.mark_failed()
    assert run.end() == "failed", run.states
    states = run.states
    assert (states["first.load"], states["second.load"]) == ("failed", "skipped")
    assert (states["destroy"], states["seal"]) == ("success", "failed")
    assert airflow.left == []
    assert not has_verdict(run)
    assert "first.load failed" in news(slack, run)


def test_marked_as_failed_while_it_destroys(airflow: RealAirflow, slack: SlackServer) -> None:
    run = airflow.trigger("readiness_short")
    task = destroying(run)
    run.mark_failed()
    task.go_on()
    assert run.end() == "failed", run.states
    assert (run.states["destroy"], run.states["seal"]) == ("success", "failed")
    assert airflow.left == []
    assert has_verdict(run)
    assert MARKED in news(slack, run)


def test_killed_while_it_restores_it_goes_on_and_killed_again_it_is_red(
    airflow: RealAirflow, slack: SlackServer
) -> None:
    run = airflow.trigger("readiness_short")
    restoring(run).kill()
    restoring(run, attempt=2).kill_with_supervisor()
    assert run.end() == "failed", run.states
    states = run.states
    assert (states["restore"], states["destroy"], states["seal"]) == ("failed", "success", "failed")
    assert airflow.left == []
    assert "restore failed" in news(slack, run)


def test_killed_in_a_stage(airflow: RealAirflow, slack: SlackServer) -> None:
    run = airflow.trigger("readiness_long")
    loading(run, "first.load").kill()
    assert run.end() == "failed", run.states
    states = run.states
    assert (states["first.load"], states["second.load"]) == ("failed", "upstream_failed")
    assert (states["destroy"], states["seal"]) == ("success", "failed")
    assert airflow.left == []
    assert "first.load failed" in news(slack, run)


def test_killed_while_it_destroys_it_tries_again_and_is_green(
    airflow: RealAirflow, slack: SlackServer
) -> None:
    run = airflow.trigger("readiness_short")
    destroying(run).kill()
    assert run.clone_name in " ".join(airflow.left)
    # The verdict stands, and nothing is left: red would cry wolf.
    assert run.end() == "success", run.states
    assert run.tasks["destroy"]["try_number"] == 2
    assert airflow.left == []
    assert has_verdict(run)
    assert not [m for m in slack.roots if "failed" in m["text"]]

"""Under a real scheduler: a triggered run, one that comes by its timetable, one that has to wait."""

from __future__ import annotations

import pytest
from tests.fakes.slack_server import SlackServer
from tests.integration.scheduler.real_airflow import RealAirflow, wait_for
from tests.integration.scheduler.task_process import restoring

LOAD_POOL = "readiness_load"

pytestmark = [pytest.mark.airflow, pytest.mark.mysql, pytest.mark.long]


def test_a_triggered_run_ends_green_with_a_verdict_and_its_report_in_slack(
    airflow: RealAirflow, slack: SlackServer
) -> None:
    run = airflow.trigger("readiness_short", note="by hand")
    assert run.end() == "success", run.states
    assert set(run.states.values()) == {"success"}
    assert run.facts["logical_date"] is None
    assert run.folder.read_verdict().checks
    assert run.xcom("report") == run.folder.read_verdict().verdict
    (root,) = slack.roots
    replies = [m for m in slack.messages.values() if m.get("thread_ts") == root["ts"]]
    assert replies
    assert len(slack.shared()) == 1
    assert run.told() == ["start", "stage", "stage", "report", "end"]
    assert airflow.left == []


def test_a_second_run_on_the_same_target_is_refused_and_the_first_is_not_harmed(
    airflow: RealAirflow, slack: SlackServer
) -> None:
    first = airflow.trigger("readiness_short")
    task = restoring(first)
    second = airflow.trigger("readiness_rival")
    assert second.end() == "failed"
    task.go_on()
    assert second.states["reserve"] == "failed"
    assert set(second.states.values()) <= {"failed", "upstream_failed", "success"}
    holder = f"Another run uses the target demo-production: {first.folder.path.name}."
    assert holder in second.log("reserve")
    assert first.end() == "success", first.states
    assert first.folder.read_verdict().checks
    assert airflow.left == []


def test_without_its_pool_a_run_waits_before_anything_is_made(
    airflow: RealAirflow, slack: SlackServer
) -> None:
    runs_before = set((airflow.home.state / "runs").glob("*"))
    airflow.delete_pool(LOAD_POOL)
    try:
        run = airflow.trigger("readiness_short")
        missing = f"non-existent pool '{LOAD_POOL}'"
        wait_for(lambda: airflow.said(missing), lambda: missing, within_s=120)
        assert set(run.states.values()) <= {"", "scheduled"}
        assert airflow.left == []
        assert set((airflow.home.state / "runs").glob("*")) == runs_before
    finally:
        airflow.make_pools()
    assert run.end() == "success", run.states
    assert airflow.left == []

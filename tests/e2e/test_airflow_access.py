"""`make up AUTH=users`: each role may do what it should, and a killed Airflow leaves nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.airflow_ui import AirflowUi
from tests.e2e.devtools import Browser

from readiness.demo.ui_api import AirflowApi
from readiness.demo.ui_environment import passwords
from readiness.demo.ui_processes import marked
from readiness.demo.ui_server import running
from readiness.errors import ServerError

pytestmark = [pytest.mark.e2e, pytest.mark.airflow, pytest.mark.long]

DAG = "readiness_nothing"
POOL = {"slots": 1, "description": "", "include_deferred": False}
SOURCE = f"""
from airflow.sdk import DAG, task
with DAG("{DAG}", schedule=None):
    @task
    def nothing():
        pass
    nothing()
"""


@pytest.fixture(scope="module")
def ui(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AirflowUi]:
    dags = tmp_path_factory.mktemp("dags")
    (dags / f"{DAG}.py").write_text(SOURCE)
    made = AirflowUi(tmp_path_factory.mktemp("state"), "--auth", "users", "--dags", str(dags))
    done = made.up()
    try:
        assert done.returncode == 0, done.stdout + done.stderr
        yield made
    finally:
        made.down()


def as_user(ui: AirflowUi, user: str) -> AirflowApi:
    return AirflowApi(ui.url, user=user, password=passwords(ui.home)[user])


def trigger(api: AirflowApi) -> None:
    api.call("POST", f"/api/v2/dags/{DAG}/dagRuns", {"logical_date": None})


def test_nobody_in_particular_sees_nothing(ui: AirflowUi) -> None:
    with pytest.raises(ServerError, match="status 401"):
        ui.api.dags()


def test_a_wrong_password_does_not_log_in(ui: AirflowUi) -> None:
    with pytest.raises(ServerError, match="status 401"):
        AirflowApi(ui.url, user="admin", password="wrong").dags()


def test_a_viewer_sees_and_starts_nothing(ui: AirflowUi) -> None:
    viewer = as_user(ui, "viewer")
    assert [dag.name for dag in viewer.dags()] == [DAG]
    with pytest.raises(ServerError, match="status 403"):
        trigger(viewer)


@pytest.mark.parametrize("user", ["user", "op", "admin"])
def test_users_start_runs(ui: AirflowUi, user: str) -> None:
    trigger(as_user(ui, user))


@pytest.mark.parametrize(("user", "may"), [("user", False), ("op", True), ("admin", True)])
def test_only_operators_change_pools(ui: AirflowUi, user: str, may: bool) -> None:
    change = as_user(ui, user)
    if may:
        change.make_pool("readiness_load", POOL)
        return
    with pytest.raises(ServerError, match="status 403"):
        change.make_pool("readiness_load", POOL)


def test_the_browser_asks_who_one_is(ui: AirflowUi, chromium: str, tmp_path: Path) -> None:
    with Browser(chromium, tmp_path) as browser:
        browser.open(ui.url)
        browser.see("!!document.querySelector('input[type=password]')")
        browser.type_into("document.querySelector('input[name=username]')", "viewer")
        browser.type_into(
            "document.querySelector('input[type=password]')", passwords(ui.home)["viewer"]
        )
        browser.click("document.querySelector('button[type=submit]')")
        browser.see_text("Dags")


def test_passwords_stand_in_no_log(ui: AirflowUi) -> None:
    log = ui.home.log.read_text("utf-8")
    assert [user for user, word in passwords(ui.home).items() if word in log] == []


def test_down_after_kill_9_of_the_first_process_leaves_nothing(ui: AirflowUi) -> None:
    there = running(ui.home)
    assert there is not None
    os.kill(there.pid, signal.SIGKILL)
    assert "ended: Airflow" in ui.down().stdout
    assert marked(ui.home.state) == []


def test_ctrl_c_while_it_starts_leaves_nothing(ui: AirflowUi) -> None:
    code, said = ui.up_interrupted()
    assert code == 5
    assert "Interrupted. Nothing is left running." in said
    assert marked(ui.home.state) == []
    assert ui.down().stdout == "Nothing was running.\n"

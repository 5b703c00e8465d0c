"""One real Airflow for all tests of this folder: what `make up` starts, on the demo's databases."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.slack_server import CHANNEL, TOKEN, SlackServer
from tests.integration.scheduler import launching
from tests.integration.scheduler.real_airflow import RealAirflow

from readiness.adapters.server_binary import ServerBinary
from readiness.adapters.server_room import free_port
from readiness.demo import databases, ui_server
from readiness.demo.ui_api import AirflowApi
from readiness.demo.ui_environment import UiHome

HERE = Path(__file__).parent
PLAN_FILE = """\
from readiness.airflow.plan_dag import plan_dag

dag = plan_dag({plan!r})
"""


@pytest.fixture(scope="session")
def channel() -> Iterator[SlackServer]:
    """A Slack that the tasks reach."""
    with SlackServer() as server:
        yield server


@pytest.fixture
def slack(channel: SlackServer) -> SlackServer:
    """The Slack, its channel empty."""
    channel.messages.clear()
    channel.files.clear()
    channel.calls.clear()
    return channel


@pytest.fixture(scope="session")
def airflow(
    server_binary: ServerBinary,
    channel: SlackServer,
    repository: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RealAirflow]:
    """The running Airflow; at the end every process of it is gone."""
    assert server_binary
    top = tmp_path_factory.mktemp("scheduler")
    ui, dags = UiHome(top / "state"), top / "dags"
    write_dags(dags, repository)
    databases.prepare(ui.state, lambda _text: None)
    port = free_port()
    api = AirflowApi(f"http://127.0.0.1:{port}")
    try:
        launch(ui, dags, port, slack_connection(channel))
        there = ui_server.running(ui)
        assert there
        ui_server.wait_healthy(ui, there, api)
        settled = ui_server.settle(api, dags)
        assert settled.broken == {}
        yield RealAirflow(ui, dags, api)
    finally:
        ui_server.stop(ui)


def launch(ui: UiHome, dags: Path, port: int, variables: dict[str, str]) -> None:
    """Starts it in the background."""
    subprocess.run(
        [sys.executable, launching.__file__ or "", str(ui.state), str(dags), str(port)],
        env={**os.environ, **variables},
        check=True,
        timeout=120,
    )


def write_dags(dags: Path, repository: Path) -> None:
    """A DAG file for each plan of this folder, and the janitor's own."""
    dags.mkdir()
    for plan in (HERE / "plans").glob("*.yaml"):
        (dags / f"readiness_{plan.stem}.py").write_text(PLAN_FILE.format(plan=str(plan)))
    shutil.copy(repository / "dags" / "readiness_janitor.py", dags)


def slack_connection(server: SlackServer) -> dict[str, str]:
    """The connection `slack_default` as Airflow reads it from a variable."""
    known = {
        "conn_type": "slack",
        "password": TOKEN,
        "extra": {"channel": CHANNEL, "base_url": server.url},
    }
    return {"AIRFLOW_CONN_SLACK_DEFAULT": json.dumps(known)}

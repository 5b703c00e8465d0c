"""`make up` as a test uses it: the state in a folder of the test, a free port, ended whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from readiness.adapters.server_room import free_port
from readiness.demo.ui_api import AirflowApi
from readiness.demo.ui_environment import UiHome
from readiness.errors import ServerError


class AirflowUi:
    """One `make up`; `home` tells where it lives."""

    def __init__(self, state: Path, *options: str) -> None:
        self.home = UiHome((state / "ui").resolve())
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.api = AirflowApi(self.url)
        self._options = ("--port", str(self.port), *options)

    def up(self) -> subprocess.CompletedProcess[str]:
        """`make up`."""
        return self._command("start", *self._options)

    def up_interrupted(self) -> tuple[int, str]:
        """`make up` with Ctrl-C as soon as Airflow's first process runs; exit code and stderr."""
        begun = subprocess.Popen(
            self._arguments("start", *self._options),
            env=self._environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_for(self.home.record.exists, "Airflow to start")
        begun.send_signal(signal.SIGINT)
        _, said = begun.communicate(timeout=60)
        return begun.returncode, said

    def down(self) -> subprocess.CompletedProcess[str]:
        """`make down`."""
        return self._command("stop")

    def trigger(self, dag: str, conf: dict[str, object] | None = None) -> str:
        """Starts a run; its id."""
        body = {"logical_date": None, "conf": conf or {}}
        return str(self.api.call("POST", f"/api/v2/dags/{dag}/dagRuns", body)["dag_run_id"])

    def latest_run(self, dag: str) -> dict[str, Any]:
        """The run that was started last; {} before the first."""
        path = f"/api/v2/dags/{dag}/dagRuns?order_by=-run_after&limit=1"
        runs = self.api.call("GET", path)["dag_runs"]
        return dict(runs[0]) if runs else {}

    def tasks(self, dag: str) -> dict[str, dict[str, Any]]:
        """The task instances of the latest run by their id."""
        path = f"/api/v2/dags/{dag}/dagRuns/{self.latest_run(dag)['dag_run_id']}/taskInstances"
        return {t["task_id"]: t for t in self.api.call("GET", path)["task_instances"]}

    def _command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._arguments(*arguments),
            env=self._environment(),
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )

    def _arguments(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "readiness.demo.standalone", *arguments]

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "READINESS_STATE": str(self.home.state.parent)}


def wait_for(holds: Callable[[], bool], what: str, within_s: float = 300.0) -> None:
    """Waits until something holds, also through times when a loaded machine answers nothing."""
    deadline = time.monotonic() + within_s
    while not _answers(holds):
        assert time.monotonic() < deadline, f"waited {within_s:.0f} s for {what}"
        time.sleep(1.0)


def _answers(holds: Callable[[], bool]) -> bool:
    try:
        return holds()
    except ServerError:
        return False

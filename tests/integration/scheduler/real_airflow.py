"""The Airflow of `make up` as these tests use it: its API, its runs, what they leave behind."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from readiness.adapters import leftovers
from readiness.adapters.local_clones import LocalClones
from readiness.adapters.processes import all_pids, command_line
from readiness.adapters.server_command import ServerOptions
from readiness.artifacts.run_folder import RunFolder
from readiness.clones.naming import clone_name
from readiness.demo import ui_server
from readiness.demo.ui_api import AirflowApi
from readiness.demo.ui_environment import UiHome
from readiness.errors import ServerError
from readiness.model.clone import Clone

T = TypeVar("T")
ENDED = ("success", "failed")


@dataclass(frozen=True)
class RealAirflow:
    """One running Airflow: scheduler, DAG processor, triggerer and API server."""

    home: UiHome
    dags: Path
    api: AirflowApi

    @property
    def clones(self) -> LocalClones:
        """The clones of its tasks."""
        return LocalClones(self.home.state, options=ServerOptions(is_attached=False))

    @property
    def left(self) -> list[str]:
        """What a run should have removed: clones, servers, load workers, held locks."""
        workers = [f"load worker {pid}" for pid in all_pids() if self._is_worker(pid)]
        locks = [f"lock {path.name}" for path in (self.home.state / "locks").glob("*.json")]
        return [*leftovers.find(self.home.state), *workers, *locks]

    def trigger(self, dag: str, **conf: object) -> Run:
        """Starts a run as a person does, without a logical date."""
        body = {"logical_date": None, "conf": conf}
        made = self.api.call("POST", f"/api/v2/dags/{dag}/dagRuns", body)
        return Run(self, dag, made["dag_run_id"])

    def runs(self, dag: str) -> list[dict[str, Any]]:
        """All runs of a DAG."""
        found = self.api.call("GET", f"/api/v2/dags/{dag}/dagRuns?order_by=run_after")
        return list(found["dag_runs"])

    def pause(self, dag: str, *, is_paused: bool) -> None:
        """Pauses or un-pauses a DAG."""
        self.api.call("PATCH", f"/api/v2/dags/{dag}", {"is_paused": is_paused})

    def delete_pool(self, name: str) -> None:
        """Removes a pool."""
        request = urllib.request.Request(f"{self.api.url}/api/v2/pools/{name}", method="DELETE")
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20):
            pass

    def make_pools(self) -> None:
        """Makes the pools as `make up` does."""
        ui_server.settle(self.api, self.dags)

    def said(self, text: str) -> bool:
        """Whether a component has printed the text."""
        return text in self.home.log.read_text("utf-8", "replace")

    def _is_worker(self, pid: int) -> bool:
        is_worker = "readiness.worker" in command_line(pid)
        return is_worker and environment_has(pid, str(self.home.state))


@dataclass(frozen=True)
class Run:
    """One DAG run."""

    airflow: RealAirflow
    dag: str
    run_id: str

    @property
    def path(self) -> str:
        """Its address in the API."""
        return f"/api/v2/dags/{self.dag}/dagRuns/{quote(self.run_id, safe='')}"

    @property
    def facts(self) -> dict[str, Any]:
        """The run as the API shows it."""
        return dict(self.airflow.api.call("GET", self.path))

    @property
    def tasks(self) -> dict[str, dict[str, Any]]:
        """Its task instances by task id."""
        found = self.airflow.api.call("GET", f"{self.path}/taskInstances?limit=100")
        return {ti["task_id"]: ti for ti in found["task_instances"]}

    @property
    def states(self) -> dict[str, str]:
        """The states of its tasks by task id; "" before there is one."""
        return {name: ti["state"] or "" for name, ti in self.tasks.items()}

    @property
    def folder(self) -> RunFolder:
        """Its run folder, as reserve has returned it."""
        return RunFolder(Path(str(self.xcom("reserve"))))

    @property
    def clone_name(self) -> str:
        """The name of its clone."""
        return clone_name(self.folder.path.name, "a")

    @property
    def clone(self) -> Clone:
        """Its clone."""
        return self.airflow.clones.named(self.clone_name)

    def xcom(self, task: str) -> object:
        """What a task has returned."""
        path = f"{self.path}/taskInstances/{task}/xcomEntries/return_value"
        return self.airflow.api.call("GET", path)["value"]

    def log(self, task: str, attempt: int = 1) -> str:
        """The log of one try of a task."""
        found = self.airflow.api.call("GET", f"{self.path}/taskInstances/{task}/logs/{attempt}")
        return json.dumps(found["content"])

    def mark_failed(self) -> None:
        """What the button "Mark run as… failed" does."""
        self.airflow.api.call("PATCH", self.path, {"state": "failed"})

    def reaches(self, task: str, *states: str, within_s: float = 180) -> dict[str, Any]:
        """Waits until a task is in one of the states; the task instance. A run that ends first
        fails the test."""

        def found() -> dict[str, Any] | None:
            ti = self.tasks.get(task, {})
            if ti.get("state") in states:
                return ti
            assert self.facts["state"] not in ENDED, f"{self.dag} ended first: {self.states}"
            return None

        return wait_for(found, lambda: f"{task} {states}: {self.states}", within_s=within_s)

    def end(self, *, within_s: float = 300) -> str:
        """Waits until the run ends; its state."""

        def ended() -> str | None:
            state = str(self.facts["state"])
            return state if state in ENDED else None

        return wait_for(ended, lambda: f"the run's end: {self.states}", within_s=within_s)

    def told(self) -> list[str]:
        """The verbs by which its channel was told, in order."""
        return [e["verb"] for e in self.folder.read_events() if e["event"] == "told"]


def wait_for(
    look: Callable[[], T | None],
    what: Callable[[], str],
    *,
    within_s: float,
    every_s: float = 0.3,
) -> T:
    """What `look` finds, as soon as it is something; also through moments without an answer."""
    deadline = time.monotonic() + within_s
    while True:
        try:
            found = look()
        except ServerError:  # a loaded machine: asked again
            found = None
        if found is not None and found is not False:
            return found
        assert time.monotonic() < deadline, f"waited {within_s:.0f} s for {what()}"
        time.sleep(every_s)


def environment_has(pid: int, text: str) -> bool:
    """Whether the text stands in a process's environment."""
    try:
        return text.encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False

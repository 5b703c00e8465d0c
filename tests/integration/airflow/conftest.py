"""Runs of plans by `dag.test`, each in a process of its own, against the demo's databases."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.integration.upkeep import airflow_process
from tests.integration.upkeep.airflow_process import environment

from readiness.adapters import leftovers
from readiness.adapters.server_binary import ServerBinary
from readiness.artifacts.run_folder import RunFolder
from readiness.demo.databases import prepare

PLANS = Path(__file__).parent / "plans"
FILE = """\
from readiness.airflow.plan_dag import plan_dag

dag = plan_dag({plan!r})
"""


@dataclass
class DagProcess:
    """A process that runs the DAG of one plan."""

    state: Path
    store: Path
    log: Path
    process: subprocess.Popen[str]

    def end(self) -> tuple[str, dict[str, str]]:
        """The state of the run, and of its tasks by id."""
        code = self.process.wait(timeout=240)
        said = self.log.read_text("utf-8")
        assert code == 0, said[-5000:]
        answer: dict[str, Any] = json.loads(said.splitlines()[-1])
        return answer["state"], answer["tasks"]

    @property
    def folder(self) -> RunFolder:
        """The run's folder."""
        (found,) = (self.store / "runs").iterdir()
        return RunFolder(found)

    @property
    def left(self) -> list[str]:
        """What the run should have removed: clones, servers, held locks."""
        locks = [path.name for path in (self.state / "locks").glob("*.json")]
        return [*leftovers.find(self.state), *locks]


@pytest.fixture(scope="session")
def state(server_binary: ServerBinary, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A state folder with the demo's snapshot and workload."""
    assert server_binary
    folder = tmp_path_factory.mktemp("state")
    prepare(folder, lambda _text: None)
    yield folder
    leftovers.clean(folder)


@pytest.fixture(scope="session")
def airflow_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh AIRFLOW_HOME."""
    return tmp_path_factory.mktemp("airflow")


StartDag = Callable[..., DagProcess]


@pytest.fixture
def start_dag(state: Path, airflow_home: Path, tmp_path: Path) -> Iterator[StartDag]:
    """Starts the run of a plan; each test has a store of its own."""
    started: list[subprocess.Popen[str]] = []

    def start(plan: str, conf: object = None, **variables: str) -> DagProcess:
        store = tmp_path / "store"
        file, log = tmp_path / f"{plan}.py", tmp_path / "said.txt"
        file.write_text(FILE.format(plan=str(PLANS / f"{plan}.yaml")))
        env = environment(
            airflow_home,
            READINESS_STATE=str(state),
            READINESS_STORE=str(store),
            READINESS_CLONE_LIFETIME="attached",
            **variables,
        )
        command = [sys.executable, airflow_process.__file__ or "", "run", str(file)]
        with log.open("w") as out:
            process = subprocess.Popen(
                [*command, json.dumps(conf)],
                cwd=tmp_path, env=env, stdout=out, stderr=subprocess.STDOUT, text=True,
            )  # fmt: skip
        started.append(process)
        return DagProcess(state, store, log, process)

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
            process.wait()
    leftovers.clean(state)


def workers_of(run: DagProcess) -> list[int]:
    """The load workers that the run's process has started and that still run."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if parent == run.process.pid and b"readiness.worker" in command:
                found.append(int(entry.name))
    return found

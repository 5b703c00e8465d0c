"""The Airflow of the demo: a process that runs one plan's DAG, and never outlives this one."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import readiness
from readiness.artifacts.run_folder import RunFolder
from readiness.config.plan import Plan
from readiness.errors import ArtifactError, ReadinessError

REPOSITORY = Path(readiness.__file__).resolve().parents[2]
END_WITHIN_S = 2.0  # its load and servers stop by themselves when it is killed


@dataclass(frozen=True, slots=True)
class AirflowPlaces:
    """Where it lives: AIRFLOW_HOME, kept between demos, and the state folder of the run."""

    home: Path
    state: Path
    store: Path


class AirflowChild:
    """`python -m readiness.airflow.in_process`: imports and waits, until `run`."""

    def __init__(self, plan: Plan, places: AirflowPlaces, *, conf: Mapping[str, object]) -> None:
        self._places = places
        self._result = places.state / "airflow-run.json"
        self._result.unlink(missing_ok=True)
        places.home.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "readiness.airflow.in_process"]
        command += ["--plan", str(plan.source.path.resolve()), "--conf", json.dumps(dict(conf))]
        command += ["--result", str(self._result), "--starter", str(os.getpid())]
        # A session of its own: a terminal's Ctrl-C reaches this process alone.
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, start_new_session=True, env=_environment(places)
        )

    def run(self) -> RunFolder:
        """Lets the run begin and waits for its end; its folder, with a verdict in it.

        Raises ReadinessError: what the first failed task said, or that Airflow itself failed."""
        self._say_go()
        code = self._process.wait()
        folder = self._folder()
        failure = _first_failure(folder) if folder else None
        if failure:
            raise failure
        if folder is None or not (folder.path / "verdict.json").is_file():
            raise self._died(code, folder)
        return folder

    def end(self) -> None:
        """Ends it: asked first, then by force. Nothing when it has ended."""
        if self._process.stdin and not self._process.stdin.closed:
            self._process.terminate()
        try:
            self._process.wait(END_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdin:
            self._process.stdin.close()

    def _say_go(self) -> None:
        if self._process.stdin is None:
            raise ReadinessError("Airflow takes no command.")
        try:
            self._process.stdin.write(b"go\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._died(self._process.wait(), None) from error

    def _folder(self) -> RunFolder | None:
        try:
            return RunFolder(Path(json.loads(self._result.read_text("utf-8"))["folder"]))
        except (OSError, ValueError, KeyError):
            return None

    def _died(self, code: int, folder: RunFolder | None) -> ReadinessError:
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        log = (
            folder.path / "logs" / "airflow.log" if folder else self._places.home / "in-process.log"
        )
        return ReadinessError(
            f"Airflow ended before the run had a verdict ({how}).", hint=f"Its log: {log}"
        )


def _first_failure(folder: RunFolder) -> ReadinessError | None:
    """What the first task that failed said; seal only repeats what others did."""
    try:
        events = folder.read_events()
    except ArtifactError:
        return None
    for event in events:
        if event["event"] == "task_failed":
            error = ReadinessError(str(event["message"]), hint=str(event["hint"]))
            error.exit_code = int(event["exit_code"])
            return error
    return None


def _environment(places: AirflowPlaces) -> dict[str, str]:
    """Ours, without what another Airflow was told; its connections are passed on."""
    passed = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AIRFLOW", "READINESS_KEY")) or name.startswith("AIRFLOW_CONN_")
    }
    package = str(Path(readiness.__file__).parent.parent)
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH", "")])]
    return {
        **passed,
        "PYTHONPATH": os.pathsep.join(paths),
        "AIRFLOW_HOME": str(places.home),
        "AIRFLOW__CORE__DAGS_FOLDER": str(places.home / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(REPOSITORY / "plugins"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{places.home / 'airflow.db'}",
        "AIRFLOW__LOGGING__BASE_LOG_FOLDER": str(places.home / "logs"),
        "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
        "READINESS_STATE": str(places.state),
        "READINESS_STORE": str(places.store),
        "READINESS_CLONE_LIFETIME": "attached",
        # A key that nobody keeps: no pseudonym of the clone can ever be repeated.
        "READINESS_KEY": secrets.token_hex(32),
    }

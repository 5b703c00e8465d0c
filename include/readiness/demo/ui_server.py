"""`airflow standalone` as a server of the demo: started, waited for, settled, and ended whole."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from readiness.adapters import leftovers
from readiness.adapters.local_clones import LocalClones
from readiness.adapters.processes import ProcessIdentity, end_all, identify, is_alive
from readiness.adapters.server_command import ServerOptions
from readiness.artifacts import atomic
from readiness.demo import ui_processes
from readiness.demo.ui_api import AirflowApi, Dag
from readiness.demo.ui_environment import REPOSITORY, UiHome, UiOptions
from readiness.errors import ServerError

JANITOR = "readiness_janitor"
HEALTHY_WITHIN_S = 300.0
PARSED_WITHIN_S = 120.0
_LOOK_S = 1.0
_STANDALONE_GRACE_S = 10.0
_OTHERS_GRACE_S = 5.0
_LAST_LINES = 8


@dataclass(frozen=True, slots=True)
class Running:
    """The Airflow that runs: its first process, where it answers, and whether it asks who one is."""

    pid: int
    started_ticks: int
    url: str
    auth: str

    @property
    def process(self) -> ProcessIdentity:
        """The process of `airflow standalone`."""
        return ProcessIdentity(self.pid, self.started_ticks)


@dataclass(frozen=True, slots=True)
class Settled:
    """The DAGs that are there, those whose runs may begin, and files that could not be read."""

    dags: tuple[str, ...]
    unpaused: tuple[str, ...]
    broken: dict[str, str]


def running(ui: UiHome) -> Running | None:
    """What runs for this state folder; None when nothing does."""
    try:
        found = Running(**json.loads(ui.record.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return found if is_alive(found.process) else None


def launch(ui: UiHome, options: UiOptions, env: Mapping[str, str]) -> Running:
    """Starts `airflow standalone` in a session of its own; it outlives this process."""
    with ui.log.open("wb") as log:
        # A shell that starts us in the background ignores SIGINT, by which standalone ends.
        started = subprocess.Popen(
            ["env", "--default-signal=INT", "airflow", "standalone"],
            cwd=ui.home,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    process = identify(started.pid)
    if process is None:
        raise _ended(ui)
    there = Running(process.pid, process.started_ticks, options.url, options.auth)
    atomic.write_bytes(ui.record, json.dumps(asdict(there), indent=1).encode())
    return there


def wait_healthy(ui: UiHome, there: Running, api: AirflowApi) -> None:
    """Returns when every component reports that it is healthy. Raises ServerError when Airflow ends
    first or takes more than HEALTHY_WITHIN_S."""
    deadline = time.monotonic() + HEALTHY_WITHIN_S
    while missing := api.unhealthy():
        if not is_alive(there.process):
            raise _ended(ui)
        if time.monotonic() > deadline:
            raise ServerError(
                f"Airflow is not healthy after {HEALTHY_WITHIN_S:.0f} s: {', '.join(missing)}.",
                hint=f"See {ui.log}",
            )
        time.sleep(_LOOK_S)


def settle(api: AirflowApi, dags: Path) -> Settled:
    """Makes the pools, waits until each file of `dags` was read, and un-pauses what only starts
    when somebody asks, and the janitor. Raises ServerError."""
    for name, body in json.loads((REPOSITORY / "config" / "pools.json").read_text("utf-8")).items():
        api.make_pool(name, body)
    wanted = {path.stem for path in dags.glob("*.py")}
    found, broken = _read(api, wanted)
    to_start = [dag for dag in found if not dag.schedule or dag.name == JANITOR]
    for dag in to_start:
        if dag.is_paused:
            api.unpause(dag.name)
    return Settled(tuple(d.name for d in found), tuple(d.name for d in to_start), broken)


def stop(ui: UiHome) -> list[str]:
    """Ends every process and destroys every clone of this state folder; says what was there."""
    there = running(ui)
    if there:
        end_all([there.process], first=signal.SIGINT, grace_s=_STANDALONE_GRACE_S)
    ended = ui_processes.end_marked(ui.state, grace_s=_OTHERS_GRACE_S)
    said = ["Airflow"] if there or ended else []
    clones = LocalClones(ui.state, options=ServerOptions(is_attached=False))
    said += [f"clone {clone.name}" for clone in clones.list() if clones.destroy(clone.name)]
    said += leftovers.clean(ui.state)
    ui.record.unlink(missing_ok=True)
    return said


def _read(api: AirflowApi, wanted: set[str]) -> tuple[list[Dag], dict[str, str]]:
    """A DAG is named after its file, so a file is read when its DAG or its error is there."""
    deadline = time.monotonic() + PARSED_WITHIN_S
    while True:
        found, broken = api.dags(), api.import_errors()
        here = [dag for dag in found if dag.name in wanted]
        known = {dag.name for dag in here} | {Path(file).stem for file in broken}
        if wanted <= known or time.monotonic() > deadline:
            return here, broken
        time.sleep(_LOOK_S)


def _ended(ui: UiHome) -> ServerError:
    lines = ui.log.read_text("utf-8", "replace").splitlines() if ui.log.exists() else []
    said = "\n".join(f"  {line}" for line in lines[-_LAST_LINES:])
    return ServerError(f"Airflow ended before it was healthy:\n{said}", hint=f"See {ui.log}")

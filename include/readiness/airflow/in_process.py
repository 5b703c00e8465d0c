"""One run of a plan's DAG in this process, by `dag.test`: no scheduler, no server, no login.

Started by the demo as `python -m readiness.airflow.in_process`, with AIRFLOW_HOME and the READINESS_*
variables set. Waits for a line on its input, and ends at once when that input ends: with its starter.
What Airflow says goes to the run's logs/airflow.log; steps and stages go to the terminal.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from readiness.airflow.task_run import run_id_of
from readiness.artifacts import atomic
from readiness.cli.live import LiveView
from readiness.cli.ramp import live_ramp
from readiness.config.plan import Plan, load_plan
from readiness.config.settings import read_settings
from readiness.demo.stage_steps import StageSteps
from readiness.demo.steps import Steps
from readiness.errors import ConfigError
from readiness.flow.ramp import Watcher
from readiness.model.run import RunRecord
from readiness.report.terminal import format_error
from readiness.wiring.ramps import require_one_shard

if TYPE_CHECKING:
    from airflow.sdk import DAG

_PR_SET_PDEATHSIG = 1
_FILE = """\
from readiness.airflow.plan_dag import plan_dag

dag = plan_dag({plan!r})
"""


class Terminal:
    """An `Onlooker` that tells steps on `out` and draws stages on `live`."""

    def __init__(self, out: TextIO, live: TextIO) -> None:
        self._steps = Steps(out, colour=out.isatty())
        self._live = live
        self._watchers: dict[str, Watcher] = {}

    def step(self, name: str) -> AbstractContextManager[Callable[[str], None]]:
        """One line when it has ended."""
        return self._steps.step(name)

    def progress(self, text: str, /) -> None:
        """The step's own line says enough."""

    def watcher(self, plan: Plan, record: RunRecord) -> Watcher:
        """A picture of the whole run that is redrawn, or a line now and then."""
        if record.run_id not in self._watchers:
            view = LiveView(live_ramp(plan, record), self._live)
            self._watchers[record.run_id] = StageSteps(view, self._steps)
        return self._watchers[record.run_id]


def main() -> int:
    """0 when the DAG run ended green, 1 when it ended red."""
    parser = argparse.ArgumentParser(prog="python -m readiness.airflow.in_process")
    parser.add_argument("--plan", required=True, help="a name in include/plans/, or a file")
    parser.add_argument("--conf", default="{}", help="values of the DAG's form, as JSON")
    parser.add_argument("--result", type=Path, required=True, help="file for folder and state")
    parser.add_argument("--starter", type=int, required=True, help="the process to die with")
    args = parser.parse_args()
    _die_with(args.starter)
    plan, home = _plan(args.plan), Path(os.environ["AIRFLOW_HOME"])
    terminal = Terminal(_kept(1), _kept(2))
    _send_output_to(home / "in-process.log")
    dag = _prepared(plan, home, terminal)
    _wait_for_go()
    return _run(dag, plan, json.loads(args.conf), args.result)


def _plan(name: str) -> Plan:
    """The plan; a mistake in it, or one that needs tasks at once, ends this process by one message."""
    try:
        plan = load_plan(name)
        require_one_shard(plan)
    except ConfigError as error:
        sys.exit(format_error(error, colour=False))
    return plan


def _run(dag: DAG, plan: Plan, conf: dict[str, object], result: Path) -> int:
    run_after = datetime.now(UTC)
    run_id = run_id_of(plan.name, run_after, f"manual__{run_after.isoformat()}")
    folder = read_settings().runs.resolve() / run_id
    _write_result(result, folder, "")
    _send_output_to(folder / "logs" / "airflow.log")
    run = dag.test(run_after=run_after, logical_date=run_after, run_conf=conf)
    _write_result(result, folder, str(run.state))
    return 0 if run.state == "success" else 1


def _prepared(plan: Plan, home: Path, terminal: Terminal) -> DAG:
    """Airflow imported, its database made once, and the plan's DAG, from a file of its own."""
    _make_database(home)
    from airflow.sdk.execution_time.supervisor import in_process_api_server

    from readiness.airflow.operators import ReadinessOperator
    from readiness.airflow.plan_dag import dag_id_of

    in_process_api_server().transport  # noqa: B018 - made now, while the starter is busy: seconds
    ReadinessOperator.onlooker = terminal
    folder = home / "dags"
    shutil.rmtree(folder, ignore_errors=True)
    file = folder / f"{dag_id_of(plan.name)}.py"
    atomic.write_bytes(file, _FILE.format(plan=str(plan.source.path.resolve())).encode())
    return _dag_in(file)


def _make_database(home: Path) -> None:
    """The database of this Airflow version under `home`; a half-made one is made anew."""
    made = home / f"database-{version('apache-airflow')}"
    if made.exists():
        return
    for left in home.glob("airflow.db*"):
        left.unlink()
    from airflow.utils.db import initdb

    initdb()
    made.touch()


def _dag_in(file: Path) -> DAG:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    dag: DAG = module.dag
    return dag


def _write_result(path: Path, folder: Path, state: str) -> None:
    atomic.write_bytes(path, json.dumps({"folder": str(folder), "state": state}).encode())


def _kept(descriptor: int) -> TextIO:
    """The terminal as it is now, whatever becomes of `descriptor`."""
    return os.fdopen(os.dup(descriptor), "w", buffering=1, encoding="utf-8", errors="replace")


def _send_output_to(log: Path) -> None:
    """Whatever this process prints from now on goes to the end of `log`."""
    log.parent.mkdir(parents=True, exist_ok=True)
    sys.stdout.flush()
    sys.stderr.flush()
    with log.open("ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)


def _die_with(starter: int) -> None:
    """This process ends with its starter, however that ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != starter:  # it died before the line above
        os._exit(1)


def _wait_for_go() -> None:
    """Returns at the first line of the input, whose end is watched from then on."""
    if not sys.stdin.readline():
        os._exit(1)

    def watch() -> None:
        sys.stdin.read()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())

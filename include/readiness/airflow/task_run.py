"""What every task of a run knows: its plan, its run folder, its clones, and who looks on."""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from readiness.adapters.local_clones import LocalClones
from readiness.adapters.server_command import ServerOptions
from readiness.airflow.onlookers import Onlooker
from readiness.artifacts.lease_lock import LeaseLocks
from readiness.artifacts.run_folder import RunFolder
from readiness.clones.naming import clone_name
from readiness.config.plan import Plan
from readiness.config.settings import Settings

VARIANT = "a"
SPARE_S = 30 * 60.0  # a lease ends so long after the task that renewed it must have ended


@dataclass(frozen=True, slots=True)
class DagRunFacts:
    """A DAG run as Airflow knows it; `run_after` is aware. `is_automatic`: no person asked for it.
    `params` are the form's values, `conf` is what was given of them."""

    run_id: str
    run_after: datetime
    is_automatic: bool
    conf: object
    params: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class TaskRun:
    """One task of one run. `timeout_s` is how long it may take."""

    name: str
    plan: Plan
    dag_run: DagRunFacts
    settings: Settings
    onlooker: Onlooker
    timeout_s: float

    @property
    def run_id(self) -> str:
        """The run's own name: the same in every task and every try."""
        return run_id_of(self.plan.name, self.dag_run.run_after, self.dag_run.run_id)

    @property
    def folder(self) -> RunFolder:
        """The run folder; all that tasks tell each other stands in it."""
        return RunFolder(self.settings.runs / self.run_id)

    @property
    def clones(self) -> LocalClones:
        """The clones of this machine."""
        return clones_of(self.settings.state.resolve(), self.settings.is_clone_attached)

    @property
    def clone_name(self) -> str:
        """The name of the run's clone, made or not."""
        return clone_name(self.run_id, VARIANT)

    @property
    def locks(self) -> LeaseLocks:
        """The locks of the state folder."""
        return LeaseLocks(self.settings.state / "locks")

    @property
    def lease_s(self) -> float:
        """The lease that covers this task."""
        return self.timeout_s + SPARE_S


def run_id_of(plan_name: str, run_after: datetime, airflow_run_id: str) -> str:
    """`weekly-20261130t050000z-1f3a`: when it was due, and which of Airflow's runs it is."""
    digest = hashlib.sha256(airflow_run_id.encode()).hexdigest()
    return f"{plan_name}-{run_after.astimezone(UTC):%Y%m%dt%H%M%Sz}-{digest[:4]}"


def host_lock() -> str:
    """The name of the lock of this load host."""
    return f"host-{socket.gethostname()}"


def target_lock(snapshot: str) -> str:
    """The name of the lock of the clones of a snapshot."""
    return f"target-{snapshot}"


@cache
def _attached(state: Path) -> LocalClones:
    # One for all tasks of a process: its servers live as long as it is kept.
    return LocalClones(state)


def clones_of(state: Path, is_attached: bool) -> LocalClones:
    """Clones that outlive the task that made them; or, attached, that die with this process."""
    if is_attached:
        return _attached(state)
    return LocalClones(state, options=ServerOptions(is_attached=False))

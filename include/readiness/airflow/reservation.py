"""`reservation.json`: what a run was promised when it began, and holds every later task to.

The plan file's hash is frozen here: a plan edited in mid-run would be judged by rules that its load
never followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from readiness.airflow.form import planned
from readiness.airflow.task_run import TaskRun
from readiness.artifacts import json_files
from readiness.artifacts.forms import reading
from readiness.artifacts.run_folder import RunFolder
from readiness.config.plan import Plan
from readiness.errors import ConfigError

VERSION = 1
FILE = "reservation.json"


@dataclass(frozen=True, slots=True)
class Reservation:
    """What a run may use: `params` are the values of its form, `locks` what it holds."""

    run_id: str
    airflow_run_id: str
    plan: str
    plan_sha256: str
    params: Mapping[str, object]
    locks: tuple[str, ...]
    reserved_at: float


def write_reservation(folder: RunFolder, reservation: Reservation) -> None:
    """Writes it. Raises ArtifactError."""
    content = {**asdict(reservation), "locks": list(reservation.locks)}
    json_files.write_json(folder.path / FILE, content, version=VERSION)


def read_reservation(folder: RunFolder) -> Reservation:
    """Reads it. Raises ArtifactError when the run was never reserved."""
    path = folder.path / FILE
    content = json_files.read_json(path, version=VERSION)
    with reading(path):
        return Reservation(**{**content, "locks": tuple(content["locks"])})


def reserved_plan(task: TaskRun) -> Plan:
    """The plan as this run was told to do it. Raises ConfigError when its file has changed since."""
    reservation = read_reservation(task.folder)
    found = task.plan.source.sha256
    if found != reservation.plan_sha256:
        raise ConfigError(
            f"The plan {task.plan.name} was edited while this run was under way:"
            f" it began with {reservation.plan_sha256[:12]}, the file is now {found[:12]}.",
            hint="Start a new run; this one ends here, and its clone is destroyed.",
        )
    return planned(task.plan, reservation.params, workloads=task.settings.workloads)

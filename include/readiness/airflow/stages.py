"""The tasks between restore and destroy: calibrate, one gate and one load a stage, the report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from readiness.airflow.lifecycle import renewed_plan
from readiness.airflow.reservation import read_reservation, reserved_plan
from readiness.airflow.task_run import TaskRun
from readiness.artifacts.lock import RunLock
from readiness.config.plan import Plan
from readiness.errors import ConfigError, WorkloadError
from readiness.model.load import StageResult
from readiness.model.run import RunRecord
from readiness.model.verdict import Verdict
from readiness.wiring import verdicts
from readiness.wiring.checks import CheckRequest, check_workload
from readiness.wiring.flows import places_of
from readiness.wiring.production import with_watched
from readiness.wiring.ramps import (
    RampRequest,
    close_run,
    kept_request,
    open_run,
    run_one_stage,
    run_shard,
)
from readiness.wiring.shards import post_of
from readiness.wiring.targets import Target, clone_dsn, target_of

CHECKOUTS_CHECKED = 100


def calibrate(task: TaskRun) -> RunRecord:
    """Tries the workload checkout by checkout, measures the capacity where the plan asks for it,
    and begins the run folder. Raises TargetRefused, WorkloadError, LoadError, Busy."""
    plan = renewed_plan(task)
    workload = _workload(plan)
    target = _target(task)
    with _load_host(task):
        task.folder.forget_results()
        for path in (workload, *(place.workload for place in places_of(plan, target, None))):
            _check(task, plan, target, path)
        request = RampRequest(plan, target, workload, task.folder)
        with task.onlooker.step("calibration") as tell:
            record = open_run(
                request, task.settings, progress=_silent, airflow_run_id=task.dag_run.run_id
            )
            tell(_calibrated(record))
    noted = replace(record, notes=(*record.notes, *_notes(task)))
    task.folder.write_run(noted)
    return noted


def forget_shards(task: TaskRun, stage_name: str) -> None:
    """Throws the mail of an earlier run of the stage away, so that no shard takes it for news."""
    post_of(task.folder, stage_name).forget()


def why_closed(task: TaskRun) -> str:
    """Why the next stage must not be loaded; "" opens its gate."""
    renewed_plan(task)
    results = task.folder.read_stages() if task.folder.has_results else []
    aborted = next((r for r in results if r.aborted_by), None)
    return f"{aborted.stage.name} was stopped: {aborted.aborted_by}" if aborted else ""


def load(task: TaskRun, stage_name: str) -> StageResult:
    """Runs one stage; one that an abort rule stopped is a result, too. Raises TargetRefused, WorkerLost, MetricsError, Busy."""
    plan = renewed_plan(task)
    record = task.folder.read_run()
    watcher = task.onlooker.watcher(plan, record)
    request = kept_request(plan, _target(task), task.folder)
    with _load_host(task):
        return run_one_stage(request, stage_name, task.settings, watcher)


def shard(task: TaskRun, stage_name: str, number: int) -> int:
    """Makes the load of one shard of a stage, while `load` runs in a task beside; in how many tries.

    The host's lock and the leases are that task's to keep. Raises TargetRefused, LoadError,
    WorkerLost."""
    plan = reserved_plan(task)
    request = kept_request(plan, _target(task), task.folder)
    with task.onlooker.step(f"shard {number} of {stage_name}") as tell:
        tries = run_shard(request, stage_name, number, task.settings)
        tell(f"{plan.options.workers} workers, {tries} tr{'y' if tries == 1 else 'ies'}")
    return tries


def report(task: TaskRun) -> Verdict | None:
    """Judges and draws what was measured; None when nothing was. Raises ArtifactError."""
    if not task.folder.has_results:
        return None
    close_run(task.folder)
    with task.onlooker.step("judge") as tell:
        verdict = verdicts.judge(task.folder)
        passed = sum(check.outcome == "passed" for check in verdict.checks)
        tell(f"{passed} of {len(verdict.checks)} checks passed")
    with task.onlooker.step("report") as tell:
        verdicts.report(task.folder)
        size = (task.folder.path / "report.html").stat().st_size
        tell(f"report.html {size / 1e3:.0f} kB")
    return verdict


def _target(task: TaskRun) -> Target:
    clone = task.clones.named(task.clone_name)
    return target_of(clone_dsn(task.clones, clone), task.clones)


@contextmanager
def _load_host(task: TaskRun) -> Iterator[None]:
    """Keeps loads of commands on this machine out, too."""
    with RunLock(task.settings.state / "load.lock"):
        yield


def _workload(plan: Plan) -> Path:
    if plan.flow.workload is None:
        raise ConfigError(
            f"The flow {plan.flow.name} has no workload.",
            hint="Run the DAG readiness_workload, or name one in the form.",
        )
    return plan.flow.workload


def _check(task: TaskRun, plan: Plan, target: Target, workload: Path) -> None:
    with task.onlooker.step(f"{CHECKOUTS_CHECKED} checkouts, one by one") as tell:
        request = CheckRequest(workload, checkouts=CHECKOUTS_CHECKED)
        found = check_workload(request, target, with_watched(task.settings, plan))
        if not found.is_clean:
            raise WorkloadError(
                f"On the clone {'; '.join(found.failures())}"
                f"{': ' if found.errors else ''}{found.errors_text()}.",
                hint=f"readiness workload check {workload} --target DSN",
            )
        tell(f"{found.statements:,} statements, no error")


def _calibrated(record: RunRecord) -> str:
    normal = f"a normal day has {record.normal_rate_per_s:g}/s"
    if not record.capacity_per_s:
        return normal if record.normal_rate_per_s else "the plan names its rates"
    return f"{record.capacity_per_s:.3g} checkouts/s at most, so {normal}"


def _notes(task: TaskRun) -> tuple[str, ...]:
    note = read_reservation(task.folder).params.get("note")
    return (str(note),) if note else ()


def _silent(_text: str) -> None:
    """The step's own line says enough."""

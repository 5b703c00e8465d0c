"""The tasks around the load: what a run reserves, the clone it makes, and the end of both.

reserve   asks whether the run may be, takes the locks, freezes the plan
restore   makes the clone
destroy   removes it, however often it is asked
seal      frees the locks and says what went wrong
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from readiness.airflow.form import params_of, planned, validate_conf
from readiness.airflow.reservation import (
    Reservation,
    read_reservation,
    reserved_plan,
    write_reservation,
)
from readiness.airflow.task_run import VARIANT, TaskRun, host_lock, target_lock
from readiness.artifacts.lease_lock import Held
from readiness.config.plan import ClonePlan, Plan
from readiness.config.schedule import Start, require_may_start
from readiness.errors import ArtifactError, CloneError, ConfigError
from readiness.model.verdict import Verdict, VerdictWord
from readiness.wiring.flows import require_reader
from readiness.wiring.load_room import room_of

KEPT = "clone_kept"
DESTROYING = "destroy_began"
_COMPLETE = "complete"
_OWN_FAULTS = ("generator", "metrics")


def reserve(task: TaskRun) -> str:
    """Asks all that can be asked before anything is made; the path of the run folder.

    Raises ConfigError (conf, freeze, no workload, no reader endpoint), CloneError (no snapshot), Busy (another run has
    the target or this host)."""
    params = _asked(task)
    plan = planned(task.plan, params, workloads=task.settings.workloads)
    schedule = task.plan.schedule
    start = Start(
        due=task.dag_run.run_after,
        is_automatic=task.dag_run.is_automatic,
        despite_freeze=bool(params["despite_freeze"]),
    )
    require_may_start(schedule, start, now=datetime.now(UTC))
    clone = _clone_plan(plan)
    task.clones.snapshots.named(clone.snapshot)
    require_reader(plan, has_reader=False)
    _require_workload(plan)
    locks = _take_locks(task, clone)
    write_reservation(
        task.folder,
        Reservation(
            run_id=task.run_id,
            airflow_run_id=task.dag_run.run_id,
            plan=task.plan.name,
            plan_sha256=task.plan.source.sha256,
            params=params,
            locks=locks,
            reserved_at=time.time(),
        ),
    )
    return str(task.folder.path.resolve())


def restore(task: TaskRun) -> str:
    """Makes the clone, or goes on where a dead try stopped; its name.

    Raises CloneError, ServerError (also where the disk has no room for what the plan's load adds),
    WorkloadFileError; what a failed try leaves is what `destroy` removes. Airflow may
    run destroy while this task lives on for some seconds, or, its supervisor lost, to its end: then
    the clone is removed here."""
    plan = renewed_plan(task)
    wanted = _clone_plan(plan)
    with task.onlooker.step("clone") as tell:
        snapshot = task.clones.snapshots.named(wanted.snapshot)
        lease_s = max(wanted.lease_h * 3600, task.lease_s)
        room = room_of(plan)
        _require_not_destroyed(task)
        clone = task.clones.restore(
            snapshot,
            run_id=task.run_id,
            variant=VARIANT,
            lease_s=lease_s,
            load_bytes=room.bytes,
        )
        _require_not_destroyed(task)
        tell("; ".join(filter(None, (f"{clone.name} on {clone.endpoint}", room.text))))
    return clone.name


def renewed_plan(task: TaskRun) -> Plan:
    """The reserved plan, after the leases of locks and clone were moved beyond this task's end.

    Raises ConfigError (the plan was edited), Busy (the lease ended, and another has the lock)."""
    plan = reserved_plan(task)
    until = time.time() + task.lease_s
    for name in read_reservation(task.folder).locks:
        task.locks.renew(name, task.run_id, until=until)
    if any(clone.name == task.clone_name and clone.pid for clone in task.clones.list()):
        task.clones.renew(task.clone_name, task.lease_s)
    return plan


def destroy(task: TaskRun) -> bool:
    """Removes the run's clone, half made or whole; False when there was none, or it is kept for a
    look because the run is not ready. Raises what another try may mend."""
    keep_s = _keep_s(task)
    if keep_s > 0 and _clone_exists(task):
        clone = task.clones.end_lease(task.clone_name, in_s=keep_s)
        task.folder.append_event(time.time(), KEPT, clone=clone.name, until=clone.lease_until)
        return False
    _note_end(task)
    with task.onlooker.step("clone destroyed") as tell:
        was_there = task.clones.destroy(task.clone_name)
        tell("" if was_there else "there was none")
    return was_there


def seal(task: TaskRun, states: Mapping[str, str]) -> list[str]:
    """Frees the locks; what is wrong with the run, a clause each (none: it is green). `states` are
    those of the run's tasks by task id."""
    _release_locks(task)
    problems = [*_marked(states), *_failures(states)]
    if _clone_exists(task) and not _is_kept(task):
        problems.append(f"the clone {task.clone_name} still exists")
    verdict = _verdict(task)
    if verdict is None and not problems:
        problems.append("the run ended before its verdict")
    if verdict is not None:
        problems += _faults(verdict)
    task.folder.append_event(time.time(), "run_sealed", problems=problems)
    return problems


def _marked(states: Mapping[str, str]) -> list[str]:
    """Whether a person ended the run: that skips `complete`, and nothing else does."""
    return ["somebody marked the run as ended"] if states.get(_COMPLETE) == "skipped" else []


def _failures(states: Mapping[str, str]) -> list[str]:
    """Which tasks failed, and how many could not run because of that. What they said stands in
    their logs."""
    failed = [f"{name} failed" for name, state in states.items() if state == "failed"]
    stuck = sum(state == "upstream_failed" for state in states.values())
    return [*failed, *([f"{stuck} task{'s' * (stuck != 1)} could not run"] if stuck else [])]


def _events(task: TaskRun) -> list[dict[str, Any]]:
    try:
        return task.folder.read_events()
    except ArtifactError:
        return []


def closing_words(task: TaskRun) -> str:
    """What became of the clone, for the last message."""
    if not _clone_exists(task):
        return "clone destroyed"
    return "clone kept for a look" if _is_kept(task) else "clone NOT destroyed"


def _asked(task: TaskRun) -> dict[str, object]:
    """The form's values with those that the run was triggered with."""
    # The run's own params hold unknown keys, too: only the plan's form knows its names.
    conf = validate_conf(task.dag_run.conf, params_of(task.plan))
    return {**task.dag_run.params, **conf}


def _clone_plan(plan: Plan) -> ClonePlan:
    if plan.clone is None:
        raise ConfigError(
            f"The plan {plan.name} names no snapshot to clone.",
            hint="Give it  clone: {snapshot: NAME}",
        )
    return plan.clone


def _require_workload(plan: Plan) -> None:
    for flow in plan.flows:
        workload = flow.workload
        if workload is None or not workload.is_file():
            raise ConfigError(
                f"There is no workload file {workload} for the flow {flow.name}.",
                hint=f"Run the DAG readiness_workload, or:  readiness workload build … -o {workload}",
            )


def _take_locks(task: TaskRun, clone: ClonePlan) -> tuple[str, ...]:
    """All locks or none."""
    wanted = {
        target_lock(clone.snapshot): f"the target {clone.snapshot}",
        host_lock(): "this load host",
    }
    now_s = time.time()
    taken: list[str] = []
    try:
        for name, what in wanted.items():
            task.locks.take(name, Held(task.run_id, what, now_s + task.lease_s), now_s=now_s)
            taken.append(name)
    except BaseException:
        for name in taken:
            task.locks.release(name, task.run_id)
        raise
    return tuple(taken)


def _release_locks(task: TaskRun) -> None:
    for name in read_reservation(task.folder).locks:
        task.locks.release(name, task.run_id)


def _clone_exists(task: TaskRun) -> bool:
    return any(clone.name == task.clone_name for clone in task.clones.list())


def _note_end(task: TaskRun) -> None:
    """Tells a restore that still lives, before the clone is removed. A full disk keeps nothing."""
    with suppress(ArtifactError):
        task.folder.append_event(time.time(), DESTROYING, clone=task.clone_name)


def _require_not_destroyed(task: TaskRun) -> None:
    """Removes the clone and raises CloneError when destroy was here since the run was reserved."""
    reserved_at = read_reservation(task.folder).reserved_at
    if any(e["event"] == DESTROYING and e["ts"] >= reserved_at for e in _events(task)):
        task.clones.destroy(task.clone_name)
        raise CloneError(
            "The run was ended, and destroy was here: no clone is made.",
            hint="Trigger a new run.",
        )


def _keep_s(task: TaskRun) -> float:
    """For how many seconds the clone is kept; an attached one dies with its process anyway."""
    verdict = _verdict(task)
    if verdict is None or verdict.verdict is not VerdictWord.NOT_READY:
        return 0.0
    if task.settings.is_clone_attached:
        return 0.0
    return float(str(read_reservation(task.folder).params["keep_on_not_ready_min"])) * 60


def _is_kept(task: TaskRun) -> bool:
    return any(event["event"] == KEPT for event in _events(task))


def _verdict(task: TaskRun) -> Verdict | None:
    try:
        return task.folder.read_verdict()
    except ArtifactError:
        return None


def _faults(verdict: Verdict) -> list[str]:
    """Why an invalid run is our own fault: a host that others used is nobody's."""
    if verdict.verdict is not VerdictWord.INVALID:
        return []
    broken = [rule for rule in verdict.validity if not rule.holds and rule.culprit in _OWN_FAULTS]
    told = (f"invalid by the {rule.culprit}: {rule.name} at {rule.stage}" for rule in broken)
    return list(dict.fromkeys(told))

"""destroy and seal: the colour of a run says whether it can be believed, not whether it is ready."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes import runs
from tests.unit.airflow.task_runs import SNAPSHOT, Place

from readiness.airflow.lifecycle import closing_words, destroy, reserve, restore, seal
from readiness.airflow.stages import forget_shards, report, why_closed
from readiness.airflow.task_run import TaskRun, host_lock, target_lock
from readiness.clones.lifecycle import write_record
from readiness.errors import CloneError, ReadinessError
from readiness.model.clone import Clone, Endpoint
from readiness.model.verdict import ValidityRule
from readiness.report.view import RunView
from readiness.wiring.shards import post_of

CLEAN = {"reserve": "success", "5x.load": "success", "report": "success", "seal": "running"}


@pytest.fixture
def task(tmp_path: Path) -> TaskRun:
    place = Place(tmp_path)
    place.furnish()
    made = place.task()
    reserve(made)
    return made


def judged(task: TaskRun, run: RunView) -> TaskRun:
    task.folder.write_verdict(run.verdict)
    return task


def with_clone(task: TaskRun) -> TaskRun:
    """Gives the run a half-made clone."""
    folder = task.clones.root / "clones" / task.clone_name
    folder.mkdir(parents=True)
    clone = Clone(task.clone_name, task.run_id, SNAPSHOT, Endpoint(), 0, str(folder), 0.0, 0.0)
    write_record(folder, clone)
    return task


@pytest.mark.parametrize("make", [runs.ready_run, runs.not_ready_run, runs.aborted_run])
def test_a_run_with_an_answer_is_green(task: TaskRun, make: Callable[[], RunView]) -> None:
    assert seal(judged(task, make()), CLEAN) == []


def test_a_failed_task_makes_it_red_and_counts_what_could_not_run(task: TaskRun) -> None:
    states = {**CLEAN, "restore": "failed", "calibrate": "upstream_failed", "report": "skipped"}
    assert seal(task, states) == ["restore failed", "1 task could not run"]


def test_a_run_that_was_marked_failed_between_two_tasks_is_red(task: TaskRun) -> None:
    assert seal(task, {"reserve": "success", "report": "skipped"}) == [
        "the run ended before its verdict"
    ]


def test_a_run_that_was_marked_while_its_clone_was_destroyed_is_red(task: TaskRun) -> None:
    judged(task, runs.ready_run())
    assert seal(task, {**CLEAN, "complete": "skipped"}) == ["somebody marked the run as ended"]


def test_a_clone_that_is_left_makes_it_red(task: TaskRun) -> None:
    judged(with_clone(task), runs.ready_run())
    assert seal(task, CLEAN) == [f"the clone {task.clone_name} still exists"]
    assert closing_words(task) == "clone NOT destroyed"


@pytest.mark.parametrize(("culprit", "is_red"), [("generator", True), ("host", False)])
def test_an_invalid_run_is_red_only_by_a_fault_of_ours(
    task: TaskRun, culprit: str, is_red: bool
) -> None:
    run = runs.invalid_run()
    rule = ValidityRule("schedule lag p99", "5x", 80.0, 50.0, "ms", False, culprit)
    judged(task, replace(run, verdict=replace(run.verdict, validity=(rule,))))
    assert bool(seal(task, CLEAN)) == is_red


def test_whatever_happened_the_locks_are_free_and_it_is_noted(task: TaskRun) -> None:
    seal(task, {"restore": "failed"})
    assert task.locks.holder(host_lock()) is None
    assert task.locks.holder(target_lock(SNAPSHOT)) is None
    assert task.folder.read_events()[-1]["event"] == "run_sealed"


def test_destroying_twice_is_destroying_once(task: TaskRun) -> None:
    assert destroy(with_clone(task))
    assert not destroy(task)
    assert closing_words(task) == "clone destroyed"


def kept_30_min(tmp_path: Path) -> TaskRun:
    place = Place(tmp_path)
    place.furnish()
    task = with_clone(place.task(conf={"keep_on_not_ready_min": 30}))
    reserve(task)
    return task


def test_a_clone_may_be_kept_for_a_look_when_the_run_is_not_ready(tmp_path: Path) -> None:
    task = judged(kept_30_min(tmp_path), runs.not_ready_run())
    assert not destroy(task)
    (clone,) = task.clones.list()
    assert clone.lease_until == task.folder.read_events()[-1]["until"]
    assert seal(task, CLEAN) == []
    assert closing_words(task) == "clone kept for a look"


def test_a_clone_is_not_kept_when_the_run_is_ready(tmp_path: Path) -> None:
    assert destroy(judged(kept_30_min(tmp_path), runs.ready_run()))


def test_after_a_stage_was_stopped_the_next_gate_stays_closed(task: TaskRun) -> None:
    assert why_closed(task) == ""
    aborted = runs.aborted_run()
    task.folder.write_results(aborted.results, aborted.samples)
    stopped = next(r for r in aborted.results if r.aborted_by)
    assert why_closed(task) == f"{stopped.stage.name} was stopped: {stopped.aborted_by}"


def test_a_gate_throws_the_mail_of_an_earlier_run_of_its_stage_away(task: TaskRun) -> None:
    post = post_of(task.folder, "1x")
    post.open()
    post.close()
    forget_shards(task, "1x")
    assert not post.is_over


def test_a_run_without_a_measurement_has_nothing_to_report(task: TaskRun) -> None:
    assert report(task) is None


def test_a_restore_that_destroy_has_overtaken_makes_no_clone(task: TaskRun) -> None:
    destroy(task)
    with pytest.raises(CloneError, match="destroy was here"):
        restore(task)
    assert task.clones.list() == []


def test_a_run_that_is_cleared_and_reserved_again_may_restore(task: TaskRun) -> None:
    destroy(task)
    reserve(task)
    with pytest.raises(ReadinessError) as caught:  # its snapshot is only a manifest
        restore(task)
    assert "destroy was here" not in caught.value.message

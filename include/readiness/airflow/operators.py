"""The tasks of a plan's DAG as Airflow operators: time limit, retries, what stops them.

What a task does is imported when it runs: a DAG is parsed all the time, and must be cheap.

SIGTERM does not end a task's Python: Airflow calls `on_kill` in the middle of it, lets it go on, and
sends SIGKILL five seconds later. destroy may begin meanwhile. So `on_kill` itself ends the load, and
raises out of the signal's handler into whatever the task is doing.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from airflow.sdk import BaseOperator, Context
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from readiness.airflow.beside import kill_load, note_failure, stop_here, tell, tell_refusal
from readiness.config.plan import Plan
from readiness.errors import ReadinessError

if TYPE_CHECKING:
    from readiness.airflow.onlookers import Onlooker
    from readiness.airflow.task_run import TaskRun

LOAD_POOL = "readiness_load"
_AUTOMATIC = ("scheduled", "backfill")


class ReadinessOperator(BaseOperator):
    """One task of a run of `plan`; fails by the rules of `errors.translated`."""

    onlooker: ClassVar[Onlooker | None] = None
    """Who is told how it goes, instead of the task's log; a run in one process sets it."""

    retries_all: ClassVar[bool] = False
    """Whether a further try makes sense after any error, not only after a transient one."""

    ui_color = "#e8f0fe"

    def __init__(self, *, plan: Plan, minutes: float, **kwargs: Any) -> None:
        kwargs.setdefault("retries", 0)
        # A mapped task brings a default of its own.
        kwargs["execution_timeout"] = timedelta(minutes=minutes)
        super().__init__(**kwargs)
        self.plan = plan
        self.minutes = minutes

    def execute(self, context: Context) -> Any:
        """Does the task's work; what it returns is a name or a path."""
        from readiness.airflow.errors import translated

        return translated(lambda: self._noted(context), retries_all=self.retries_all)

    def _noted(self, context: Context) -> Any:
        """The work, whose failure stands in the run's events too."""
        task = self._task_run(context)
        try:
            return self.work(task, context)
        except ReadinessError as error:
            note_failure(task, error)
            raise

    def work(self, task: TaskRun, context: Context) -> Any:
        """What this operator does. Raises ReadinessError."""
        raise AirflowFailException(f"{type(self).__name__} has no work for {task.name}.")

    def _task_run(self, context: Context) -> TaskRun:
        from readiness.airflow.onlookers import TaskLog
        from readiness.airflow.task_run import DagRunFacts, TaskRun
        from readiness.config.settings import read_settings

        run = context["dag_run"]
        return TaskRun(
            name=self.task_id,
            plan=self.plan,
            dag_run=DagRunFacts(
                run_id=run.run_id,
                run_after=run.run_after,
                is_automatic=str(getattr(run.run_type, "value", run.run_type)) in _AUTOMATIC,
                conf=run.conf,
                params=dict(context["params"]),
            ),
            settings=read_settings(),
            onlooker=self.onlooker or TaskLog(),
            timeout_s=self.minutes * 60,
        )


class ReserveOperator(ReadinessOperator):
    """Asks whether the run may be, and takes what it needs."""

    def work(self, task: TaskRun, context: Context) -> str:
        """The run folder's path."""
        from readiness.airflow import lifecycle
        from readiness.flow import announce

        try:
            folder = lifecycle.reserve(task)
        except ReadinessError as error:
            tell_refusal(task, context, error)
            raise
        tell(task, context, announce.announce_start)
        return folder


class RestoreOperator(ReadinessOperator):
    """Makes the run's clone."""

    def work(self, task: TaskRun, context: Context) -> str:
        """The clone's name."""
        from readiness.airflow import lifecycle

        return lifecycle.restore(task)

    def on_kill(self) -> None:
        """Ends the task: the clone that it would go on making is what destroy removes now."""
        stop_here()


class MaskOperator(ReadinessOperator):
    """Replaces personal data in the clone and proves it; before that no load user exists. A second
    try goes on where the first one stopped."""

    def work(self, task: TaskRun, context: Context) -> str:
        """How personal data left the clone."""
        from readiness.airflow import mask_task

        return mask_task.mask(task)

    def on_kill(self) -> None:
        """Ends the task: the clone that it would go on masking is what destroy removes now."""
        stop_here()


class CalibrateOperator(ReadinessOperator):
    """Tries the workload, measures the capacity, begins the run."""

    def work(self, task: TaskRun, context: Context) -> str:
        """The run's id."""
        from readiness.airflow import stages
        from readiness.flow import announce

        run_id = stages.calibrate(task).run_id
        tell(task, context, announce.announce_stage)
        return run_id

    def on_kill(self) -> None:
        """Ends its load at once, and the task."""
        kill_load()
        stop_here()


class StageOperator(ReadinessOperator):
    """One task of a stage."""

    def __init__(self, *, stage: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.stage = stage


class GateOperator(StageOperator):
    """Opens a stage, or skips it and all that follow, up to the report."""

    def work(self, task: TaskRun, context: Context) -> None:
        """Skips the stage when an earlier one was stopped."""
        from readiness.airflow import stages

        why = stages.why_closed(task)
        if why:
            raise AirflowSkipException(why)
        stages.forget_shards(task, self.stage)


class LoadOperator(StageOperator):
    """Runs one stage. One that an abort rule stopped is a result, not a failure."""

    def work(self, task: TaskRun, context: Context) -> str:
        """What stopped the stage, or "" when it ran to its end."""
        from readiness.airflow import stages
        from readiness.flow import announce

        aborted_by = stages.load(task, self.stage).aborted_by
        tell(task, context, announce.announce_abort if aborted_by else announce.announce_stage)
        return aborted_by

    def on_kill(self) -> None:
        """Ends the load at once, and the task."""
        kill_load()
        stop_here()


class ShardOperator(StageOperator):
    """Makes one shard of a stage's load, at the same time as the task `load`, which measures all
    shards and stops them."""

    def __init__(self, *, shard: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.shard = shard

    def work(self, task: TaskRun, context: Context) -> int:
        """How often it made the load: twice where the stage was repeated."""
        from readiness.airflow import stages

        return stages.shard(task, self.stage, self.shard)

    def on_kill(self) -> None:
        """Ends its load at once, and the task; the coordinator loses its stage."""
        kill_load()
        stop_here()


class ReportOperator(ReadinessOperator):
    """Judges and draws what was measured, whatever the stages came to."""

    def work(self, task: TaskRun, context: Context) -> str:
        """The verdict's word."""
        from readiness.airflow import stages
        from readiness.flow import announce

        verdict = stages.report(task)
        if verdict is None:
            raise AirflowSkipException("No stage was measured: there is nothing to report.")
        tell(task, context, announce.announce_report)
        return str(verdict.verdict)


class DestroyOperator(ReadinessOperator):
    """Removes the clone; every failure is tried again."""

    retries_all = True

    def work(self, task: TaskRun, context: Context) -> bool:
        """Whether there was one."""
        from readiness.airflow import lifecycle

        return lifecycle.destroy(task)


class CompleteOperator(ReadinessOperator):
    """Airflow itself passes it, without a process, when destroy has ended; marking the run as ended
    by hand skips it. No task that destroy leads to would tell seal so otherwise: Airflow ends no
    teardown, and keeps no word of the mark."""

    inherits_from_empty_operator = True

    def execute(self, context: Context) -> None:
        """Does nothing."""


class SealOperator(ReadinessOperator):
    """Frees what was reserved, and fails when the run is not clean: its colour is the run's."""

    def work(self, task: TaskRun, context: Context) -> None:
        """Raises AirflowFailException that says all that is wrong."""
        from readiness.airflow import lifecycle
        from readiness.flow import announce

        ti = context["ti"]
        states = ti.get_task_states(dag_id=ti.dag_id, run_ids=[ti.run_id])[ti.run_id]
        problems = lifecycle.seal(task, states)
        closing = lifecycle.closing_words(task)
        end = partial(announce.announce_end, problems=problems, closing=closing)
        tell(task, context, end)
        if problems:
            raise AirflowFailException("The run is not clean: " + "; ".join(problems) + ".")

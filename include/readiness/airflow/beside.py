"""What an operator does beside its task's work: it ends the load, tells the channel, notes a failure."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from airflow.sdk import Context
from airflow.sdk.exceptions import AirflowFailException, AirflowTaskTimeout

from readiness.errors import ReadinessError

if TYPE_CHECKING:
    from readiness.airflow.task_run import TaskRun
    from readiness.artifacts.run_folder import RunFolder
    from readiness.flow.announce import Desk
    from readiness.model.message import Delivery


def kill_load() -> None:
    """Ends every load worker of this process."""
    from readiness.adapters import worker_process

    worker_process.kill_all()


def stop_here() -> None:
    """Ends the running task by an exception, unless its time limit does so already."""
    if not isinstance(sys.exception(), AirflowTaskTimeout):
        raise AirflowFailException("Airflow ended this task: it was stopped, or the run was.")


def tell(task: TaskRun, context: Context, verb: Callable[[RunFolder, Desk], Delivery]) -> None:
    """Says it in the channel; how that went stands in `events.jsonl` and fails nothing."""
    from readiness.airflow.connections import slack_desk
    from readiness.wiring.messages import keep

    ti = context["ti"]
    page = f"/dags/{ti.dag_id}/runs/{quote(ti.run_id, safe='')}"
    keep(task.folder, verb(task.folder, slack_desk(task.settings, run_path=page)))


def tell_refusal(task: TaskRun, context: Context, error: ReadinessError) -> None:
    """Nobody watches a run that the clock started; and without a reservation no seal will tell."""
    from readiness.flow import announce

    if task.dag_run.is_automatic:
        problems = [f"it was refused: {error.message}"]
        closing = "nothing was made"
        tell(task, context, partial(announce.announce_end, problems=problems, closing=closing))


def note_failure(task: TaskRun, error: ReadinessError) -> None:
    """A line of `events.jsonl`, once the run has a folder."""
    if task.folder.path.is_dir():
        task.folder.append_event(
            time.time(),
            "task_failed",
            task=task.name,
            error=type(error).__name__,
            message=error.message,
            hint=error.hint,
            exit_code=error.exit_code,
        )

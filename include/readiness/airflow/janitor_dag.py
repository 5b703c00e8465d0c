"""The DAG that destroys clones whose lease has ended and deletes old raw logs. It depends on no plan."""

from __future__ import annotations

import logging
from datetime import timedelta

from airflow.sdk import DAG, BaseOperator, Context
from airflow.sdk.exceptions import AirflowFailException

from readiness.airflow.tags import Tag

DAG_ID = "readiness_janitor"
EVERY_MIN = 10
_log = logging.getLogger(__name__)

_DOC = """\
Every ten minutes it destroys the clones whose lease has ended: those of runs that were killed,
paused or deleted. It tells of clones without a record and never touches them.

Keep it un-paused. When it was away for more than 30 minutes it says so, and so does
`readiness clone list`. By hand: `readiness clone janitor --dry-run`.

It also deletes raw logs that are older than READINESS_RAW_LOG_DAYS (14), and run folders older than
READINESS_RUN_DAYS where that is set. By hand: `readiness prune --dry-run`.
"""


class TendClones(BaseOperator):
    """One round of the janitor; its XCom is the names of the clones that it destroyed."""

    def execute(self, context: Context) -> list[str]:
        """Raises AirflowFailException when a clone could not be destroyed."""
        # Imported here: Airflow reads the DAG file far more often than it runs the task.
        from readiness.airflow.connections import slack_desk
        from readiness.airflow.errors import translated
        from readiness.config.settings import read_settings
        from readiness.wiring.janitor import tend_clones

        settings = translated(read_settings)
        made = translated(lambda: tend_clones(settings, desk=slack_desk(settings)))
        for line in made.lines():
            _log.log(logging.WARNING if line.startswith("!") else logging.INFO, "%s", line)
        if made.failed:
            names = ", ".join(decision.name for decision in made.failed)
            raise AirflowFailException(f"Not destroyed: {names}. The next round tries again.")
        return [clone.name for clone in made.destroyed]


class PruneKept(BaseOperator):
    """Deletes what is old enough; its XCom is the paths."""

    def execute(self, context: Context) -> list[str]:
        """Raises AirflowFailException for a broken note of a raw log."""
        from readiness.airflow.errors import translated
        from readiness.config.settings import read_settings
        from readiness.wiring.upkeep import prune_machine

        settings = translated(read_settings)
        made = translated(lambda: prune_machine(settings))
        for thing in made.deleted:
            _log.info("%s (%s) is deleted: it %s", thing.path, thing.kind, thing.why)
        for thing in made.told:
            _log.warning("%s (%s) %s", thing.path, thing.kind, thing.why)
        return [str(thing.path) for thing in made.deleted]


def janitor_dag() -> DAG:
    """The DAG `readiness_janitor`, which runs from the first moment on."""
    with DAG(
        DAG_ID,
        schedule=f"*/{EVERY_MIN} * * * *",
        catchup=False,
        is_paused_upon_creation=False,
        doc_md=_DOC,
        description="Destroys clones whose lease has ended; deletes old raw logs.",
        tags=[Tag.SUITE, Tag.UPKEEP, Tag.SCHEDULED],
        max_active_runs=1,
        default_args={"owner": "readiness", "retries": 1, "retry_delay": timedelta(seconds=20)},
    ) as dag:
        TendClones(
            task_id="tend_clones",
            # Ahead of everything that waits for a slot: what it frees may be what they wait for.
            priority_weight=1000,
            execution_timeout=timedelta(minutes=EVERY_MIN - 1),
        )
        # No task behind the other: a raw log that cannot be deleted keeps no clone alive.
        PruneKept(task_id="prune", execution_timeout=timedelta(minutes=EVERY_MIN - 1))
    return dag

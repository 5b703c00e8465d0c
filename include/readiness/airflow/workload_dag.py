"""The DAG that builds a workload from captures, and tells what depends on it."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow.sdk import DAG, Asset, BaseOperator, Context, Param

from readiness.airflow.form import validate_conf
from readiness.airflow.tags import Tag

if TYPE_CHECKING:
    from readiness.wiring.workloads import Asked

DAG_ID = "readiness_workload"
WORKLOAD = Asset(name="readiness_workload", uri="x-readiness://workload")
_log = logging.getLogger(__name__)

_DOC = """\
Builds `workloads/NAME.sql` from general logs of the same flow, two or more: what differs between
them becomes a variable, what may be personal a pseudonym. The file before is kept as
`NAME.sql.previous`. `NAME.variables.yaml` beside it says why each value is what it is, and
`NAME.overrides.yaml` holds what people said instead, which every rebuild keeps. The log shows what
changed. Publishes the asset `readiness_workload` with name, hash and counts.

When it refuses, the task's log says which file and line, never a captured value.
"""


class BuildWorkload(BaseOperator):
    """Builds and publishes one workload; its XCom is the path of the file."""

    def execute(self, context: Context) -> str:
        """Raises AirflowFailException for what a retry cannot mend."""
        # Imported here: Airflow reads the DAG file far more often than it runs the task.
        from readiness.airflow.errors import translated

        return translated(lambda: self._publish(context))

    def _publish(self, context: Context) -> str:
        from readiness.config.settings import read_settings
        from readiness.wiring.workloads import publish

        # Not the context's params: those hold whatever the run was triggered with.
        validate_conf(context["dag_run"].conf, form())
        asked = asked_of(context["params"])
        built = publish(asked, read_settings())
        for line in built.changes.lines() if built.changes else ():
            _log.info("changed: %s", line)
        for warning in built.warnings:
            _log.warning("%s", warning)
        sha256 = hashlib.sha256(built.path.read_bytes()).hexdigest()
        counts = {
            "statements": len(built.workload.steps),
            "transactions": built.workload.transactions,
            **built.workload.counts,
        }
        _log.info("%s: %s", built.path, counts)
        extra = context["outlet_events"][WORKLOAD].extra
        extra.update(name=asked.name, sha256=sha256, counts=dict(counts))
        return str(built.path)


def asked_of(params: Mapping[str, Any]) -> Asked:
    """What the form asks for; reads the password of the source now. Raises ConfigError."""
    from readiness.airflow.connections import database_of
    from readiness.config.places import find
    from readiness.wiring.workloads import Asked

    source = params["source"]
    return Asked(
        name=params["name"],
        captures=tuple(Path(text) for text in params["captures"]),
        users=tuple(params["users"]),
        source=database_of(source).login() if source else None,
        schema=Path(params["schema"]) if params["schema"] else None,
        overrides=Path(params["overrides"]) if params["overrides"] else None,
        policy=find(params["policy"], kind="policies") if params["policy"] else None,
    )


def workload_dag() -> DAG:
    """The DAG `readiness_workload`, started by people."""
    with DAG(
        DAG_ID,
        schedule=None,
        doc_md=_DOC,
        description="Captures of one flow become a workload file.",
        tags=[Tag.SUITE, Tag.WORKLOAD, Tag.MANUAL],
        max_active_runs=1,
        params=form(),
        default_args={"owner": "readiness", "retries": 1, "retry_delay": timedelta(minutes=1)},
    ) as dag:
        BuildWorkload(task_id="build", outlets=[WORKLOAD], execution_timeout=timedelta(minutes=30))
    return dag


def form() -> dict[str, Param]:
    """What a person says of the workload to build."""
    return {
        "name": Param(
            "checkout",
            type="string",
            pattern="^[a-z0-9]([a-z0-9-]*[a-z0-9])?$",
            maxLength=60,
            title="Name",
            description="The flow; plans find its workload by this name.",
        ),
        "captures": Param(
            type="array",
            items={"type": "string", "minLength": 1},
            minItems=2,
            title="Captures",
            description="Paths of general logs on the worker's host, one a line: the same flow,"
            " another customer each time. Those in the captures folder (READINESS_CAPTURES) are"
            " deleted after READINESS_RAW_LOG_DAYS days (14); elsewhere you delete them.",
        ),
        "source": Param(
            None,
            type=["null", "string"],
            title="Source",
            description="Where the captures were taken, read only: an Airflow connection id, or"
            " mysql://user@host:port/database?password_env=NAME",
        ),
        "users": Param(
            [],
            type="array",
            items={"type": "string", "minLength": 1},
            title="Users",
            description="Keep only the sessions of these database users.",
            section="More",
        ),
        "schema": Param(
            None,
            type=["null", "string"],
            title="Schema",
            description="A file with the schema as JSON, when there is no source to ask.",
            section="More",
        ),
        "overrides": Param(
            None,
            type=["null", "string"],
            title="Overrides",
            description="A file with what you say of variables; none: those kept beside the workload.",
            section="More",
        ),
        "policy": Param(
            None,
            type=["null", "string"],
            title="Policy",
            description="How columns are treated: a file, or a name in include/policies.",
            section="More",
        ),
    }

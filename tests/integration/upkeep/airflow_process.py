"""Airflow in a process of its own, so that its settings and warnings touch no other test.

`python airflow_process.py bag FOLDER` reads all DAG files; `… run FILE CONF` runs one DAG by
`dag.test`. The last line on stdout is the answer, as JSON.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[3]


def environment(home: Path, **more: str) -> dict[str, str]:
    """The variables of such a process: its own home, the repository's DAGs and plugin."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("AIRFLOW", "READINESS"))}
    return {
        **clean,
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__DAGS_FOLDER": str(home / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(REPOSITORY / "plugins"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/airflow.db",
        "READINESS_KEY_FILE": str(home / "key"),
        **more,
    }


def _bag(folder: Path) -> dict[str, Any]:
    from airflow.dag_processing.dagbag import DagBag
    from airflow.serialization.serialized_objects import DagSerialization

    bag = DagBag(dag_folder=str(folder))
    for dag in bag.dags.values():
        DagSerialization.serialize_dag(dag)
    return {
        "dags": {d: sorted(dag.tags) for d, dag in bag.dags.items()},
        "errors": {Path(file).name: text for file, text in bag.import_errors.items()},
    }


def _run(file: Path, conf: Any) -> dict[str, Any]:
    _make_database()
    from airflow.models.asset import AssetEvent
    from airflow.utils.session import create_session
    from sqlalchemy import select

    run = _dag_in(_alone(file)).test(run_after=datetime.now(UTC), logical_date=None, run_conf=conf)
    with create_session() as session:
        published = [event.extra for event in session.scalars(select(AssetEvent))]
    states = {ti.task_id: str(ti.state) for ti in run.get_task_instances()}
    return {"state": str(run.state), "tasks": states, "published": published}


def _make_database() -> None:
    home = Path(os.environ["AIRFLOW_HOME"])
    if not (home / "made").exists():
        from airflow.utils.db import initdb

        initdb()
        (home / "made").touch()


def _alone(file: Path) -> Path:
    """The file as the only one of the DAGs folder: `dag.test` reads that whole."""
    folder = Path(os.environ["AIRFLOW__CORE__DAGS_FOLDER"])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return Path(shutil.copy(file, folder))


def _dag_in(file: Path) -> Any:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.dag


def main() -> None:
    verb, path = sys.argv[1], Path(sys.argv[2])
    answer = _bag(path) if verb == "bag" else _run(path, json.loads(sys.argv[3]))
    sys.stdout.flush()
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()

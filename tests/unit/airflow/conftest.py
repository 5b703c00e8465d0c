"""Airflow with a home of its own and the suite's plugin, set before anything imports it."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_REPOSITORY = Path(__file__).resolve().parents[3]
_HOME = tempfile.mkdtemp(prefix="readiness-airflow-")
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)
os.environ.update(
    AIRFLOW_HOME=_HOME,
    AIRFLOW__CORE__DAGS_FOLDER=str(_REPOSITORY / "dags"),
    AIRFLOW__CORE__PLUGINS_FOLDER=str(_REPOSITORY / "plugins"),
    AIRFLOW__CORE__LOAD_EXAMPLES="False",
    AIRFLOW__CORE__UNIT_TEST_MODE="False",
    AIRFLOW__DATABASE__SQL_ALCHEMY_CONN=f"sqlite:///{_HOME}/airflow.db",
    AIRFLOW__LOGGING__LOGGING_LEVEL="WARNING",
)

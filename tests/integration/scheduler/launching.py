"""`python launching.py STATE DAGS PORT`: starts the Airflow of `make up`, and leaves it running.

A process of its own, as `make up` is one: Airflow outlives it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from readiness.demo import ui_server
from readiness.demo.ui_environment import UiHome, UiOptions, environment

# Lower than the defaults, so that the tests need not wait: how long a killed task goes unseen, how
# long a new DAG file goes unread.
QUICKER = {
    "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "20",
    "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "5",
    "AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL": "5",
}


def main() -> None:
    ui, options = UiHome(Path(sys.argv[1])), UiOptions(int(sys.argv[3]), dags=Path(sys.argv[2]))
    ui_server.launch(ui, options, environment(ui, options, os.environ) | QUICKER)


if __name__ == "__main__":
    main()

"""Airflow reads every DAG file again and again: that must cost little, and load nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ["pandas", "great_expectations", "matplotlib", "boto3", "pyarrow", "numpy", "slack_sdk"]
FILES = ["demo", "weekly", "peak", "spike", "workload", "janitor"]
LIMIT_S = 0.3
LIMIT_RATIO = 0.1
TRIES = 3  # what others do to the caches between two readings is no cost of the file
# CPU, not wall time: other work on the machine is none of the file's cost. Where that work slows
# the cores themselves down, the cost of importing Airflow beforehand says by how much.
READING = """\
import runpy, sys, time
import airflow.sdk, airflow.timetables.trigger, airflow.plugins_manager
began = time.process_time()
runpy.run_path(sys.argv[1])
print(began, time.process_time() - began, *sorted(set(sys.modules) & set(sys.argv[2:])))
"""


def cost_of(file: Path) -> tuple[float, float, list[str]]:
    """CPU seconds of importing Airflow and of reading the file, and the heavy modules loaded."""
    done = subprocess.run(
        [sys.executable, "-c", READING, str(file), *HEAVY],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    airflow_s, file_s, *loaded = done.stdout.split()
    return float(airflow_s), float(file_s), loaded


@pytest.mark.parametrize("name", FILES)
def test_a_dag_file_costs_little_and_loads_nothing_heavy(name: str, repository: Path) -> None:
    file = repository / "dags" / f"readiness_{name}.py"
    costs = []
    for _ in range(TRIES):
        airflow_s, file_s, loaded = cost_of(file)
        assert loaded == []
        costs.append(file_s / max(LIMIT_S, LIMIT_RATIO * airflow_s))
        if costs[-1] <= 1:
            break
    assert min(costs) <= 1

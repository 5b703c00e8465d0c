"""Every command that docker-compose.yml gives to Airflow is one that this Airflow has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.airflow

# One process: Airflow takes seconds to import.
PROGRAM = """
import sys
from airflow.cli.cli_parser import get_parser
parser = get_parser()
for line in sys.stdin.read().splitlines():
    parser.parse_args(line.split())
    print(line)
"""
COMMANDS = [
    "api-server",
    "scheduler",
    "dag-processor",
    "triggerer",
    "version",
    "pools import /opt/airflow/suite/config/pools.json",
    "jobs check --job-type DagProcessorJob --hostname here",
    "jobs check --job-type TriggererJob --hostname here",
    "scheduler --skip-serve-logs",
    "triggerer --skip-serve-logs",
    "standalone",
]


def test_the_commands_exist(tmp_path: Path, repository: Path) -> None:
    compose = (repository / "docker-compose.yml").read_text("utf-8")
    for command in COMMANDS[:6]:
        assert command in compose
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input="\n".join(COMMANDS),
        env={**os.environ, "AIRFLOW_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.stdout.splitlines()[-len(COMMANDS) :] == COMMANDS, done.stderr[-2000:]


@pytest.mark.parametrize("module", ["standalone", "source"])
def test_our_own_commands_exist(module: str, repository: Path) -> None:
    assert f"python -m readiness.demo.{module}" in (repository / "docker-compose.yml").read_text()
    done = subprocess.run(
        [sys.executable, "-m", f"readiness.demo.{module}", "--help"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0

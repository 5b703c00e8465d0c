"""`make up` with values that cannot be: one clear message, exit code 2, nothing started or written."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest


def start(state: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "readiness.demo.standalone", "start", *arguments],
        env={**os.environ, "READINESS_STATE": str(state)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = start(tmp_path, "--port", str(port))
    assert done.returncode == 2
    assert f"Port {port} on 127.0.0.1 is taken" in done.stderr
    assert "make up PORT=" in done.stderr
    assert not (tmp_path / "ui/airflow").exists()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--port", "0"),
        ("--port", "65536"),
        ("--port", "http"),
        ("--parallelism", "0"),
        ("--parallelism", "65"),
        ("--auth", "nobody"),
    ],
)
def test_a_value_out_of_range(tmp_path: Path, option: str, value: str) -> None:
    done = start(tmp_path, option, value)
    assert done.returncode == 2
    assert f"argument {option}" in done.stderr
    assert value in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_dags_that_are_not_there(tmp_path: Path) -> None:
    done = start(tmp_path, "--dags", str(tmp_path / "none"))
    assert done.returncode == 2
    assert "no folder of DAGs" in done.stderr

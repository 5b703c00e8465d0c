"""An Airflow home that the tests of this folder share; its database is made once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.integration.upkeep import airflow_process
from tests.integration.upkeep.airflow_process import environment

PROGRAM = airflow_process.__file__ or ""


class Answer(NamedTuple):
    """What the process answered as JSON ("": it failed), and all that it said."""

    text: str
    said: str

    @property
    def found(self) -> Any:
        """The answer; fails the test with what was said when there is none."""
        assert self.text, self.said
        return json.loads(self.text)


Airflow = Callable[..., Answer]


@pytest.fixture(scope="session")
def airflow_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh AIRFLOW_HOME."""
    return tmp_path_factory.mktemp("airflow")


@pytest.fixture
def airflow(airflow_home: Path, tmp_path: Path) -> Airflow:
    """Runs `airflow_process.py` with some arguments; variables of its environment by name."""

    def run(*arguments: str, **variables: str) -> Answer:
        done = subprocess.run(
            [sys.executable, PROGRAM, *arguments],
            cwd=tmp_path,
            env=environment(airflow_home, **variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=180,
            check=False,
        )
        last = done.stdout.splitlines()[-1:] or [""]
        return Answer("" if done.returncode else last[0], done.stdout)

    return run

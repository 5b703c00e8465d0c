"""A task that crashes with captured values in scope: its log, XCom and Airflow's database have none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.fakes.canaries import Cage
from tests.integration.upkeep.conftest import Airflow

pytestmark = [pytest.mark.airflow, pytest.mark.long]

# Read by every Python that starts: a fault of ours in the middle of a build.
FAULT = """\
import readiness.flow.build as build

def seal(draft, **_):
    held = [repr(piece.text) for step in draft.steps for piece in step.pieces if hasattr(piece, "text")]
    values = [value for variable in draft.variables for value in variable.values]
    raise KeyError(held, values)

build.seal = seal
"""


@pytest.mark.parametrize("colour", ["", "1"])
def test_a_fault_inside_a_build_is_told_by_type_and_place(
    airflow: Airflow, airflow_home: Path, repository: Path, tmp_path: Path, colour: str
) -> None:
    cage = Cage(tmp_path)
    (tmp_path / "fault").mkdir()
    (tmp_path / "fault/sitecustomize.py").write_text(FAULT)
    asked = {
        "name": "shop",
        "captures": [str(log) for log in cage.logs],
        "schema": str(cage.schema),
    }
    variables = {
        "PYTHONPATH": str(tmp_path / "fault"),
        "READINESS_STATE": str(tmp_path / "state"),
        "READINESS_KEY_FILE": str(tmp_path / "key"),
        "AIRFLOW__LOGGING__COLORED_CONSOLE_LOG": "True",
        **({"FORCE_COLOR": colour} if colour else {}),
    }
    file = str(repository / "dags/readiness_workload.py")
    answer = airflow("run", file, json.dumps(asked), **variables)
    assert answer.found["state"] == "failed", answer.said
    assert "KeyError at sitecustomize" in answer.said or "KeyError at flow.build" in answer.said
    outputs = {"said": answer.said.encode()} | cage.files()
    for path in sorted(airflow_home.rglob("*")):
        if path.is_file():
            outputs[str(path)] = path.read_bytes()
    assert any(name.endswith("airflow.db") for name in outputs)
    assert cage.escaped(outputs) == []

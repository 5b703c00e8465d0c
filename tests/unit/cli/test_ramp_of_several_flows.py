"""`readiness ramp` of a plan with several flows: what is missing is said before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from readiness.cli.main import main

PLAN = """\
name: season
flows:
  - {name: checkout, normal_rate_per_s: 10}
  - {name: repayment, normal_rate_per_s: 4, scale: fixed}
stages:
  - {name: 2x, rate: 2x, hold_s: 1}
expectations: load
"""
WORKLOAD = Path(__file__).parents[2] / "golden" / "workload" / "checkout.sql"
NOWHERE = "mysql://nobody@127.0.0.1:1/shop"


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("READINESS_STATE", str(tmp_path / "state"))
    path = tmp_path / "season.yaml"
    path.write_text(PLAN)
    return path


def refusal(plan: Path, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    run = str(plan.parent / "run")
    code = main(["ramp", "--plan", str(plan), "--target", NOWHERE, "-o", run, *more])
    assert (code, (plan.parent / "run").exists()) == (2, False)
    return capsys.readouterr().err


def files(folder: Path, *names: str) -> list[str]:
    for name in names:
        (folder / f"{name}.sql").write_text("-- no workload\n")
    return [word for name in names for word in ("--workload", f"{name}={folder / name}.sql")]


def test_each_flow_needs_a_workload(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no workload for its flow checkout" in refusal(plan, capsys)
    said = refusal(plan, capsys, "--workload", str(WORKLOAD))
    assert "no workload for its flow repayment" in said
    assert "--workload repayment=repayment.sql" in said


def test_a_flow_that_the_plan_has_not_is_refused_with_those_it_has(
    plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refusal(plan, capsys, *files(plan.parent, "checkout", "repaiment"))
    assert "has no flow repaiment" in said
    assert "Its flows are checkout, repayment" in said


def test_a_flow_named_twice_is_refused(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    twice = files(plan.parent, "checkout", "repayment", "repayment")
    assert "The flow repayment has two workload files" in refusal(plan, capsys, *twice)


def test_a_flow_for_a_reader_needs_one(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan.write_text(PLAN.replace("scale: fixed", "scale: fixed, endpoint: reader"))
    said = refusal(plan, capsys, *files(plan.parent, "checkout", "repayment"))
    assert "The flow repayment of the plan season goes to a reader endpoint" in said
    assert "--reader DSN" in said

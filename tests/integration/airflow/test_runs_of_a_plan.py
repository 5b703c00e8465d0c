"""However a run ends, its clone is gone, its locks are free, and its colour is true."""

from __future__ import annotations

import shutil
import signal
import time
from pathlib import Path

import pytest
from tests.integration.airflow.conftest import DagProcess, StartDag, workers_of

from readiness.model.verdict import VerdictWord

# `make demo` runs such a DAG in every `make test`; these are its other endings.
pytestmark = [pytest.mark.airflow, pytest.mark.mysql, pytest.mark.long]


def verdict_of(run: DagProcess) -> VerdictWord:
    verdict = run.folder.read_verdict()
    if verdict.verdict is VerdictWord.INVALID:  # other work on a shared machine
        assert {r.culprit for r in verdict.validity if not r.holds} == {"host"}
    return verdict.verdict


def told(run: DagProcess) -> list[str]:
    return [event["verb"] for event in run.folder.read_events() if event["event"] == "told"]


def test_a_run_that_is_not_ready_is_green(start_dag: StartDag) -> None:
    run = start_dag("short", {"note": "before the freeze"})
    state, tasks = run.end()
    assert state == "success", tasks
    assert set(tasks.values()) == {"success"}
    assert verdict_of(run) in (VerdictWord.NOT_READY, VerdictWord.INVALID)
    assert run.left == []
    assert told(run) == ["start", "stage", "stage", "report", "end"]
    assert "before the freeze" in run.folder.read_run().notes
    assert run.folder.read_run().target["masked"].startswith("policy default ")
    log = run.log.read_text("utf-8")
    assert "stage 1x: 10 checkouts/s" in log
    assert "stage 1x ended: " in log


def test_flows_of_a_plan_run_side_by_side_in_every_stage(start_dag: StartDag, state: Path) -> None:
    workloads = state / "workloads"
    shutil.copy(workloads / "checkout.sql", workloads / "repayment.sql")
    run = start_dag("two-flows")
    ended, tasks = run.end()
    assert ended == "success", tasks
    stages = run.folder.read_stages()
    assert [(r.stage.name, r.checkouts_ok) for r in stages] == [("1x", 8), ("2x", 16)]
    assert [r.companions["repayment"].checkouts_ok for r in stages] == [6, 6]
    assert run.folder.workload_path("repayment").is_file()
    assert "Flows beside checkout" in run.folder.read_bytes("report.html").decode()
    assert run.left == []


def test_a_restore_that_fails_leaves_nothing_and_is_red(
    start_dag: StartDag, torn_snapshot: str
) -> None:
    run = start_dag("short", {"target": torn_snapshot})
    state, tasks = run.end()
    assert state == "failed"
    assert {name: tasks[name] for name in ("restore", "destroy", "seal")} == {
        "restore": "failed",
        "destroy": "success",
        "seal": "failed",
    }
    assert tasks["1x.load"] == "upstream_failed"
    assert run.left == []
    assert told(run) == ["start", "end"]
    assert "is not what its manifest says" in run.log.read_text("utf-8")


def test_a_clone_that_cannot_be_masked_is_destroyed_and_never_loaded(start_dag: StartDag) -> None:
    run = start_dag("wrong-policy")
    state, tasks = run.end()
    assert state == "failed"
    wanted = {"restore": "success", "mask": "failed", "calibrate": "upstream_failed"}
    wanted |= {"1x.load": "upstream_failed", "destroy": "success", "seal": "failed"}
    assert {name: tasks[name] for name in wanted} == wanted
    assert run.left == []
    assert "the table users has no column emial. Did you mean email" in run.log.read_text("utf-8")


def test_an_unknown_key_ends_the_run_before_anything_is_made(start_dag: StartDag) -> None:
    run = start_dag("short", {"scael": 2})
    state, tasks = run.end()
    assert (state, tasks["reserve"], tasks["restore"]) == ("failed", "failed", "upstream_failed")
    assert "Did you mean scale?" in run.log.read_text("utf-8")
    assert run.left == []
    assert not (run.store / "runs").exists()


def test_a_stage_that_airflow_ends_stops_loading_at_once(start_dag: StartDag) -> None:
    run = start_dag("long")
    wait_until_loading(run)
    run.process.send_signal(signal.SIGTERM)
    assert workers_gone_within(run, 2.5)
    state, tasks = run.end()
    assert state == "failed"
    assert (tasks["1x.load"], tasks["destroy"], tasks["seal"]) == ("failed", "success", "failed")
    assert run.left == []


def wait_until_loading(run: DagProcess) -> None:
    deadline = time.monotonic() + 180
    while "stage 1x: " not in run.log.read_text("utf-8"):
        assert run.process.poll() is None, run.log.read_text("utf-8")[-3000:]
        assert time.monotonic() < deadline
        time.sleep(0.2)
    time.sleep(3)
    assert workers_of(run)


def workers_gone_within(run: DagProcess, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while workers_of(run):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@pytest.fixture
def torn_snapshot(state: Path) -> str:
    """The name of a snapshot that lacks a file of its manifest."""
    torn = state / "snapshots" / "torn"
    shutil.rmtree(torn, ignore_errors=True)
    shutil.copytree(state / "snapshots" / "demo-production", torn)
    (torn / "data" / "ib_logfile0").unlink()
    manifest = torn / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"demo-production"', '"torn"'))
    return "torn"

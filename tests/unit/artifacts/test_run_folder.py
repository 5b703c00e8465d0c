"""What is written to a run folder is read back the same; what is broken is named."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.fakes.stages import histogram, samples, stage_result

from readiness.artifacts.run_folder import RunFolder
from readiness.errors import ArtifactError, SchemaMismatch
from readiness.model.load import Stage
from readiness.model.run import RunRecord
from readiness.model.verdict import (
    Check,
    Outcome,
    Severity,
    ValidityRule,
    Verdict,
    VerdictWord,
)

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "run"
RECORD = RunRecord(
    run_id="demo-1",
    plan="demo",
    flow="checkout",
    scope="demonstration",
    seed=7,
    started_at=1_796_005_080.0,
    ended_at=1_796_005_140.5,
    normal_rate_per_s=2.0,
    peak_rate_per_s=10.0,
    stages=(Stage("1x", 2.0, 8.0, 1.0, 2.0, 0.5), Stage("5x", 10.0, 16.0)),
    expectations="demo",
    target={"engine": "mariadb"},
    versions={"readiness": "0.1.0"},
    hashes={"plan": "ab" * 32},
    workload={"literals": 383},
    clock={"wall_s": 1_796_005_080.0, "monotonic_s": 12.5},
    notes=("a stage was repeated",),
)
CHECK = Check(
    "commit-p99", "5x", "commit_p99_ms", "value", "<=", 250.0, "ms", Severity.CRITICAL,
    Outcome.MISSING, None, 12, "p99 needs 368 operations, the stage has 12", "commits add up",
)  # fmt: skip
RULE = ValidityRule("schedule_lag_p99_ms", "5x", 0.31, 50.0, "ms", True, "generator", "p99 of 400")
VERDICT = Verdict(
    VerdictWord.INVALID, 2.0, 10.0, "commit-p99 at 5x", (CHECK,), (RULE,), ("It is missing.",),
    "demonstration", "",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path / "run")


def test_a_run_record_comes_back_the_same(folder: RunFolder) -> None:
    folder.write_run(RECORD)
    assert folder.read_run() == RECORD


def test_stage_results_come_back_the_same(folder: RunFolder) -> None:
    results = [
        replace(stage_result("1x", failed=1), notes=("one", "two"), next_number=81),
        replace(stage_result("5x", aborted_by="error_ratio > 0.05 for 5 s (0.2)"),
                service=histogram(70.0, 5)),
        stage_result("6x", seconds=0),
    ]  # fmt: skip
    folder.write_results(results, [])
    assert folder.read_stages() == results


def test_what_flows_beside_it_did_comes_back_in_its_stage(folder: RunFolder) -> None:
    beside = {
        "repayment": stage_result("1x", rate_per_s=2.0, seconds=3),
        "refund": stage_result("1x"),
    }
    results = [replace(stage_result("1x"), companions=beside), stage_result("5x")]
    for result in results:
        folder.add_result(result, [])
    assert folder.read_stages() == results


def test_each_flow_has_its_workload_and_filter(folder: RunFolder) -> None:
    folder.write_workload(b"-- a", b"kept")
    folder.write_workload(b"-- b", b"kept", flow="repayment")
    folder.write_workload(b"-- c", b"", flow="refund")
    assert folder.workload_path("repayment").read_bytes() == b"-- b"
    assert [p.name for p in folder.filter_paths] == ["workload-repayment.filter", "workload.filter"]


def test_a_crash_while_a_stage_is_added_keeps_those_before(folder: RunFolder) -> None:
    first = stage_result("1x")
    folder.add_result(first, samples("1x"))
    table = (folder.path / "stages.parquet").read_bytes()
    folder.add_result(stage_result("5x"), samples("5x"))
    (folder.path / "stages.parquet").write_bytes(table)
    assert folder.read_stages() == [first]


def test_samples_come_back_the_same_and_in_order(folder: RunFolder) -> None:
    taken = samples("1x") + samples("5x", source="host", native__host__steal_ratio=0.01)
    folder.write_results([], taken)
    assert folder.read_samples() == taken


def test_checks_and_verdict_come_back_the_same(folder: RunFolder) -> None:
    folder.write_checks([CHECK], {"expectations": []})
    folder.write_verdict(VERDICT)
    assert folder.read_checks() == [CHECK]
    assert folder.read_verdict() == VERDICT


def test_the_bounds_of_a_percentile_come_back(folder: RunFolder) -> None:
    bounded = replace(CHECK, outcome=Outcome.PASSED, value=94.1, why="", interval=(91.0, 97.5))
    folder.write_checks([bounded])
    assert folder.read_checks() == [bounded]


def test_equal_results_give_equal_bytes(folder: RunFolder, tmp_path: Path) -> None:
    other = RunFolder(tmp_path / "other")
    for f in (folder, other):
        f.write_results([stage_result()], samples())
    for name in ("latency.json.gz", "stages.parquet", "samples.parquet"):
        assert folder.read_bytes(name) == other.read_bytes(name)


@pytest.mark.parametrize("name", ["run.json", "checks.json", "verdict.json"])
def test_the_form_of_json_files_is_frozen(folder: RunFolder, name: str) -> None:
    folder.write_run(RECORD)
    folder.write_checks([CHECK])
    folder.write_verdict(VERDICT)
    assert folder.read_bytes(name) == (GOLDEN / name).read_bytes()


def test_the_form_of_the_histogram_file_is_frozen() -> None:
    (read,) = RunFolder(GOLDEN).read_stages()
    assert read == stage_result(seconds=2, measured_from_s=1)


def test_events_are_added_line_by_line(folder: RunFolder) -> None:
    folder.append_event(1.5, "stage_ended", stage="1x")
    folder.append_event(2.5, "sealed")
    assert [e["event"] for e in folder.read_events()] == ["stage_ended", "sealed"]


def test_a_last_event_cut_by_a_crash_is_left_out(folder: RunFolder) -> None:
    folder.append_event(1.5, "stage_ended")
    with (folder.path / "events.jsonl").open("ab") as file:
        file.write(b'{"schema_version":1,"ts":2.')
    assert len(folder.read_events()) == 1


def test_inputs_report_and_charts_are_kept_as_given(folder: RunFolder) -> None:
    folder.write_inputs(
        plan=b"name: demo\n", expectations=b"version: 1\n", workload=b"-- @workload\n"
    )
    assert folder.read_bytes("expectations.yaml") == b"version: 1\n"
    folder.write_report("<p>Größe</p>")
    folder.write_chart("ramp", b"\x89PNG")
    assert folder.read_bytes("plan.yaml") == b"name: demo\n"
    assert folder.read_bytes("report.html").decode() == "<p>Größe</p>"
    assert folder.read_bytes("charts/ramp.png") == b"\x89PNG"


def test_a_folder_without_a_run_is_refused(folder: RunFolder) -> None:
    with pytest.raises(ArtifactError, match=r"no run\.json"):
        folder.require()


@pytest.mark.parametrize("name", ["run.json", "verdict.json", "checks.json", "samples.parquet"])
def test_a_missing_file_is_named(folder: RunFolder, name: str) -> None:
    readers = {
        "run.json": folder.read_run,
        "verdict.json": folder.read_verdict,
        "checks.json": folder.read_checks,
        "samples.parquet": folder.read_samples,
    }
    with pytest.raises(ArtifactError, match=name):
        readers[name]()


def test_another_schema_version_is_refused(folder: RunFolder) -> None:
    folder.write_verdict(VERDICT)
    path = folder.path / "verdict.json"
    path.write_bytes(path.read_bytes().replace(b'"schema_version": 1', b'"schema_version": 2'))
    with pytest.raises(SchemaMismatch, match=r"verdict\.json has schema_version 2"):
        folder.read_verdict()


def test_a_table_without_a_version_is_refused(folder: RunFolder) -> None:
    folder.path.mkdir()
    parquet.write_table(pa.table({"ts": [1.0]}), folder.path / "samples.parquet")
    with pytest.raises(SchemaMismatch, match=r"samples\.parquet"):
        folder.read_samples()


@pytest.mark.parametrize("name", ["latency.json.gz", "stages.parquet"])
def test_a_cut_file_is_named(folder: RunFolder, name: str) -> None:
    folder.write_results([stage_result()], [])
    path = folder.path / name
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ArtifactError, match=name):
        folder.read_stages()


@pytest.mark.parametrize(
    "content",
    [b"not json", b"[]", b'{"schema_version": 1}', b'{"schema_version": 1, "verdict": "MAYBE"}'],
)
def test_a_broken_verdict_is_named(folder: RunFolder, content: bytes) -> None:
    folder.path.mkdir()
    (folder.path / "verdict.json").write_bytes(content)
    with pytest.raises(ArtifactError, match=r"verdict\.json"):
        folder.read_verdict()


def test_a_histogram_whose_buckets_do_not_add_up_is_refused(folder: RunFolder) -> None:
    folder.write_results([stage_result(seconds=1)], [])
    path = folder.path / "latency.json.gz"
    data = gzip.decompress(path.read_bytes()).replace(b'"count":400', b'"count":401')
    path.write_bytes(gzip.compress(data))
    with pytest.raises(ArtifactError, match=r"latency\.json\.gz is broken"):
        folder.read_stages()


def test_a_verdict_that_is_no_number_is_not_written(folder: RunFolder) -> None:
    folder.write_verdict(VERDICT)
    with pytest.raises(ArtifactError):
        folder.write_verdict(replace(VERDICT, rate_held_per_s=float("nan")))
    assert folder.read_verdict() == VERDICT


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ArtifactError, match="verdict"):
        RunFolder(tmp_path / "file").write_verdict(VERDICT)


def test_no_temporary_file_is_left(folder: RunFolder) -> None:
    folder.write_verdict(VERDICT)
    with pytest.raises(ArtifactError):
        folder.write_verdict(replace(VERDICT, peak_rate_per_s=float("inf")))
    assert [p.name for p in folder.path.iterdir()] == ["verdict.json"]

"""The whole pipeline on a real server, from captured logs to a verdict and a report."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.e2e.demo_process import DemoProcess, assert_nothing_left

pytestmark = pytest.mark.e2e

FILES = {
    "run.json", "plan.yaml", "expectations.yaml", "workload.sql", "stages.parquet", "samples.parquet",
    "latency.json.gz", "checks.json", "verdict.json", "report.html", "events.jsonl", "reservation.json",
    "masking.plan.json", "masking.json",
}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("verdict")


@pytest.fixture(scope="module")
def healthy(place: Path) -> DemoProcess:
    """A demo that asks a quarter of what the machine can do."""
    demo = DemoProcess(place)
    assert demo.end() == 0, demo.output
    return demo


def run_folder_of(demo: DemoProcess, plan: str) -> Path:
    (folder,) = (demo.folder / ".local" / "runs").glob(f"{plan}-*")
    return folder


def verdict_of(demo: DemoProcess, plan: str) -> dict[str, object]:
    read: dict[str, object] = json.loads(
        (run_folder_of(demo, plan) / "verdict.json").read_text("utf-8")
    )
    return read


def test_a_healthy_run_is_ready_or_names_the_host(healthy: DemoProcess) -> None:
    verdict = verdict_of(healthy, "short")
    assert healthy.lines[-1] == f"verdict: {verdict['verdict']}\n"
    if verdict["verdict"] == "INVALID":
        assert "host" in str(verdict["reasons"]), verdict["reasons"]
    else:
        assert verdict["verdict"] == "READY", verdict["reasons"]
        assert verdict["rate_held_per_s"] == verdict["peak_rate_per_s"]


def test_nothing_is_left_of_it(healthy: DemoProcess, place: Path) -> None:
    assert healthy.process.returncode == 0
    assert_nothing_left(place)


def test_the_verdict_is_a_demonstration_and_never_expires(healthy: DemoProcess) -> None:
    verdict = verdict_of(healthy, "short")
    assert (verdict["scope"], verdict["expires_on"]) == ("demonstration", "")


def test_the_run_folder_holds_every_file(healthy: DemoProcess) -> None:
    folder = run_folder_of(healthy, "short")
    assert {p.name for p in folder.iterdir() if p.is_file()} == FILES
    assert (folder / "charts" / "ramp.png").read_bytes().startswith(b"\x89PNG")


def test_load_on_production_was_refused(healthy: DemoProcess) -> None:
    assert "refused, as it must be: marker" in healthy.output


def test_the_clone_was_masked_and_the_run_says_so(healthy: DemoProcess) -> None:
    (line,) = [line for line in healthy.lines if "mask the clone" in line]
    assert re.search(r"\d+ columns of \d+ tables, 0 of [\d,]+ personal values left", line)
    assert re.search(r"proven by \d+ checks", line)
    record = json.loads((run_folder_of(healthy, "short") / "run.json").read_text("utf-8"))
    assert record["target"]["masked"].startswith("policy default ")


def test_a_hundred_checkouts_ran_without_an_error(healthy: DemoProcess) -> None:
    (line,) = [line for line in healthy.lines if "100 checkouts" in line]
    assert line.rstrip().endswith("statements, no error")


def test_no_captured_value_is_in_any_text_of_the_run(healthy: DemoProcess) -> None:
    logs = (healthy.folder / ".local" / "demo" / "captures").glob("*.log")
    people = {word for log in logs for word in emails_in(log.read_bytes())}
    assert len(people) >= 3
    folder = run_folder_of(healthy, "short")
    texts = [
        p.read_bytes().lower()
        for p in folder.rglob("*")
        if p.suffix in (".sql", ".json", ".html", ".jsonl")
    ]
    assert [p for p in people if any(p.lower() in text for text in texts)] == []


def test_the_demo_proves_so_itself_in_one_line(healthy: DemoProcess) -> None:
    (line,) = [line for line in healthy.lines if "search all outputs" in line]
    said = re.search(r" 0 of (\d+) captured values in (\d+) outputs \((\d+) encodings\)", line)
    assert said, line
    values, outputs, encodings = map(int, said.groups())
    assert values > 200
    assert outputs > len(FILES)
    assert encodings > 14


def test_too_much_load_names_what_gave_and_where(place: Path) -> None:
    demo = DemoProcess(place, "too-much")
    assert demo.end() == 0, demo.output
    verdict = verdict_of(demo, "too-much")
    if verdict["verdict"] == "INVALID":
        assert "host" in str(verdict["reasons"]), verdict["reasons"]
        return
    assert verdict["verdict"] in ("ABORTED", "NOT_READY"), verdict["reasons"]
    assert "at 5x" in str(verdict["limited_by"])


def emails_in(log: bytes) -> set[bytes]:
    """Addresses in quotes: whose data the log holds."""
    return set(re.findall(rb"'([A-Za-z0-9._+-]+@[A-Za-z0-9.-]+)'", log))

"""`readiness capture` shows numbers and names, for people and for machines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from readiness.cli.main import main

TESTS = Path(__file__).parents[2]
MIXED = str(TESTS / "samples/checkout-captures/interleaved.log")
CLEAN = str(TESTS / "unit/workload/data/plain_1.log")
SAMPLES = sorted(
    str(path)
    for path in (TESTS / "samples/server-logs").iterdir()
    if path.suffix in (".log", ".tsv", ".CSV")
)
PERSONAL = ("Quill", "example.test", "4111", "078-05", "Plain-Pw", "Rue de", "Vanterpool", "usr_")


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: Path(path).name)
def test_every_log_is_shown_without_a_value(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["capture", path]) == 0
    text = capsys.readouterr().out
    assert "statements" in text
    assert main(["capture", path, "--json"]) == 0
    (shown,) = json.loads(capsys.readouterr().out)["captures"]
    assert shown["statements"] == sum(shown["kinds"].values())
    for value in PERSONAL:
        assert value not in text + json.dumps(shown)


def test_flows_are_shown_with_coverage_reasons_and_rate(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["capture", MIXED, "--flow-like", CLEAN]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (
        "  flows         3: 87 transactions, 372 statements, 100% of the example's statements"
        in lines
    )
    assert any(line.startswith("  left out      session set-up 59") for line in lines)
    assert "  flow rate     1.5 flows/s over 2 s" in lines


def test_several_logs_are_shown_one_after_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["capture", SAMPLES[-1], CLEAN, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["captures"]) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "No log is named"),
        (["--on"], "need a server"),
        ([MIXED, "--from", "mysql://a@b/c", "--on"], "not a file"),
        ([MIXED, "--format", "tcpdump"], "invalid choice"),
        ([MIXED, "--from-time", "yesterday"], "2026-11-30T18:00:00"),
        ([MIXED, "--tag", "checkout"], "KEY=VALUE"),
        ([MIXED, "--thread", "x"], "whole number"),
        ([MIXED, "--marker", "pay"], "does not stand in the log"),
        ([MIXED, "--user", "nobody"], "it has those of"),
        ([MIXED, "--thread", "999"], "holds no such flow"),
        ([MIXED, "--flow-like", "none.log"], "none.log"),
    ],
)
def test_what_cannot_be_done_says_so(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["capture", *arguments]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "transactions"),
    [("2026-11-30T10:49:28", None), ("2026-11-30T11:49:28+01:00", None), ("2031-01-01", 0)],
)
def test_a_time_is_on_the_clock_of_the_log(
    given: str, transactions: int | None, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["capture", MIXED, "--from-time", given, "--json"])
    shown = json.loads(capsys.readouterr().out)
    if transactions == 0:
        assert code == 2
        assert "at another time" in shown["message"]
    else:
        assert 0 < shown["captures"][0]["flows"]["transactions"] < 178

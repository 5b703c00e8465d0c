"""`readiness rate` on a ramp that runs: two workers take each rate at once, the server gets just the
rows that say so, and the report shows what was held."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.fakes.load_commands import ROWS_A_CHECKOUT, LoadCommands, end, until

from readiness.adapters.local_server import LocalServer
from readiness.artifacts.run_folder import RunFolder
from readiness.model.load import StageResult

pytestmark = [pytest.mark.e2e, pytest.mark.mysql, pytest.mark.long]

PLAN = """\
name: hands
flows: [{name: checkout, workload: checkout.sql, normal_rate_per_s: 10}]
stages:
  - {name: tune, rate: 1x, hold_s: 600, tuned: true}
  - {name: after, rate: 2x, hold_s: 2}
tuned_max: 60/s
workers: 2
expectations: load
"""


@dataclass
class Tuned:
    """A ramp whose first stage was tuned and ended by hand, and what the commands said."""

    folder: RunFolder
    said: list[tuple[int, str, str]]
    rows: int
    code: int


@pytest.fixture(scope="module")
def tuned(private_server: LocalServer, tmp_path_factory: pytest.TempPathFactory) -> Tuned:
    commands = LoadCommands(private_server, tmp_path_factory.mktemp("hands"))
    (commands.folder / "hands.yaml").write_text(PLAN)
    run = commands.folder / "run"
    process = commands.start(
        "ramp", "--plan", "hands.yaml", "--target", commands.target, "-o", "run"
    )
    try:
        commands.rows_come(process, above=0)
        said = [
            commands.said("rate", "run", *words, "--json")
            for words in ([], ["40/s"], ["90/s"], ["quick"], ["5x"], ["end"])
        ]
        until(lambda: _stage_of(run) == "after", "the next stage begins")
        said.append(commands.said("rate", "run", "20/s", "--json"))
        out, err = process.communicate(timeout=60)
    finally:
        end(process)
    assert "Rates by hand" in (run / "report.html").read_text(), out + err
    said.append(commands.said("rate", "run", "20/s", "--json"))
    return Tuned(RunFolder(run), said, commands.rows(), process.returncode)


def _stage_of(run: Path) -> str:
    held = run / "rate_held.json"
    try:
        return str(json.loads(held.read_text())["stage"])
    except FileNotFoundError:
        return ""


def test_the_command_says_what_holds_and_refuses_what_cannot_be(tuned: Tuned) -> None:
    told = [json.loads(out) for _, out, _ in tuned.said]
    assert [code for code, _, _ in tuned.said] == [0, 0, 2, 2, 0, 0, 2, 2]
    assert [told[k]["rate_per_s"] for k in (0, 1, 4, 5)] == [10, 40, 50, 0]
    refused = [told[k]["message"] for k in (2, 3, 6, 7)]
    assert "90/s is more than the plan allows by hand, 60/s" in refused[0]
    assert "write 2x (times the normal rate) or 120/s" in refused[1]
    assert "after is not tuned: its rate stays 20/s" in refused[2]
    assert "has ended" in refused[3]


def test_the_load_follows_from_the_very_second(tuned: Tuned) -> None:
    stage = tuned.folder.read_stages()[0]
    assert [change.rate_per_s for change in stage.rates] == [40, 50, 0]
    assert [tick.offered for tick in stage.ticks] == offered_by(stage)


def offered_by(stage: StageResult) -> list[int]:
    """A whole number of checkouts a second, since each rate is one."""
    rates = [stage.stage.rate_per_s] * stage.rates[-1].from_s
    for change in stage.rates[:-1]:
        rates[change.from_s :] = [change.rate_per_s] * (len(rates) - change.from_s)
    return [round(rate) for rate in rates]


def test_what_was_asked_is_what_the_server_got(tuned: Tuned) -> None:
    stages = tuned.folder.read_stages()
    assert [stage.stage.name for stage in stages] == ["tune", "after"]
    offered = sum(tick.offered for stage in stages for tick in stage.ticks)
    assert sum(stage.checkouts_ok for stage in stages) == offered
    assert tuned.rows == offered * ROWS_A_CHECKOUT


def test_events_and_notes_say_who_did_it(tuned: Tuned) -> None:
    events = [e["event"] for e in tuned.folder.read_events()]
    assert events == [
        "rate_changed", "rate_changed", "stage_ended_by_hand", "stage_ended", "stage_ended",
    ]  # fmt: skip
    assert any("tune had 40/s from second" in note for note in tuned.folder.read_run().notes)
    assert not list(tuned.folder.path.glob("rate_*.json"))

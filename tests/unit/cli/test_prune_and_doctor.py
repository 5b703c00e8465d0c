"""`readiness prune` and `readiness doctor` as a person uses them."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from tests.fakes.clone_shelf import shelved

from readiness.artifacts.lock import RunLock
from readiness.cli.main import main
from readiness.clones.lifecycle import write_record

SECRET = "a-secret-that-nobody-may-see"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("READINESS_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "state"
    folder.mkdir()
    monkeypatch.setenv("READINESS_STATE", str(folder))
    monkeypatch.setenv("READINESS_KEY_FILE", str(tmp_path / "key"))
    return folder


def old_log(state: Path, days: float = 20) -> Path:
    log = state / "captures/general.log"
    log.parent.mkdir(exist_ok=True)
    log.write_text(f"INSERT INTO users VALUES ('{SECRET}')")
    when = time.time() - days * 86_400
    os.utime(log, (when, when))
    return log


def test_prune_says_what_it_did_and_a_second_one_finds_nothing(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = old_log(state)
    assert main(["prune", "--dry-run"]) == 0
    assert "would be deleted" in capsys.readouterr().out
    assert log.exists()
    assert main(["prune", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert [entry["path"] for entry in made["deleted"]] == [str(log)]
    assert not log.exists()
    assert main(["prune"]) == 0
    assert capsys.readouterr().out == "0 deleted, 0.0 MB; 0 stay\n"


def test_prune_takes_the_days_that_are_asked_for(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = old_log(state, days=3)
    monkeypatch.setenv("READINESS_RAW_LOG_DAYS", "5")
    assert main(["prune"]) == 0
    assert log.exists()
    assert main(["prune", "--older-than", "2.5"]) == 0
    assert not log.exists()


@pytest.mark.parametrize("days", ["-1", "soon", "nan", "inf"])
def test_prune_refuses_days_that_are_none(
    state: Path, monkeypatch: pytest.MonkeyPatch, days: str
) -> None:
    log = old_log(state)
    assert main(["prune", f"--older-than={days}"]) == 2
    monkeypatch.setenv("READINESS_RAW_LOG_DAYS", days)
    assert main(["prune"]) == 2
    assert log.exists()


def test_two_prunes_do_not_meet(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with RunLock(state / "prune.lock"):
        assert main(["prune"]) == 2
    assert "prune.lock" in capsys.readouterr().err


def test_a_healthy_machine_is_well(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old_log(state, days=1)
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "deleted in 13.0 days" in said
    assert said.endswith("all is well\n")


def test_what_needs_a_person_is_marked(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old_log(state)
    (tmp_path / "key").write_text(SECRET)
    (tmp_path / "key").chmod(0o644)
    monkeypatch.setenv("READINESS_SLACK_TOKEN", SECRET)
    folder = state / "clones/readiness-a"
    folder.mkdir(parents=True)
    write_record(folder, shelved("readiness-a", lease_until=time.time() - 60))
    assert main(["doctor", "--json"]) == 3
    said = capsys.readouterr().out
    found = json.loads(said)
    needed = {f["topic"]: f["text"] for f in found["findings"] if f["needs_person"]}
    assert "due: readiness prune" in needed["raw log"]
    assert "chmod 600" in needed["key"]
    assert "lease ended" in needed["clones"]
    assert not found["well"]
    assert "READINESS_SLACK_TOKEN" in said
    assert SECRET not in said


def test_doctor_makes_nothing(state: Path, tmp_path: Path) -> None:
    assert main(["doctor"]) == 0
    assert list(state.iterdir()) == []
    assert not (tmp_path / "key").exists()

"""Hold and tune: what a person asks for is taken within seconds, noted, or refused with the reason."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes import runs

from readiness.artifacts.run_folder import RunFolder
from readiness.errors import ArtifactError, ConfigError, LoadError, ReadinessError
from readiness.flow.tuning import Tuning, ask_rate, rate_held, tuned_notes
from readiness.model.load import RateChange, Stage

TUNED = Stage("tune", rate_per_s=10, hold_s=600, tuned_max_per_s=40)
PLAIN = Stage("5x", rate_per_s=10, hold_s=60)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """The folder of a run of 2/s on a normal day that has not ended."""
    record = runs.ready_run().record
    folder = RunFolder(tmp_path)
    folder.write_run(replace(record, ended_at=record.started_at))
    return folder


@contextmanager
def running(folder: RunFolder, stage: Stage) -> Iterator[list[RateChange]]:
    """The stage runs: its coordinator looks often, and each change holds from second 7 on."""
    changes: list[RateChange] = []
    over = threading.Event()
    with Tuning(folder, stage) as tuning:

        def look() -> None:
            while not over.wait(0.02):
                if change := tuning.tune(7):
                    changes.append(change)

        thread = threading.Thread(target=look)
        thread.start()
        try:
            yield changes
        finally:
            over.set()
            thread.join()


@pytest.mark.parametrize(("wish", "rate"), [("25/s", 25.0), ("2x", 4.0), ("end", 0.0)])
def test_what_is_asked_for_is_taken_and_told(folder: RunFolder, wish: str, rate: float) -> None:
    with running(folder, TUNED) as changes:
        held = ask_rate(folder, wish)
        assert rate_held(folder) == held
    assert (held.stage, held.rate_per_s, held.from_s) == ("tune", rate, 7)
    assert changes == [RateChange(7, rate)]


def test_each_change_is_an_event_of_the_run(folder: RunFolder) -> None:
    with running(folder, TUNED):
        ask_rate(folder, "25/s")
        ask_rate(folder, "end")
    told = [(e["event"], e["stage"], e["from_s"], e["rate_per_s"]) for e in folder.read_events()]
    assert told == [("rate_changed", "tune", 7, 25.0), ("stage_ended_by_hand", "tune", 7, 0.0)]


def test_the_run_notes_what_was_done_to_it() -> None:
    notes = tuned_notes(TUNED, (RateChange(7, 25.0), RateChange(60, 0.0)))
    assert notes == [
        "tune had 25/s from second 7 on, by hand",
        "tune was ended by hand at second 60",
    ]


def test_before_anybody_asks_the_plans_rate_holds(folder: RunFolder) -> None:
    with running(folder, TUNED):
        held = rate_held(folder)
    assert (held.rate_per_s, held.max_per_s, held.from_s) == (10.0, 40.0, 0)


@pytest.mark.parametrize(
    ("stage", "wish", "words"),
    [
        (TUNED, "400/s", "400/s is more than the plan allows by hand, 40/s"),
        (TUNED, "30x", "60/s is more than the plan allows"),
        (TUNED, "fast", "write 2x (times the normal rate) or 120/s"),
        (TUNED, "0/s", "write 2x"),
        (TUNED, "-3/s", "write 2x"),
        (PLAIN, "20/s", "5x is not tuned: its rate stays 10/s"),
        (PLAIN, "end", "5x is not tuned"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    folder: RunFolder, stage: Stage, wish: str, words: str
) -> None:
    with running(folder, stage) as changes:
        with pytest.raises(ConfigError) as refused:
            ask_rate(folder, wish)
        assert rate_held(folder).rate_per_s == 10
    assert words in refused.value.message
    assert refused.value.hint
    assert changes == []


def test_a_request_that_was_written_by_hand_keeps_the_limits_too(folder: RunFolder) -> None:
    asked = folder.path / "rate_asked.json"
    with Tuning(folder, TUNED) as tuning:
        for text in (
            '{"schema_version": 1, "request_id": "x", "rate_per_s": 41}',
            '{"schema_version": 1, "request_id": "x", "rate_per_s": -1}',
            '{"schema_version": 1, "request_id": "x", "rate_per_s": NaN}',
            '{"schema_version": 2, "request_id": "x", "rate_per_s": 4}',
            "rate: 4",
        ):
            asked.write_text(text)
            assert tuning.tune(7) is None
            assert not asked.exists()


def test_between_stages_and_after_the_run_there_is_nothing_to_change(folder: RunFolder) -> None:
    assert "No stage of the run" in refusal(folder).message
    record = folder.read_run()
    folder.write_run(replace(record, ended_at=record.started_at + 60))
    assert "has ended" in refusal(folder).message


def test_a_folder_without_a_run_is_none(tmp_path: Path) -> None:
    assert isinstance(refusal(RunFolder(tmp_path / "nowhere")), ArtifactError)


def refusal(folder: RunFolder) -> ReadinessError:
    with pytest.raises(ReadinessError) as refused:
        ask_rate(folder, "20/s")
    return refused.value


def test_a_run_that_does_not_answer_is_told_apart_and_does_not_find_it_later(
    folder: RunFolder,
) -> None:
    with Tuning(folder, TUNED) as tuning:
        with pytest.raises(LoadError) as silent:
            ask_rate(folder, "20/s", within_s=0.3)
        assert "did not take the rate within 0.3 s; nothing was changed" in silent.value.message
        assert tuning.tune(7) is None


def test_a_stage_begins_without_what_was_asked_of_the_one_before(folder: RunFolder) -> None:
    asked = folder.path / "rate_asked.json"
    asked.write_text('{"schema_version": 1, "request_id": "x", "rate_per_s": 4}')
    with Tuning(folder, TUNED) as tuning:
        assert tuning.tune(7) is None
    assert not (folder.path / "rate_held.json").exists()

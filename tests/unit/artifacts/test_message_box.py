"""What a run remembers of its messages outlives a task, and belongs to one messenger."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.fakes.clocks import HurriedClock

from readiness.artifacts.messages import MessageBox
from readiness.errors import ArtifactError, Busy, SchemaMismatch
from readiness.model.message import Fate, Slot

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "run" / "slack" / "state.json"
SLOTS = {
    "root": Slot(Fate.DELIVERED, "C0READY0001", "1796005020.000001", "ab" * 32, 1),
    "page-abort": Slot(Fate.UNSURE, tries=2),
}


def test_slots_are_read_back(tmp_path: Path) -> None:
    MessageBox(tmp_path).write_slots("slack", SLOTS)
    assert MessageBox(tmp_path).read_slots("slack") == SLOTS


def test_the_form_of_the_state_is_frozen(tmp_path: Path) -> None:
    box = MessageBox(tmp_path)
    box.write_slots("slack", SLOTS)
    assert (box.path / "state.json").read_bytes() == GOLDEN.read_bytes()


def test_nothing_is_remembered_of_another_messenger(tmp_path: Path) -> None:
    box = MessageBox(tmp_path)
    assert box.read_slots("slack") == {}
    box.write_slots("outbox", SLOTS)
    assert box.read_slots("slack") == {}


@pytest.mark.parametrize(
    "content",
    [{}, {"messenger": "slack"}, {"messenger": "slack", "slots": {"root": {"fate": "odd"}}},
     {"messenger": "slack", "slots": {"root": {"fate": "gone", "colour": 1}}}],
)  # fmt: skip
def test_a_broken_state_is_named(content: dict[str, object], tmp_path: Path) -> None:
    box = MessageBox(tmp_path)
    box.path.mkdir()
    (box.path / "state.json").write_text(json.dumps({"schema_version": 1, **content}))
    with pytest.raises(ArtifactError, match=r"state\.json is broken"):
        box.read_slots("slack")


def test_a_state_of_another_version_is_refused(tmp_path: Path) -> None:
    box = MessageBox(tmp_path)
    box.path.mkdir()
    (box.path / "state.json").write_text('{"schema_version": 2}')
    with pytest.raises(SchemaMismatch):
        box.read_slots("slack")


def test_bodies_are_numbered_in_the_order_of_sending(tmp_path: Path) -> None:
    box = MessageBox(tmp_path)
    kept = [box.keep(name, {"text": name}).name for name in ("root-start", "report", "report")]
    assert kept == ["01-root-start.json", "02-report.json", "03-report.json"]


def test_numbers_go_on_after_99(tmp_path: Path) -> None:
    box = MessageBox(tmp_path)
    box.path.mkdir()
    (box.path / "99-report.json").touch()
    assert [box.keep("x", {}).name, box.keep("x", {}).name] == ["100-x.json", "101-x.json"]


def test_one_process_talks_at_a_time(tmp_path: Path) -> None:
    box, clock = MessageBox(tmp_path), HurriedClock()
    with (
        box.held(clock, within_s=1),
        pytest.raises(Busy),
        MessageBox(tmp_path).held(clock, within_s=1),
    ):
        pass
    with box.held(clock, within_s=0):
        assert len(clock.slept) >= 9


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "slack").touch()
    box = MessageBox(tmp_path)
    with pytest.raises(ArtifactError, match="slack"), box.held(HurriedClock(), within_s=1):
        pass

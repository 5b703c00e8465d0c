"""The janitor tells what it cannot destroy, what nobody knows, and that it was away."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes.clone_shelf import CloneShelf, shelved

from readiness.clones.janitor import GRACE_S, SILENT_S, Half, ServerProcess
from readiness.flow.janitor import Beat, Round, last_round_at, make_round

NOW = 1_000_000.0


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    return tmp_path / "janitor.json"


def round_of(shelf: CloneShelf, diary: Path, *processes: ServerProcess) -> Round:
    return make_round(Beat(shelf, lambda: processes, diary), now_s=NOW)


def test_a_clone_that_cannot_be_destroyed_does_not_keep_the_others(diary: Path) -> None:
    shelf = CloneShelf(
        [shelved("a", lease_until=NOW - 60), shelved("b", lease_until=NOW - 60)], stuck={"a"}
    )
    assert round_of(shelf, diary).lines() == [
        "b is destroyed: its lease ended 1 min ago",
        "! a could not be destroyed: its folder is in use.",
    ]


def test_a_clone_that_another_hand_removed_meanwhile_is_gone(diary: Path) -> None:
    made = round_of(CloneShelf([shelved("a", lease_until=NOW - 60)], gone={"a"}), diary)
    assert [clone.name for clone in made.destroyed] == ["a"]
    assert made.failed == ()


def test_a_running_clone_with_a_lease_stays(diary: Path) -> None:
    shelf = CloneShelf([shelved("a", lease_until=NOW + 600)])
    assert round_of(shelf, diary).lines() == ["a stays: its lease ends in 10 min"]


def test_a_half_made_clone_is_told_once_a_restore_cannot_be_under_way(diary: Path) -> None:
    young = shelved("a", lease_until=NOW + 600, created_at=NOW - GRACE_S + 1, pid=0)
    old = shelved("b", lease_until=NOW + 600, created_at=NOW - GRACE_S, pid=0)
    made = round_of(CloneShelf([young, old]), diary)
    assert [d.name for d in made.kept] == ["a"]
    assert [d.why for d in made.told] == [
        "is half made or crashed: no server runs; its lease ends in 10 min"
    ]


def test_a_folder_without_a_record_is_told_and_never_touched(diary: Path) -> None:
    shelf = CloneShelf([shelved("a", lease_until=0.0, run_id="", pid=0)])
    assert round_of(shelf, diary).lines() == ["! a has no record, so no lease"]
    assert len(shelf.clones) == 1


def test_a_server_without_a_record_is_told_with_its_process(diary: Path) -> None:
    shelf = CloneShelf([shelved("a", lease_until=NOW + 600)])
    processes = ServerProcess(41, "/clones/a"), ServerProcess(42, "/clones/lost")
    made = round_of(shelf, diary, *processes)
    assert [f"{d.name} {d.why}" for d in made.told] == ["lost has no record, but process 42"]


def test_no_clones_is_said(diary: Path) -> None:
    assert round_of(CloneShelf([]), diary).lines() == ["no clones"]


def test_a_janitor_that_was_away_says_so_once(diary: Path) -> None:
    beat = Beat(CloneShelf([]), list, diary)
    first = make_round(beat, now_s=NOW - SILENT_S - 60)
    second = make_round(beat, now_s=NOW)
    assert first.silent_s == 0.0
    assert second.lines() == [
        "! no janitor came for 31 min: is readiness_janitor paused?",
        "no clones",
    ]
    assert make_round(beat, now_s=NOW + 600).silent_s == 0.0


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema_version": 1, "at": "noon"}'])
def test_a_broken_diary_is_no_diary(diary: Path, text: str) -> None:
    diary.write_text(text)
    assert last_round_at(diary) is None
    round_of(CloneShelf([]), diary)
    assert last_round_at(diary) == NOW


def test_what_was_left_half_made_goes_once_nobody_makes_it(diary: Path) -> None:
    halves = [
        Half("snapshot old", "/s/old.partial", NOW - GRACE_S),
        Half("snapshot slow", "/s/slow.partial", NOW - GRACE_S, is_alive=True),
        Half("clone young", "/c/young.new", NOW - GRACE_S + 1),
        Half("clone stuck", "/c/stuck.new", NOW - GRACE_S),
    ]
    removed: list[str] = []

    def remove(half: Half) -> None:
        if half.name == "clone stuck":
            raise PermissionError(13, "Permission denied")
        removed.append(half.path)

    beat = Beat(CloneShelf([]), list, diary, halves=lambda: halves, remove=remove)
    assert make_round(beat, now_s=NOW, is_dry_run=True).lines()[0] == (
        "snapshot old would be removed: it was left half made 30 min ago"
    )
    assert removed == []
    assert make_round(beat, now_s=NOW).lines() == [
        "snapshot old is removed: it was left half made 30 min ago",
        "! clone stuck could not be destroyed: Permission denied",
        "snapshot slow stays: is being made",
        "clone young stays: is being made",
    ]
    assert removed == ["/s/old.partial"]


def test_a_janitor_that_never_came_is_missed_once_a_lease_has_ended(diary: Path) -> None:
    ended = shelved("a", lease_until=NOW - SILENT_S - 60)
    assert round_of(CloneShelf([shelved("b", lease_until=NOW + 60)]), diary).silent_s == 0.0
    diary.unlink()
    assert round_of(CloneShelf([ended]), diary).silent_s == SILENT_S + 60

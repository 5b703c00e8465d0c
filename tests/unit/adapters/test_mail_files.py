"""Lines through files: whole, in order, by one writer; tries and the end of a stage."""

from __future__ import annotations

from pathlib import Path

import pytest

from readiness.adapters.mail_files import Sheet, StagePost, Tail, machine
from readiness.errors import ArtifactError


def test_lines_are_read_once_and_in_order(tmp_path: Path) -> None:
    sheet, tail = Sheet(tmp_path / "mail"), Tail(tmp_path / "mail")
    sheet.add(b"one")
    sheet.add(b"two")
    assert tail.new_lines() == [b"one", b"two"]
    assert tail.new_lines() == []
    sheet.say({"beat": 3})
    assert tail.new_lines() == [b'{"beat":3}']


def test_a_line_without_its_end_is_awaited(tmp_path: Path) -> None:
    path = tmp_path / "mail"
    tail = Tail(path)
    path.write_bytes(b"one\ntw")
    assert tail.new_lines() == [b"one"]
    assert tail.new_lines() == []
    path.write_bytes(b"one\ntwo\n")
    assert tail.new_lines() == [b"two"]


def test_a_file_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    assert Tail(tmp_path / "mail").new_lines() == []


def test_a_file_has_one_writer(tmp_path: Path) -> None:
    Sheet(tmp_path / "mail")
    with pytest.raises(FileExistsError):
        Sheet(tmp_path / "mail")


def test_mail_that_was_thrown_away_stays_away(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "mail")
    (tmp_path / "mail").unlink()
    with pytest.raises(FileNotFoundError):
        sheet.add(b"late")
    assert list(tmp_path.iterdir()) == []


def test_each_try_has_a_box_of_its_own_and_the_latest_is_found(tmp_path: Path) -> None:
    post = StagePost(tmp_path / "shards" / "5x")
    assert post.newest_box() is None
    post.open()
    made = [post.new_box() for _ in range(11)]
    assert len(set(made)) == 11
    assert post.newest_box() == made[-1]


def test_a_stage_is_over_until_it_is_opened_again(tmp_path: Path) -> None:
    post = StagePost(tmp_path / "5x")
    post.open()
    post.close()
    assert post.is_over
    post.open()
    assert not post.is_over


def test_what_is_forgotten_is_gone_also_when_there_was_nothing(tmp_path: Path) -> None:
    post = StagePost(tmp_path / "5x")
    post.forget()
    post.open()
    post.new_box()
    post.forget()
    assert post.newest_box() is None


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "shards").write_text("a file")
    with pytest.raises(ArtifactError, match="shards"):
        StagePost(tmp_path / "shards" / "5x").open()


def test_two_looks_from_one_machine_agree() -> None:
    assert machine() == machine() != ""

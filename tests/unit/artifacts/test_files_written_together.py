"""Files that belong together are replaced together, or stay as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from readiness.artifacts.atomic import write_together
from readiness.errors import ArtifactError


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_all_are_written(tmp_path: Path) -> None:
    write_together({tmp_path / "new/a": b"1", tmp_path / "new/b": b"2"})
    assert [(tmp_path / "new" / n).read_bytes() for n in names(tmp_path / "new")] == [b"1", b"2"]


def test_one_that_cannot_be_replaced_brings_the_others_back(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "c").mkdir()
    with pytest.raises(ArtifactError, match=r"c cannot be"):
        write_together({tmp_path / n: b"new" for n in "abc"})
    assert names(tmp_path) == ["a", "c"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_one_that_cannot_be_staged_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ArtifactError):
        write_together({tmp_path / "a": b"new", tmp_path / "file/b": b"new"})
    assert names(tmp_path) == ["file"]

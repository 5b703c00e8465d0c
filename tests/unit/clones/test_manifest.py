"""A manifest tells any change of a snapshot's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from readiness.clones.manifest import (
    INTENT_FILE,
    MANIFEST_FILE,
    Intent,
    Manifest,
    digest_of,
    read_intent,
    read_manifest,
    size_of,
    write_intent,
    write_manifest,
)
from readiness.errors import CloneError

MANIFEST = Manifest(
    "gold",
    "mariadb",
    "10.11.19",
    3,
    42,
    "ab" * 32,
    1.5,
    "/srv/data",
    7,
    method="mariadb-backup",
    masked="policy p: 3 columns",
    variables={"innodb_page_size": "16384"},
    checksums={"shop.users": 12},
    checksums_by="mariadb 10.11.19",
)
INTENT = Intent("gold", "/srv/data", "stopped", 1.5, 7, 99)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "data"
    (root / "shop").mkdir(parents=True)
    (root / "ibdata1").write_bytes(b"system")
    (root / "shop" / "users.ibd").write_bytes(b"rows")
    return root


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_manifest(tmp_path, MANIFEST)
    assert read_manifest(tmp_path) == MANIFEST


def test_files_and_bytes_are_counted_through_all_folders(tree: Path) -> None:
    size = size_of(tree)
    assert (size.files, size.bytes) == (2, 10)


def test_equal_trees_have_equal_digests(tree: Path, tmp_path: Path) -> None:
    twin = tmp_path / "twin"
    tree.rename(twin)
    (tree / "shop").mkdir(parents=True)
    (tree / "shop" / "users.ibd").write_bytes(b"rows")
    (tree / "ibdata1").write_bytes(b"system")
    assert digest_of(twin) == digest_of(tree)


@pytest.mark.parametrize("change", ["content", "name", "more", "less", "moved bytes"])
def test_any_change_changes_the_digest(tree: Path, change: str) -> None:
    before, users = digest_of(tree), tree / "shop" / "users.ibd"
    if change == "content":
        users.write_bytes(b"rowz")
    elif change == "name":
        users.rename(tree / "shop" / "user.ibd")
    elif change == "more":
        (tree / "empty").touch()
    elif change == "less":
        users.unlink()
    else:
        (tree / "ibdata1").write_bytes(b"systemr")
        users.write_bytes(b"ows")
    assert digest_of(tree) != before


def test_an_older_form_is_refused_with_the_remedy(tmp_path: Path) -> None:
    write_manifest(tmp_path, MANIFEST)
    path = tmp_path / MANIFEST_FILE
    path.write_text(path.read_text().replace('"schema_version": 2', '"schema_version": 1'))
    with pytest.raises(CloneError, match="schema_version 1, and 2 is read") as refused:
        read_manifest(tmp_path)
    assert "Take the snapshot again" in refused.value.hint


def test_an_intent_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_intent(tmp_path, INTENT)
    assert read_intent(tmp_path) == INTENT


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"schema_version": 2}', '{"schema_version": 1}']
)
def test_a_torn_intent_is_none(tmp_path: Path, text: str) -> None:
    assert read_intent(tmp_path) is None
    (tmp_path / INTENT_FILE).write_text(text)
    assert read_intent(tmp_path) is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema_version": 2}', '{"schema_version": 9}'])
def test_a_broken_manifest_is_no_snapshot(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST_FILE).write_text(text)
    with pytest.raises(CloneError):
        read_manifest(tmp_path)

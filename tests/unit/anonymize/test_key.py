"""The key: made once, kept from others, never inside a repository."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from readiness.anonymize.key import default_path, load_key
from readiness.errors import ConfigError


def test_a_new_key_is_the_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "readiness" / "key"
    assert len(load_key(path)) >= 16
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_key_stays_the_same(tmp_path: Path) -> None:
    assert load_key(tmp_path / "key") == load_key(tmp_path / "key")


def test_two_keys_differ(tmp_path: Path) -> None:
    assert load_key(tmp_path / "one") != load_key(tmp_path / "two")


def test_a_key_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("k" * 32)
    path.chmod(0o640)
    with pytest.raises(ConfigError, match="0640") as caught:
        load_key(path)
    assert f"chmod 600 {path}" in caught.value.hint


def test_a_key_in_a_work_tree_is_refused_and_not_made(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    path = tmp_path / "conf" / "key"
    with pytest.raises(ConfigError, match="work tree"):
        load_key(path)
    assert not path.exists()


def test_a_short_key_is_refused_without_showing_it(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("hunter2")
    path.chmod(0o600)
    with pytest.raises(ConfigError, match="7 bytes") as caught:
        load_key(path)
    assert "hunter2" not in caught.value.message + caught.value.hint


def test_a_folder_is_no_key(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    with pytest.raises(ConfigError):
        load_key(tmp_path)


@pytest.mark.parametrize(
    ("environ", "path"),
    [
        ({"READINESS_KEY_FILE": "/keys/mine"}, "/keys/mine"),
        ({"XDG_CONFIG_HOME": "/conf"}, "/conf/readiness/key"),
    ],
)
def test_the_environment_names_the_key(environ: dict[str, str], path: str) -> None:
    assert default_path(environ) == Path(path)

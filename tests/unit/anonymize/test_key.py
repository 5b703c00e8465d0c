"""The key: made once, kept from others, never inside a repository."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from readiness.anonymize.key import default_path, existing_key, key_check, load_key, require_key
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


def test_a_variable_may_hold_the_key(tmp_path: Path) -> None:
    environ = {"READINESS_KEY": "k" * 32, "XDG_CONFIG_HOME": str(tmp_path)}
    assert load_key(environ=environ) == b"k" * 32
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_named_comes_before_the_variable(tmp_path: Path) -> None:
    assert load_key(tmp_path / "key", {"READINESS_KEY": "k" * 32}) != b"k" * 32


def test_two_keys_in_the_environment_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "key"
    environ = {"READINESS_KEY": "k" * 32, "READINESS_KEY_FILE": str(path)}
    for named in (path, None):  # the settings hand the variable's file over as a path
        with pytest.raises(ConfigError, match="both set"):
            load_key(named, environ)
    assert not path.exists()


def test_a_short_variable_is_refused_without_showing_it() -> None:
    with pytest.raises(ConfigError, match="7 bytes") as caught:
        load_key(environ={"READINESS_KEY": "hunter2"})
    assert "hunter2" not in caught.value.message + caught.value.hint


def test_an_existing_key_is_never_made(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no key file") as caught:
        existing_key(tmp_path / "key", {})
    assert "--new-key" in caught.value.hint
    assert list(tmp_path.iterdir()) == []
    made = load_key(tmp_path / "key", {})
    assert existing_key(tmp_path / "key", {}) == made
    assert existing_key(None, {"READINESS_KEY": "k" * 32}) == b"k" * 32


def test_a_check_value_tells_keys_apart_and_nothing_else() -> None:
    assert key_check(b"k" * 32) == key_check(b"k" * 32) != key_check(b"o" * 32)
    assert len(key_check(b"k" * 32)) == 8
    require_key(b"k" * 32, key_check(b"k" * 32), made="checkout.sql")
    require_key(b"k" * 32, "", made="checkout.sql")
    with pytest.raises(ConfigError, match="another key") as caught:
        require_key(b"o" * 32, key_check(b"k" * 32), made="checkout.sql")
    assert "checkout.sql" in caught.value.message
    assert "--new-key" in caught.value.hint


def test_many_who_make_the_key_at_once_have_one(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: load_key(tmp_path / "key", {}), range(32)))
    assert len(keys) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["key"]


def test_a_link_into_a_work_tree_is_refused(tmp_path: Path) -> None:
    tree, link = tmp_path / "tree", tmp_path / "key"
    (tree / ".git").mkdir(parents=True)
    (tree / "key").write_text("k" * 32)
    link.symlink_to(tree / "key")
    with pytest.raises(ConfigError, match="work tree"):
        load_key(link, {})

"""Which server program is taken, and what is said when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from readiness.adapters.server_binary import find_server, probe
from readiness.errors import ServerError

MARIADB = "mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)"
MYSQL = "/opt/mysql/bin/mysqld  Ver 9.7.0-1 for Linux on x86_64 ((Debian))"


def program(path: Path, says: str) -> Path:
    """A stand-in that answers `--version` only when --no-defaults comes first, as it must."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\n[ "$1" = --no-defaults ] || exit 1\necho "{says}"\n')
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("says", "engine", "version"), [(MARIADB, "mariadb", "10.11.19"), (MYSQL, "mysql", "9.7.0")]
)
def test_engine_and_version_are_what_the_program_says(
    tmp_path: Path, says: str, engine: str, version: str
) -> None:
    found = find_server(environ={"READINESS_MYSQLD": str(program(tmp_path / "mysqld", says))})
    assert (found.engine, found.version) == (engine, version)


def test_path_comes_before_the_system_folders(tmp_path: Path) -> None:
    program(tmp_path / "mariadbd", MARIADB)
    found = find_server(environ={"PATH": str(tmp_path)})
    assert found.path == tmp_path / "mariadbd"


def test_the_asked_engine_is_found_behind_another(tmp_path: Path) -> None:
    program(tmp_path / "mariadbd", MARIADB)
    program(tmp_path / "mysqld", MYSQL)
    assert find_server(engine="mysql", environ={"PATH": str(tmp_path)}).version == "9.7.0"


def test_no_server_of_an_engine_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="no postgres server") as missing:
        find_server(engine="postgres", environ={"PATH": str(tmp_path)})
    assert "apt-get install mariadb-server-core" in missing.value.hint
    assert "READINESS_MYSQLD" in missing.value.hint
    assert "docker compose" in missing.value.hint


@pytest.mark.parametrize("says", ["", "mysqld: shared library missing", "git version 2.39"])
def test_a_named_program_that_is_no_server_is_refused(tmp_path: Path, says: str) -> None:
    path = program(tmp_path / "mysqld", says)
    with pytest.raises(ServerError, match="READINESS_MYSQLD names"):
        find_server(environ={"READINESS_MYSQLD": str(path)})


def test_a_named_program_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="READINESS_MYSQLD names"):
        find_server(environ={"READINESS_MYSQLD": str(tmp_path / "absent")})


def test_a_named_program_of_another_engine_is_refused(tmp_path: Path) -> None:
    path = program(tmp_path / "mysqld", MYSQL)
    with pytest.raises(ServerError, match="mariadb was asked for"):
        find_server(engine="mariadb", environ={"READINESS_MYSQLD": str(path)})


def test_an_unpacked_server_is_told_where_it_lives(tmp_path: Path) -> None:
    (tmp_path / "usr" / "lib" / "mysql" / "plugin").mkdir(parents=True)
    found = probe(program(tmp_path / "bin" / "mysqld", MYSQL))
    assert found
    assert f"--basedir={tmp_path}/usr" in found.prefix_options
    assert f"--plugin-dir={tmp_path}/usr/lib/mysql/plugin" in found.prefix_options

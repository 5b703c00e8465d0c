"""How a private server is started: alone with its own settings, and safe against crashes."""

from __future__ import annotations

from pathlib import Path

import pytest

from readiness.adapters.server_binary import ServerBinary
from readiness.adapters.server_command import (
    ServerOptions,
    initialise_command,
    start_command,
)

MARIADB = ServerBinary(Path("/usr/sbin/mariadbd"), "mariadb", "10.11.19")
MYSQL = ServerBinary(Path("/p/bin/mysqld"), "mysql", "9.7.0", ("--basedir=/p/usr",))


def command(binary: ServerBinary = MARIADB, **options: object) -> list[str]:
    return start_command(
        binary,
        ServerOptions(**options),  # type: ignore[arg-type]
        directory=Path("/srv/one"),
        socket=Path("/tmp/readiness-x/mysql.sock"),
        port=3307,
    )


@pytest.mark.parametrize("binary", [MARIADB, MYSQL])
def test_option_files_of_the_machine_are_never_read(binary: ServerBinary) -> None:
    assert command(binary)[1] == "--no-defaults"


def test_it_listens_on_this_machine_only() -> None:
    assert "--bind-address=127.0.0.1" in command()
    assert "--port=3307" in command()


def test_commits_are_durable_unless_asked_otherwise() -> None:
    assert "--innodb-flush-log-at-trx-commit=1" in command()
    assert "--innodb-flush-log-at-trx-commit=2" in command(durable_commits=False)


@pytest.mark.parametrize(("binary", "word"), [(MARIADB, "slave"), (MYSQL, "replica")])
def test_a_clone_of_a_replica_does_not_go_on_replicating(binary: ServerBinary, word: str) -> None:
    assert f"--skip-{word}-start" in command(binary)


def test_what_the_user_adds_comes_after_our_own_options() -> None:
    given = command(extra=("--max-connections=7",))
    assert given.index("--max-connections=7") > given.index("--max-connections=512")


def test_an_unpacked_mysql_gets_its_prefix_and_no_x_protocol() -> None:
    assert "--basedir=/p/usr" in command(MYSQL)
    assert "--mysqlx=OFF" in command(MYSQL)
    assert "--mysqlx=OFF" not in command(MARIADB)


@pytest.mark.parametrize("binary", [MARIADB, MYSQL])
def test_datadirs_made_at_once_share_no_temporary_folder(binary: ServerBinary) -> None:
    made = initialise_command(binary, Path("/srv/one/data.partial"))
    assert "--tmpdir=/srv/one" in made

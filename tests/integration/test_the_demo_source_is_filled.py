"""The database that docker-compose.yml captures from: filled once, readable logs, a workload of it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_session import login_of, open_session
from readiness.adapters.server_binary import ServerBinary
from readiness.config.dsn import Dsn
from readiness.demo.shop import SERVICE_USERS
from readiness.demo.source import fill
from readiness.errors import ConfigError
from readiness.flow.build import BuildInputs, build_workload
from readiness.workload.schema import read_schema

pytestmark = pytest.mark.mysql


@pytest.fixture(scope="module")
def dsn(server_binary: ServerBinary, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dsn]:
    """An account of a private server, as root of the compose file's MySQL; its logs are readable."""
    os.environ["SOURCE_PASSWORD"] = secrets.token_hex(8)
    with LocalServer(tmp_path_factory.mktemp("source"), binary=server_binary) as server:
        with closing(server.root_session()) as root:
            root.query("CREATE DATABASE shop")
            root.query("CREATE USER admin IDENTIFIED BY %s", (os.environ["SOURCE_PASSWORD"],))
            root.query("GRANT ALL ON *.* TO admin WITH GRANT OPTION")
        port = server.running_state().port
        yield Dsn.parse(f"mysql://admin@127.0.0.1:{port}/shop?password_env=SOURCE_PASSWORD")
    del os.environ["SOURCE_PASSWORD"]


@pytest.fixture(scope="module")
def logs(dsn: Dsn, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return fill(dsn, tmp_path_factory.mktemp("captures"), silent)


def silent(_text: str) -> None:
    """No progress."""


def test_the_logs_make_a_workload(dsn: Dsn, logs: list[Path], tmp_path: Path) -> None:
    with closing(open_session(**login_of(dsn))) as session:
        inputs = BuildInputs(
            name="checkout",
            captures=tuple(logs),
            users=SERVICE_USERS,
            schema=read_schema(session, "shop"),
        )
        built = build_workload(inputs, source=session, key=b"k" * 32, output=tmp_path / "w.sql")
    assert built.workload.transactions > 5


def test_a_full_database_stays_as_it_is(dsn: Dsn, logs: list[Path]) -> None:
    assert len(logs) == 3
    before = [path.read_bytes() for path in logs]
    assert fill(dsn, logs[0].parent, silent) == []
    assert [path.read_bytes() for path in logs] == before


def test_a_try_that_was_cut_off_is_no_success(dsn: Dsn, logs: list[Path], tmp_path: Path) -> None:
    assert logs
    with pytest.raises(ConfigError, match=r"lacks checkout-3\.log: an earlier try was cut off"):
        fill(dsn, tmp_path, silent)


def test_without_a_database_name_nothing_is_done(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no database"):
        fill(Dsn.parse("mysql://root@127.0.0.1:1/"), tmp_path, silent)

"""A stopped little production, and clones of it, for tests that need their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from readiness.adapters.local_clones import LocalClones
from readiness.adapters.local_server import LocalServer
from readiness.adapters.server_binary import ServerBinary
from readiness.model.clone import Snapshot

TABLES = ("users", "orders")


@pytest.fixture(scope="module")
def production(
    server_binary: ServerBinary, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    """A server with two tables in schema `shop`; stopped, and stopped again at the end."""
    server = LocalServer(tmp_path_factory.mktemp("production"), binary=server_binary)
    with server:
        session = server.root_session()
        session.query("CREATE DATABASE shop")
        for table in TABLES:
            session.query(
                f"CREATE TABLE shop.{table} (id INT AUTO_INCREMENT PRIMARY KEY, v CHAR(36))"
            )
            for _ in range(20):
                session.query(f"INSERT INTO shop.{table} (v) VALUES (UUID()), (UUID()), (UUID())")
        session.close()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def snapshot(production: LocalServer, tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """A snapshot of `production`."""
    clones = LocalClones(tmp_path_factory.mktemp("golden"))
    return clones.snapshot(str(production.directory), "golden")


@pytest.fixture
def clones(server_binary: ServerBinary, tmp_path: Path) -> Iterator[LocalClones]:
    """A clone backend; whatever it still has at the end is destroyed."""
    backend = LocalClones(tmp_path / "state", binary=server_binary)
    yield backend
    for clone in backend.list():
        backend.destroy(clone.name)

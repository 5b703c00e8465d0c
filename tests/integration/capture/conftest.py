"""Servers of both engines whose own log is switched, with an application's account on them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.fakes.engines import binary_of

from readiness.adapters.local_server import LocalServer

SCHEMA = (
    "CREATE DATABASE shop CHARACTER SET utf8mb4",
    "CREATE TABLE shop.orders (id INT PRIMARY KEY, note VARBINARY(99))",
    "CREATE USER app@'127.0.0.1' IDENTIFIED BY 'secret-word'",
    "GRANT ALL ON shop.* TO app@'127.0.0.1'",
)


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    """A running server of each engine with a schema `shop` and a user `app`."""
    binary = binary_of(request.param)
    with LocalServer(tmp_path_factory.mktemp(request.param), binary=binary) as running:
        session = running.root_session()
        for sql in SCHEMA:
            session.query(sql)
        session.close()
        yield running

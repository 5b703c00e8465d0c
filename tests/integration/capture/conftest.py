"""Servers of both engines whose own log is switched, with an application's account on them."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from readiness.adapters.local_server import LocalServer
from readiness.adapters.server_binary import ServerBinary, find_server
from readiness.errors import ServerError

SCHEMA = (
    "CREATE DATABASE shop CHARACTER SET utf8mb4",
    "CREATE TABLE shop.orders (id INT PRIMARY KEY, note VARBINARY(99))",
    "CREATE USER app@'127.0.0.1' IDENTIFIED BY 'secret-word'",
    "GRANT ALL ON shop.* TO app@'127.0.0.1'",
)


def _binary(engine: str) -> ServerBinary:
    """READINESS_MYSQLD names either engine; the other is looked for without it."""
    unnamed = {name: value for name, value in os.environ.items() if name != "READINESS_MYSQLD"}
    for environ in (None, unnamed):
        try:
            return find_server(engine=engine, environ=environ)
        except ServerError as error:
            missing = error.message
    if engine == "mariadb" and os.environ.get("CI"):
        pytest.fail(f"CI must not skip: {missing}")
    # MySQL is in no Debian suite that the tests may use; MariaDB is what set-up installs.
    pytest.skip(
        f"live capture was not tried on {engine}: {missing} READINESS_MYSQLD may name its mysqld."
    )


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    """A running server of each engine with a schema `shop` and a user `app`."""
    binary = _binary(request.param)
    with LocalServer(tmp_path_factory.mktemp(request.param), binary=binary) as running:
        session = running.root_session()
        for sql in SCHEMA:
            session.query(sql)
        session.close()
        yield running

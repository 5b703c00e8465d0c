"""Servers of both engines with a database that a workload is replayed on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.fakes.engines import binary_of

from readiness.adapters.local_server import LocalServer


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    """A running server of each engine, without a database."""
    binary = binary_of(request.param)
    with LocalServer(tmp_path_factory.mktemp(request.param), binary=binary) as running:
        yield running

"""A private server of each engine, and tables as masking is told of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.fakes.engines import binary_of
from tests.integration.masking.shelf import Shelf

from readiness.adapters.local_server import LocalServer


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    """Running, of one engine."""
    made = LocalServer(tmp_path_factory.mktemp("server"), binary=binary_of(request.param))
    with made:
        yield made


@pytest.fixture
def shelf(server: LocalServer) -> Iterator[Shelf]:
    """An empty database `shop`."""
    made = Shelf(server)
    made.empty()
    yield made
    made.close()

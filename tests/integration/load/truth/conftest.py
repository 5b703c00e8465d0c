"""What the engine says, held against what a real server says of itself: on both engines."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.fakes.engines import binary_of

from readiness.adapters.local_server import LocalServer


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def private_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    """A running private server of each engine."""
    binary = binary_of(request.param)
    with LocalServer(tmp_path_factory.mktemp("server"), binary=binary) as server:
        yield server

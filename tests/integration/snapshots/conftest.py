"""Shops on both engines whose stock and orders must always agree, for tests of snapshots."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.busy_shop import fill
from tests.fakes.engines import binary_of

from readiness.adapters.local_server import LocalServer
from readiness.adapters.local_snapshots import LocalSnapshots


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def shop(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    """A running shop of one module's tests; one that a test stopped or killed is started again."""
    server = LocalServer(tmp_path_factory.mktemp("shop"), binary=binary_of(request.param))
    with server:
        fill(server)
        yield server


@pytest.fixture
def running(shop: LocalServer) -> LocalServer:
    """The shop, running."""
    if shop.status() is None:
        shop.start()
    return shop


@pytest.fixture
def snapshots(shop: LocalServer, tmp_path: Path) -> LocalSnapshots:
    """Where a test takes its snapshots."""
    return LocalSnapshots(tmp_path / "state", shop.binary)


@pytest.fixture
def online(running: LocalServer) -> LocalServer:
    """The running shop, where its copy needs no stop: for MariaDB a program that set-up installs."""
    if running.binary.engine == "mariadb" and not shutil.which("mariadb-backup"):
        if os.environ.get("CI"):
            pytest.fail("mariadb-backup is missing, and CI must not skip: scripts/setup.sh dev")
        pytest.skip(
            "no running MariaDB was copied: that needs mariadb-backup, which scripts/setup.sh installs"
            " only where it may use apt. Install it by hand to try it:  apt-get install mariadb-backup"
        )
    return running

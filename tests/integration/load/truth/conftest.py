"""What the engine says, held against what a real server says of itself: on both engines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes.certificates import write_certificate
from tests.fakes.engines import binary_of

from readiness.adapters.local_server import LocalServer
from readiness.adapters.server_command import ServerOptions
from readiness.load.messages import Job
from readiness.model.workload import StatementKind, Step, Workload
from readiness.workload.text.file import render


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def private_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    """A running private server of each engine, which offers TLS."""
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = write_certificate(folder)
    options = ServerOptions(extra=(f"--ssl-cert={certificate}", f"--ssl-key={key}"))
    binary = binary_of(request.param)
    with LocalServer(folder / "server", options=options, binary=binary) as server:
        yield server


@pytest.fixture
def one_statement(job: Job, tmp_path: Path) -> Job:
    """The job of a workload that is one read."""
    step = Step("s001", 1, 0, StatementKind.SELECT, 0.0, (b"SELECT 1",))
    path = tmp_path / "one.sql"
    path.write_bytes(render(Workload("one", 2, (), (), (step,))))
    return replace(job, workload_path=str(path))

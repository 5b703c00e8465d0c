"""A small shop on a private server, and stages that run on it in real worker processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from readiness.adapters.local_server import LocalServer
from readiness.adapters.worker_process import ChildWorker
from readiness.load.coordinator import OnTick, run_stage
from readiness.load.messages import Job, Target
from readiness.model.load import LoadOptions, Stage, StageResult
from readiness.model.workload import StatementKind, Step, Workload
from readiness.ports import Session
from readiness.workload.make.pools import Pools
from readiness.workload.text.file import render

STATEMENTS = (
    (StatementKind.BEGIN, b"BEGIN"),
    (StatementKind.SELECT, b"SELECT id, name FROM items WHERE id < 40"),
    (StatementKind.INSERT, b"INSERT INTO orders (item) VALUES (7)"),
    (StatementKind.COMMIT, b"COMMIT"),
    (StatementKind.SELECT, b"SELECT COUNT(*) FROM items WHERE id = 3"),
)

SCHEMA = (
    "CREATE DATABASE shop",
    "CREATE TABLE shop.items (id INT PRIMARY KEY, name VARCHAR(99))",
    "CREATE TABLE shop.orders (id BIGINT AUTO_INCREMENT PRIMARY KEY, item INT)",
    "INSERT INTO shop.items WITH RECURSIVE n AS (SELECT 1 AS id UNION ALL SELECT id + 1 FROM n"
    " WHERE id < 200) SELECT id, REPEAT('x', 60) FROM n",
    "CREATE USER loader@'127.0.0.1' IDENTIFIED BY 'secret-word'",
    "GRANT SELECT, INSERT ON shop.* TO loader@'127.0.0.1'",
)


@pytest.fixture(scope="module")
def root(private_server: LocalServer) -> Iterator[Session]:
    """A root session; the schema and the load's account exist."""
    session = private_server.root_session()
    for sql in SCHEMA:
        session.query(sql)
    yield session
    session.close()


@pytest.fixture
def job(private_server: LocalServer, root: Session, tmp_path: Path) -> Job:
    """A job of one worker over a workload file with one write transaction and one read."""
    steps = tuple(
        Step(f"s{k:03}", 1, 1 if k < 5 else 0, kind, 0.0, (text,))
        for k, (kind, text) in enumerate(STATEMENTS, start=1)
    )
    path = tmp_path / "checkout.sql"
    path.write_bytes(render(Workload("checkout", 2, (), (), steps)))
    port = private_server.running_state().port
    target = Target("loader", "shop", host="127.0.0.1", port=port, password="secret-word")
    pools = Pools(()).to_json()
    return Job(target, str(path), pools, "run-1", Stage("x", 20, 3), LoadOptions())


Run = Callable[..., StageResult]


@pytest.fixture
def run(job: Job, tmp_path: Path) -> Run:
    """`run(stage, on_tick=…, started=[], target=…, **options)`: the workers go to `started`."""

    def go(
        stage: Stage,
        *,
        on_tick: OnTick = lambda _: None,
        started: list[ChildWorker] | None = None,
        target: Target = job.target,
        **options: object,
    ) -> StageResult:
        chosen = LoadOptions(**options)  # type: ignore[arg-type]

        def launch(index: int) -> ChildWorker:
            mine = replace(job, target=target, stage=stage, options=chosen, worker=index)
            worker = ChildWorker(mine, log=tmp_path / f"worker-{index}.log")
            if started is not None:
                started.append(worker)
            return worker

        return run_stage(stage, chosen, launch=launch, on_tick=on_tick)

    return go

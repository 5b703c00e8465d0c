"""A workload file with baskets of 1, 2 and 3 items, loaded by real workers: rows add up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes.checkouts import basket_workload

from readiness.adapters.local_server import LocalServer
from readiness.adapters.worker_process import ChildWorker
from readiness.load.coordinator import run_stage
from readiness.load.messages import Job, Target
from readiness.model.load import LoadOptions, Stage, StageResult
from readiness.ports import Row, Session
from readiness.workload.make.pools import read_pools
from readiness.workload.text.file import parse, render

pytestmark = pytest.mark.mysql
CHECKOUTS = 120
SCHEMA = (
    "CREATE DATABASE basket",
    "CREATE TABLE basket.products (sku VARCHAR(9) PRIMARY KEY, stock INT)",
    "CREATE TABLE basket.order_items (ref VARCHAR(20), sku VARCHAR(9))",
    "CREATE TABLE basket.notes (id INT AUTO_INCREMENT PRIMARY KEY, text VARCHAR(99))",
    "INSERT INTO basket.products SELECT CONCAT('A-', seq), 9999 FROM"
    " (WITH RECURSIVE n AS (SELECT 1 AS seq UNION ALL SELECT seq + 1 FROM n WHERE seq < 200)"
    " SELECT seq FROM n) numbers",
)


@pytest.fixture(scope="module")
def shop(private_server: LocalServer) -> Session:
    session = private_server.root_session("")
    for sql in SCHEMA:
        session.query(sql)
    return private_server.root_session("basket")


Load = Callable[..., StageResult]


@pytest.fixture
def load(private_server: LocalServer, shop: Session, tmp_path: Path) -> Load:
    """`load(connections, binding)`: 120 checkouts of the file by two workers."""
    path = tmp_path / "basket.sql"
    path.write_bytes(render(basket_workload()))
    pools = read_pools(parse(path.read_bytes(), path=path), shop).to_json()
    socket = private_server.running_state().socket
    target = Target("root", "basket", socket=str(socket))
    stage = Stage("x", 60, CHECKOUTS / 60)

    def go(connections: str, binding: str) -> StageResult:
        options = LoadOptions(workers=2, connections=connections, binding=binding)
        job = Job(target, str(path), pools, "run", stage, options)

        def launch(index: int) -> ChildWorker:
            return ChildWorker(replace(job, worker=index), log=tmp_path / f"{index}.log")

        return run_stage(stage, options, launch=launch, on_tick=lambda _: None)

    return go


def number(session: Session, sql: str) -> int:
    return int(str(session.query(sql)[0][0]))


def test_what_was_drawn_is_what_the_tables_hold_by_either_binding(
    load: Load, shop: Session
) -> None:
    by_literals = loaded(load, shop, "per-checkout", "literal")
    assert loaded(load, shop, "pooled", "uservar") == by_literals


def loaded(load: Load, shop: Session, connections: str, binding: str) -> list[Row]:
    """Loads the emptied tables, and gives the rows that then stand there."""
    for table in ("order_items", "notes"):
        shop.query(f"DELETE FROM {table}")
    before = number(shop, "SELECT SUM(stock) FROM products")
    result = load(connections, binding)
    ran = {name: histogram.count for name, histogram in result.statements.items()}
    sets = ran.pop("set", 0)
    assert (result.checkouts_ok, result.checkouts_failed, result.errors) == (CHECKOUTS, 0, {})
    seconds, thirds = ran["s005"], ran["s007"]
    assert ran["s003"] == ran["s002"] == ran["s009"] == CHECKOUTS
    # Each of three counts is as likely: 80 ± 5 and 40 ± 5 of 120, four times over.
    assert 60 <= seconds <= 100
    assert 20 <= thirds <= 60
    assert [ran[f"s{n:03}"] for n in range(10, 18)] == [seconds] * 4 + [thirds] * 4
    # One ahead of each checkout, and one behind each id that a later statement reads.
    assert sets == (CHECKOUTS + seconds + thirds if binding == "uservar" else 0)
    held = number(shop, "SELECT COUNT(*) FROM order_items")
    assert held == CHECKOUTS + seconds + thirds
    assert before - number(shop, "SELECT SUM(stock) FROM products") == held
    assert number(shop, "SELECT COUNT(*) FROM notes") == seconds + thirds
    of_sizes = shop.query(
        "SELECT size, COUNT(*) FROM (SELECT COUNT(*) size FROM order_items GROUP BY ref) x"
        " GROUP BY size ORDER BY size"
    )
    assert of_sizes == [(1, CHECKOUTS - seconds), (2, seconds - thirds), (3, thirds)]
    return shop.query("SELECT ref, sku FROM order_items ORDER BY ref, sku")

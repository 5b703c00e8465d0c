"""A real server of each engine: what does not fit is refused before any load; capacity; likeness."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.checking.conftest import Readiness, Shop, connect

from readiness.artifacts.fidelity_file import read_fidelity

pytestmark = pytest.mark.mysql


@pytest.fixture
def workload(shop: Shop, readiness: Readiness, tmp_path: Path) -> Path:
    """checkout.sql of the three captures, on a server that is adopted as a clone."""
    file = tmp_path / "checkout.sql"
    captures = [word for log in shop.general for word in ("--capture", log)]
    words = ("--user", "app", "--source", shop.dsn, "-o", file)
    assert readiness("workload", "build", *captures, *words).code == 0
    words = ("--yes", "--masked", "invented")
    assert readiness("clone", "adopt", shop.dsn, *words).code == 0
    return file


@pytest.fixture
def narrow(shop: Shop) -> Iterator[None]:
    """A server with few connections."""
    before = asked(shop, "SELECT @@GLOBAL.max_connections")
    asked(shop, "SET GLOBAL max_connections = 20")
    yield
    asked(shop, f"SET GLOBAL max_connections = {before}")


def asked(shop: Shop, sql: str) -> int:
    """The first figure of an answer, 0 without one; the connection is closed again."""
    with connect(shop.server) as root, root.cursor() as cursor:
        cursor.execute(sql)
        return int((cursor.fetchone() or (0,))[0])


def orders(shop: Shop) -> int:
    return asked(shop, "SELECT COUNT(*) FROM orders")


def test_a_server_without_room_gets_no_load(
    shop: Shop, readiness: Readiness, workload: Path, narrow: None, tmp_path: Path
) -> None:
    before = orders(shop)
    rate, pause = ("--rate", 20, "--duration", 5), ("--transaction-pause", 400)
    said = readiness(
        "load", "--target", shop.target, "--workload", workload, *rate, *pause, "-o",
        tmp_path / "run",
    )  # fmt: skip
    assert said.code == 2
    assert "max_connections is 20" in said.plain_err
    assert "SET GLOBAL max_connections = " in said.plain_err
    assert orders(shop) == before
    assert not (tmp_path / "run").exists()


@pytest.mark.long
def test_more_than_a_worker_can_make_is_refused_by_what_was_measured(
    shop: Shop, readiness: Readiness, workload: Path, tmp_path: Path
) -> None:
    words = ("--target", shop.target, "--workload", workload, "--duration", 2)
    pooled = ("--connections", "pooled", "-o", tmp_path / "run")
    said = readiness("load", *words, *pooled, "--rate", 20_000)
    assert said.code == 2
    assert "measuring for 2 s what a checkout costs the generator" in said.err
    assert "cores (measured)" in said.plain_err
    assert "workers: " in said.plain_err
    quiet = readiness("load", *words, *pooled, "--rate", 5)
    assert quiet.code == 0, quiet.err
    assert "measuring" not in quiet.err  # a rough figure leaves no doubt


@pytest.mark.parametrize("clients", [1, pytest.param(16, marks=pytest.mark.long)])
def test_a_ladder_finds_what_the_server_does(
    shop: Shop, readiness: Readiness, workload: Path, clients: int
) -> None:
    words = ("--target", shop.target, "--workload", workload, "--duration", 1, "--clients", clients)
    said = readiness("calibrate", *words, "--json")
    assert said.code in (0, 4), said.err  # 4: this host or the generator was the limit
    steps = said.json["steps"]
    assert [step["clients"] for step in steps] == [1, 2, 4, 8, 16][: len(steps)]
    assert len(steps) >= min(clients, 2)
    assert all(step["per_s"] > 5 for step in steps)
    assert all(step["failed_ratio"] < 0.05 for step in steps), steps  # deadlocks of many
    assert (said.code == 4) == (said.json["limited_by"] in ("generator", "host"))


def test_the_way_that_is_most_like_production_is_named(
    shop: Shop, readiness: Readiness, workload: Path, tmp_path: Path
) -> None:
    figures, file = tmp_path / "production.yaml", tmp_path / "likeness.json"
    figures.write_text("statements_per_s: 130\nconnections: 1\nthreads_running: 1\naas: 0.1\n")
    words = ("--target", shop.target, "--workload", workload, "--duration", 2, "--rate", 10)
    only = ("--pacing", "none", "--connections", "pooled")
    said = readiness("calibrate", *words, *only, "--like", figures, "-o", file, "--json")
    assert said.code in (0, 4), said.err
    (trial,) = read_fidelity(file).trials
    compared = {one.metric: one for one in trial.likeness.compared}
    assert compared["statements_per_s"].measured == pytest.approx(130, rel=0.5)
    assert 0 <= trial.likeness.score <= 1
    assert said.json["trials"][0]["likeness"]["score"] == trial.likeness.score


def test_words_that_belong_together_are_asked_for_together(
    readiness: Readiness, tmp_path: Path
) -> None:
    words = ("--target", "mysql://root@localhost/x", "--workload", tmp_path / "checkout.sql")
    said = readiness("calibrate", *words, "--rate", 10)
    assert said.code == 2
    assert "--like" in said.plain_err

"""Captures with baskets of 1, 2 and 3 items: each checkout is held against the log that had its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.integration.checking.conftest import (
    Readiness,
    Said,
    Shop,
    connect,
    logged,
    prepare,
    shop_once,
)

pytestmark = pytest.mark.mysql
BASKETS = (1, 2, 3)


@pytest.fixture(scope="module")
def captures(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> list[list[Path]]:
    """The general and the slow log of each basket."""
    folder = tmp_path_factory.mktemp("baskets")
    with connect(shop.server) as connection, connection.cursor() as cursor:
        cursor.execute("DELETE FROM order_lines")
        cursor.execute("DELETE FROM orders")
    logs = []
    for number, items in enumerate(BASKETS):
        prepare(shop.server, number, start=300_000)
        logs.append(
            logged(
                shop.server,
                folder,
                f"b{items}",
                lambda n=number, i=items: shop_once(shop.server, n, items=i),
            )
        )
    return logs


@pytest.fixture
def workload(shop: Shop, captures: list[list[Path]], readiness: Readiness, tmp_path: Path) -> Path:
    file = tmp_path / "checkout.sql"
    words = [word for general, _ in captures for word in ("--capture", general)]
    built = readiness(
        "workload", "build", *words, "--user", "app", "--source", shop.dsn, "-o", file
    )
    assert built.code == 0, built.err
    assert readiness("clone", "adopt", shop.dsn, "--yes", "--masked", "invented").code == 0
    return file


def check(readiness: Readiness, shop: Shop, file: Path, slow: list[Path]) -> Said:
    logs = [word for path in slow for word in ("--slow-log", path)]
    words = ("--user", "app", "--target", shop.target, "--checkouts", 30, "--json")
    return readiness("workload", "check", file, *logs, *words)


def test_every_basket_has_the_rows_of_its_own_capture(
    shop: Shop, readiness: Readiness, workload: Path, captures: list[list[Path]]
) -> None:
    said = check(readiness, shop, workload, [slow for _, slow in captures])
    fidelity = said.json["fidelity"]
    assert (said.code, fidelity["ratio"], fidelity["runs_with_other_baskets"]) == (0, 1.0, 0)
    assert {c["statements"] for c in fidelity["replayed"]} == {7, 9, 11}
    assert fidelity["captured"] == fidelity["replayed"]


def test_one_log_says_nothing_of_other_baskets(
    shop: Shop, readiness: Readiness, workload: Path, captures: list[list[Path]]
) -> None:
    said = check(readiness, shop, workload, [captures[1][1]])
    fidelity = said.json["fidelity"]
    assert fidelity["ratio"] == 1.0
    assert 0 < fidelity["runs_with_other_baskets"] < 30
    assert {c["statements"] for c in fidelity["replayed"]} == {9}

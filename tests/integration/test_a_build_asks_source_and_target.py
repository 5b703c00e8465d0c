"""A build with real databases: what the source holds is evidence, what the target has is told."""

from __future__ import annotations

import json
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.fakes.log_writers import Sent, general_mysql

from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_script import open_script
from readiness.cli.main import main
from readiness.workload.make.compile import compile_flow
from readiness.workload.make.pools import read_pools
from readiness.workload.prove.check import Replay
from readiness.workload.text.file import parse

pytestmark = pytest.mark.mysql
TABLES = (
    "CREATE TABLE shops (id BIGINT NOT NULL PRIMARY KEY, name VARCHAR(40))",
    "CREATE TABLE products (id BIGINT NOT NULL PRIMARY KEY, shop_id BIGINT NOT NULL,"
    " sku VARCHAR(20) UNIQUE, FOREIGN KEY (shop_id) REFERENCES shops (id))",
    "CREATE TABLE orders (id BIGINT NOT NULL PRIMARY KEY, shop_id BIGINT NOT NULL,"
    " product_id BIGINT NOT NULL, buyer VARCHAR(40) UNIQUE,"
    " FOREIGN KEY (shop_id) REFERENCES shops (id),"
    " FOREIGN KEY (product_id) REFERENCES products (id))",
)
BUYS = ((3, 31, 7001182, "ada.quill"), (5, 52, 7009517, "bo.tanager"), (9, 93, 7022043, "cy.umber"))


def filled(server: LocalServer, database: str, shops: range) -> str:
    """A database with ten products for each shop; the DSN of it."""
    with_root = server.root_session()
    with_root.query(f"CREATE DATABASE {database}")
    with_root.close()
    session = server.root_session(database)
    for statement in TABLES:
        session.query(statement)
    for shop in shops:
        session.query("INSERT INTO shops VALUES (%s, %s)", (shop, f"shop {shop}"))
        for n in range(10):
            session.query(
                "INSERT INTO products VALUES (%s, %s, %s)", (shop * 10 + n, shop, f"S{shop}-{n}")
            )
    for n in range(100 * bool(shops)):  # four of five orders are of the first shop
        shop = shops[0] if n % 5 else shops[1 + n // 5 % (len(shops) - 1)]
        row = (n + 1, shop, shop * 10, f"old {n}")
        session.query("INSERT INTO orders VALUES (%s, %s, %s, %s)", row)
    session.close()
    return f"mysql://root@localhost/{database}?socket={server.running_state().socket}"


@pytest.fixture(scope="module")
def source(private_server: LocalServer) -> str:
    return filled(private_server, "preproduction", range(1, 11))


@pytest.fixture(scope="module")
def target(private_server: LocalServer) -> str:
    return filled(private_server, "clone_of_production", range(100, 120))


@pytest.fixture(scope="module")
def empty(private_server: LocalServer) -> str:
    return filled(private_server, "empty_clone", range(0))


@pytest.fixture
def logs(tmp_path: Path) -> list[str]:
    arguments = []
    for number, (shop, product, order, buyer) in enumerate(BUYS):
        sql = (
            f"SELECT name FROM shops WHERE id = {shop}",
            f"SELECT sku FROM products WHERE shop_id = {shop} AND id = {product}",
            "INSERT INTO orders (id, shop_id, product_id, buyer) VALUES"
            f" ({order}, {shop}, {product}, '{buyer}')",
        )
        path = tmp_path / f"{number}.log"
        path.write_bytes(general_mysql([Sent(7, s.encode()) for s in sql]))
        arguments += ["--capture", str(path)]
    return arguments


def build(logs: list[str], folder: Path, *more: str) -> int:
    output = ["-o", str(folder / "checkout.sql"), "--key-file", str(folder / "key")]
    return main(["workload", "build", *logs, *output, *more])


def variables(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((folder / "checkout.variables.yaml").read_text())
    return dict(found["variables"])


def test_what_the_source_holds_is_evidence(logs: list[str], tmp_path: Path, source: str) -> None:
    assert build(logs, tmp_path, "--source", source) == 0
    shop = variables(tmp_path)["shop_id_0"]
    assert shop["class"] == "existing"
    assert "exists at the source in every capture" in shop["evidence"]["seen"]
    assert variables(tmp_path)["product_id_0"]["where"] == "shop_id = @shop_id_0"


def test_what_the_target_offers_is_told_with_its_skew(
    logs: list[str],
    tmp_path: Path,
    source: str,
    target: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert build(logs, tmp_path, "--source", source, "--target", target, "--json") == 0
    shops, products = json.loads(capsys.readouterr().out)["offers"]
    assert (shops["table"], shops["rows"], shops["weight_by"]) == ("shops", 20, "orders.shop_id")
    assert 0.8 <= shops["busiest_tenth_ratio"] <= 0.9  # 2 of 20 shops, one with 4 of 5 orders
    assert (products["table"], products["parents"], products["rows"]) == ("products", 20, 200)


def test_a_target_without_rows_stops_the_build_before_any_file(
    logs: list[str],
    tmp_path: Path,
    source: str,
    empty: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert build(logs, tmp_path, "--source", source, "--target", empty) == 2
    assert "shops" in capsys.readouterr().err
    assert not (tmp_path / "checkout.sql").exists()


def test_a_dropped_value_can_be_drawn_from_a_table(
    logs: list[str], tmp_path: Path, source: str, target: str
) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("variables:\n  order_buyer_0:\n    sample: orders.buyer\n")
    more = ["--overrides", str(mine)]
    assert build(logs, tmp_path, "--source", source, "--target", target, *more) == 0
    buyer = variables(tmp_path)["order_buyer_0"]
    assert (buyer["class"], buyer["sample"], buyer["overridden"]) == (
        "existing", "orders.buyer", True,
    )  # fmt: skip


def test_what_was_overruled_runs(
    logs: list[str], tmp_path: Path, source: str, target: str, private_server: LocalServer
) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text(
        "variables:\n"
        "  order_id_0: {generator: integer(100000000..999999999), name: number}\n"
        "  order_buyer_0: {expression: \"CONCAT('buyer-', @number)\"}\n"
        "  shop_id_0: {weight: products.shop_id}\n"
    )
    more = ["--target", target, "--overrides", str(mine)]
    assert build(logs, tmp_path, "--source", source, *more) == 0
    path = tmp_path / "checkout.sql"
    workload = parse(path.read_bytes(), path=path)
    opened = partial(open_script, **private_server.root_login("clone_of_production"))
    with closing(private_server.root_session("clone_of_production")) as session:
        flow = compile_flow(workload, read_pools(workload, session), namespace=b"n" * 8, seed=1)
        assert Replay(flow, opened).run(checkouts=30).is_clean
        rows = session.query("SELECT id, buyer FROM orders WHERE buyer LIKE 'buyer-%%'", ())
    assert len(rows) == 30
    assert all(str(buyer) == f"buyer-{number}" for number, buyer in rows)

"""Captures with baskets of 1, 2 and 5 items become one workload whose checkouts have such baskets."""

from __future__ import annotations

import dataclasses
from collections import Counter
from contextlib import closing
from typing import NamedTuple

import pytest
from tests.integration.workload.databases import (
    Database,
    build,
    capture_shop,
    pools_of,
    unbound,
    workload_in,
)
from tests.integration.workload.replaying import Replay, replay

from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_script import open_script
from readiness.demo.personas import PERSONAS
from readiness.demo.seed_data import load_shop
from readiness.flow.build import Built
from readiness.model.workload import Workload
from readiness.sql.lexer import split_statements

pytestmark = pytest.mark.mysql
BASKETS = (1, 2, 5)
CHECKOUTS = 60
ITEMS_OF_NEW = (
    "SELECT items, COUNT(*) FROM (SELECT checkout_id, COUNT(*) AS items FROM checkout_items"
    " WHERE id > %s GROUP BY checkout_id) AS baskets GROUP BY items"
)


class Baskets(NamedTuple):
    """The shop, its workload, and what 60 checkouts did; `largest_id` was there before them."""

    database: Database
    built: Built
    done: Replay
    largest_id: int

    @property
    def workload(self) -> Workload:
        return workload_in(self.built)


@pytest.fixture(scope="module")
def baskets(server: LocalServer, tmp_path_factory: pytest.TempPathFactory) -> Baskets:
    folder = tmp_path_factory.mktemp("baskets")
    database = Database(server, "paylater")
    database.make()
    with database.admin() as admin:
        load_shop(admin, seed=1, users=600)
    personas = [dataclasses.replace(p, items=n) for p, n in zip(PERSONAS, BASKETS, strict=True)]
    captures = capture_shop(database, folder / "logs", personas)
    built = build(captures, database, folder / "checkout.sql")
    largest_id = database.value_of("SELECT MAX(id) FROM checkout_items")
    workload = workload_in(built)
    pools = pools_of(workload, database)
    done = replay(workload, pools, database.target(), checkouts=CHECKOUTS, workers=2)
    return Baskets(database, built, done, largest_id)


def sizes(baskets: Baskets) -> Counter[int]:
    """How many of the new checkouts have how many items."""
    with baskets.database.admin() as admin, admin.cursor() as cursor:
        cursor.execute(ITEMS_OF_NEW, (baskets.largest_id,))
        return Counter({int(items): int(count) for items, count in cursor.fetchall()})


def test_what_belongs_to_an_item_is_one_repeat(baskets: Baskets) -> None:
    assert [r.counts for r in baskets.workload.repeats] == [BASKETS]
    assert unbound(baskets.workload) == set()


def test_every_checkout_runs(baskets: Baskets) -> None:
    assert (baskets.done.errors, baskets.done.warnings) == ({}, {})
    assert len(baskets.done.checkouts) == CHECKOUTS


def test_baskets_are_as_large_as_the_captured_ones_and_as_often(baskets: Baskets) -> None:
    found = sizes(baskets)
    print(f"items per checkout: {dict(found)}")
    assert set(found) == set(BASKETS)
    assert found.total() == CHECKOUTS
    # Even draws among three: 20 ± 11 is three standard deviations.
    assert all(9 <= count <= 31 for count in found.values())


def test_each_item_of_a_basket_is_looked_up_reserved_and_taken(baskets: Baskets) -> None:
    for checkout in baskets.done.checkouts:
        sql = b"\n".join(ran.sql for ran in checkout)
        items = sql.count(b"SELECT id, sku, price_cents FROM products")
        assert items in BASKETS
        assert sql.count(b"UPDATE inventory SET reserved = reserved + 1") == items
        assert sql.count(b"UPDATE inventory SET stock = stock - 1") == items
        locked = [r.rows for r in checkout if r.sql.startswith(b"SELECT product_id, stock")]
        assert locked == [items, items]


def test_items_of_a_basket_are_different_products_of_its_merchant(baskets: Baskets) -> None:
    joined = (
        " FROM checkout_items i JOIN checkouts c ON c.id = i.checkout_id"
        f" JOIN products p ON p.id = i.product_id WHERE i.id > {baskets.largest_id}"
    )
    strangers = " AND (p.merchant_id <> c.merchant_id OR p.sku <> i.sku)"
    assert baskets.database.value_of(f"SELECT COUNT(*){joined}{strangers}") == 0
    items = baskets.database.value_of(f"SELECT COUNT(*){joined}")
    different = f"SELECT COUNT(DISTINCT i.checkout_id, i.product_id){joined}"
    assert baskets.database.value_of(different) == items


def test_payloads_are_valid_json(baskets: Baskets) -> None:
    for table, column in (("checkout_events", "data"), ("checkouts", "payload")):
        broken = f"SELECT COUNT(*) FROM {table} WHERE NOT JSON_VALID({column})"
        assert baskets.database.value_of(broken) == 0


def test_a_plain_client_buys_the_largest_basket(baskets: Baskets) -> None:
    before = baskets.database.value_of("SELECT COUNT(*) FROM checkout_items")
    script = open_script(**baskets.database.target().login)
    with closing(script):
        for statement in split_statements(baskets.built.path.read_bytes()):
            assert script.run(statement).warnings == ()
    after = baskets.database.value_of("SELECT COUNT(*) FROM checkout_items")
    assert after - before == max(BASKETS)

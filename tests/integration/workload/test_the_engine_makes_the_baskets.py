"""The load engine's own workers make checkouts of a built workload, baskets included."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from tests.integration.workload.databases import Database, build, capture_shop, load_by_command

from readiness.adapters.local_server import LocalServer
from readiness.demo.personas import PERSONAS
from readiness.demo.seed_data import load_shop

pytestmark = [pytest.mark.mysql, pytest.mark.long]
BASKETS = (1, 2, 5)
RATE, SECONDS = 30, 10
NEW = " c WHERE c.created_at > (SELECT at FROM began)"


@pytest.fixture(scope="module")
def database(server: LocalServer) -> Database:
    made = Database(server, "paylater")
    made.make()
    with made.admin() as admin:
        load_shop(admin, seed=1, users=600)
    return made


@pytest.fixture(scope="module")
def loaded(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of one load by four worker processes."""
    folder = tmp_path_factory.mktemp("engine")
    personas = [dataclasses.replace(p, items=n) for p, n in zip(PERSONAS, BASKETS, strict=True)]
    built = build(capture_shop(database, folder / "logs", personas), database, folder / "made.sql")
    with database.admin() as admin, admin.cursor() as cursor:
        cursor.execute("CREATE TABLE began (at DATETIME(6))")
        cursor.execute("INSERT INTO began VALUES (NOW(6))")
    load_by_command(database, built, folder, rate=RATE, seconds=SECONDS, workers=4)
    return folder / "run"


@pytest.mark.usefixtures("loaded")
def test_each_checkout_that_was_due_has_its_loan(database: Database) -> None:
    loans = database.value_of(f"SELECT COUNT(*) FROM loans{NEW}")
    checkouts = database.value_of(f"SELECT COUNT(*) FROM checkouts{NEW}")
    confirmed = database.value_of(f"SELECT COUNT(*) FROM checkouts{NEW} AND state = 'confirmed'")
    print(f"{confirmed} of {RATE * SECONDS} checkouts were confirmed")
    assert loans == checkouts == confirmed
    assert checkouts >= RATE * SECONDS * 9 // 10


@pytest.mark.usefixtures("loaded")
def test_their_baskets_are_those_of_the_captures(database: Database) -> None:
    sizes = (
        "SELECT COUNT(*) AS items FROM checkout_items i JOIN checkouts c ON c.id = i.checkout_id"
        " WHERE c.created_at > (SELECT at FROM began) GROUP BY c.id"
    )
    for items in BASKETS:
        count = database.value_of(f"SELECT COUNT(*) FROM ({sizes}) s WHERE items = {items}")
        assert count > RATE * SECONDS // 6, items
    others = f"SELECT COUNT(*) FROM ({sizes}) s WHERE items NOT IN {BASKETS}"
    assert database.value_of(others) == 0

"""The demo's shop: three checkouts captured on a real server become checkouts without end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
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
from tests.integration.workload.replaying import DEADLOCK, LOCK_WAIT, replay
from tests.integration.workload.witness import captured_rows, fidelity

from readiness.adapters.local_server import LocalServer
from readiness.demo.personas import PERSONAS
from readiness.demo.seed_data import load_shop
from readiness.demo.shop import SERVICE_USERS
from readiness.flow.build import Built

pytestmark = pytest.mark.mysql
WORKERS, CHECKOUTS = 4, 400
GROWING = {"checkouts": 1, "checkout_items": 2, "users": 1, "loans": 1, "installments": 4}


class Shop(NamedTuple):
    """The shop, the workload of its checkout, and the slow log of the first capture."""

    database: Database
    built: Built
    slow_log: Path


@pytest.fixture(scope="module")
def shop(server: LocalServer, tmp_path_factory: pytest.TempPathFactory) -> Shop:
    folder = tmp_path_factory.mktemp("shop")
    database = Database(server, "paylater")
    database.make()
    with database.admin() as admin:
        load_shop(admin, seed=1, users=600)
    slow_log = folder / "slow.log"
    with every_statement_logged(database, slow_log):
        captures = capture_shop(database, folder / "logs", PERSONAS)
    return Shop(database, build(captures, database, folder / "checkout.sql"), slow_log)


@contextmanager
def every_statement_logged(database: Database, path: Path) -> Iterator[None]:
    """The server's slow log goes to `path` with each statement of new connections."""
    extra = {"mariadb": "log_slow_verbosity = 'innodb,query_plan'", "mysql": "log_slow_extra = 1"}
    with database.admin() as admin, admin.cursor() as cursor:
        cursor.execute(
            "SET GLOBAL slow_query_log_file = %s, GLOBAL long_query_time = 0", (str(path),)
        )
        cursor.execute(f"SET GLOBAL {extra[database.server.binary.engine]}")
        cursor.execute("SET GLOBAL slow_query_log = 1")
        yield
        cursor.execute("SET GLOBAL slow_query_log = 0, GLOBAL long_query_time = 10")


def test_few_variables_are_left_and_each_server_id_is_bound(shop: Shop) -> None:
    workload = workload_in(shop.built)
    print(f"the shop: {dict(workload.counts)}")
    assert workload.counts["generated"] <= 45
    assert unbound(workload) == set()


def test_four_workers_make_400_new_checkouts(shop: Shop) -> None:
    workload, database = workload_in(shop.built), shop.database
    before = Counter({t: database.value_of(f"SELECT COUNT(*) FROM {t}") for t in GROWING})
    done = replay(
        workload,
        pools_of(workload, database),
        database.target(),
        checkouts=CHECKOUTS,
        workers=WORKERS,
    )
    print(f"the shop: {len(done.checkouts)} of {CHECKOUTS}, {dict(done.errors)}")
    assert done.errors_but(DEADLOCK, LOCK_WAIT) == {}
    assert done.warnings == {}
    assert len(done.checkouts) >= CHECKOUTS * 95 // 100
    for table, rows in GROWING.items():
        grown = database.value_of(f"SELECT COUNT(*) FROM {table}") - before[table]
        assert grown >= rows * len(done.checkouts), table


def test_one_worker_meets_the_rows_that_the_captured_checkout_met(shop: Shop) -> None:
    workload, database = workload_in(shop.built), shop.database
    done = replay(workload, pools_of(workload, database), database.target(), checkouts=10)
    ratio, other = fidelity(done, captured_rows(shop.slow_log, SERVICE_USERS))
    print(f"the shop: {ratio:.4f} of statements with equal rows; others {other}")
    assert ratio >= 0.97


def test_no_row_points_to_nothing(shop: Shop) -> None:
    """What no foreign key of the shop holds: texts and payloads that name a row."""
    assert (
        shop.database.value_of(
            "SELECT COUNT(*) FROM audit_log a LEFT JOIN users u ON u.public_id = a.actor"
            " WHERE a.action = 'checkout.confirmed' AND u.id IS NULL"
        )
        == 0
    )
    assert (
        shop.database.value_of(
            "SELECT COUNT(*) FROM ledger_entries e LEFT JOIN loans l ON l.loan_number = e.reference"
            " WHERE l.id IS NULL"
        )
        == 0
    )

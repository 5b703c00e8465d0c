"""Captured on a small pre-production, replayed on a larger clone with other rows and other ids."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from typing import NamedTuple

import pytest
from tests.integration.workload.databases import (
    Database,
    build,
    capture_shop,
    pools_of,
    workload_in,
)
from tests.integration.workload.replaying import Replay, replay

from readiness.adapters.local_server import LocalServer
from readiness.demo.personas import PERSONAS
from readiness.demo.seed_data import load_shop
from readiness.model.workload import VariableKind, Workload

pytestmark = pytest.mark.mysql
PREPRODUCTION, CLONE = 300, 5000  # users; all else follows from them


class Moved(NamedTuple):
    """A workload, where it was captured and where it is to run."""

    workload: Workload
    preproduction: Database
    clone: Database

    def replay_on(self, database: Database, *, checkouts: int) -> Replay:
        pools = pools_of(self.workload, database)
        return replay(self.workload, pools, database.target(), checkouts=checkouts)


@pytest.fixture(scope="module")
def moved(server: LocalServer, tmp_path_factory: pytest.TempPathFactory) -> Moved:
    folder = tmp_path_factory.mktemp("moved")
    preproduction, clone = Database(server, "preproduction"), Database(server, "clone")
    for database, seed, users in ((preproduction, 11, PREPRODUCTION), (clone, 12, CLONE)):
        database.make()
        with database.admin() as admin:
            load_shop(admin, seed=seed, users=users)
    few = [dataclasses.replace(p, merchant_rank=rank) for rank, p in enumerate(PERSONAS)]
    captures = capture_shop(preproduction, folder / "logs", few)
    built = build(captures, preproduction, folder / "checkout.sql", with_source=True)
    return Moved(workload_in(built), preproduction, clone)


def ids_of(database: Database, table: str, column: str) -> set[bytes]:
    with database.admin() as admin, admin.cursor() as cursor:
        cursor.execute(f"SELECT {column} FROM {table}")
        return {str(value).encode() for (value,) in cursor.fetchall()}


def test_the_two_databases_share_no_merchant_and_no_user(moved: Moved) -> None:
    for table in ("merchants", "users"):
        here, there = (ids_of(d, table, "id") for d in (moved.preproduction, moved.clone))
        assert len(there) > 10 * len(here)
        assert here & there == set()


def test_100_checkouts_run_on_the_clone_without_an_error(moved: Moved) -> None:
    done = moved.replay_on(moved.clone, checkouts=100)
    assert (done.errors, done.warnings, len(done.checkouts)) == ({}, {}, 100)


def test_each_statement_meets_as_many_rows_as_where_it_was_captured(moved: Moved) -> None:
    seen: dict[str, list[set[int]]] = defaultdict(lambda: [set(), set()])
    for side, database in enumerate((moved.preproduction, moved.clone)):
        for checkout in moved.replay_on(database, checkouts=20).checkouts:
            for ran in checkout:
                seen[ran.statement_id][side].add(ran.rows)
    assert {name: sides for name, sides in seen.items() if sides[0] != sides[1]} == {}


def test_merchants_are_the_clones_own(moved: Moved) -> None:
    pools = pools_of(moved.workload, moved.clone)
    merchants = next(p for p in pools.pools if p.family.table == "merchants")
    drawn = {
        row[merchants.columns.index("id")] for g in merchants.groups.values() for row in g.rows
    }
    assert drawn <= ids_of(moved.clone, "merchants", "id")
    existing = [v for v in moved.workload.variables if v.kind is VariableKind.EXISTING]
    assert {v.column.partition(".")[0] for v in existing} >= {"merchants", "products"}

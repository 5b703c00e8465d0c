"""Every statement of the shop's checkout has the same plan and as many rows on the masked clone as on
the one that is not masked: what is measured on it holds for production."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import pytest
from tests.fakes.engines import binary_of
from tests.integration.privacy.masked_shop import MaskedShop, masked_shop
from tests.integration.workload.databases import Database, pools_of, workload_in
from tests.integration.workload.replaying import Ran, Replay, replay

pytestmark = [pytest.mark.mysql, pytest.mark.long]

CHECKOUTS = 60
_EXPLAINED = re.compile(rb"\s*\(?(SELECT|WITH|INSERT|UPDATE|DELETE|REPLACE)\b", re.IGNORECASE)
# MySQL 9 draws a tree unless it is asked for a table.
_EXPLAIN = {"mariadb": b"EXPLAIN ", "mysql": b"EXPLAIN FORMAT=TRADITIONAL "}
# Not the estimates of rows: InnoDB draws pages for them.
_COMPARED = ("id", "select_type", "table", "type", "possible_keys", "key", "key_len", "ref")


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def shop(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MaskedShop]:
    with masked_shop(binary_of(request.param), tmp_path_factory.mktemp("alike")) as made:
        yield made


@pytest.fixture(scope="module")
def replays(shop: MaskedShop) -> tuple[Replay, Replay]:
    """The same checkouts on both, each with values of its own rows."""
    workload = workload_in(shop.built)
    both = [
        replay(workload, pools_of(workload, database), database.target(), checkouts=CHECKOUTS)
        for database in (shop.production, shop.clone)
    ]
    return both[0], both[1]


def rows_by_statement(done: Replay) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = defaultdict(list)
    for checkout in done.checkouts:
        for ran in checkout:
            rows[ran.statement_id].append(ran.rows)
    return {name: sorted(counts) for name, counts in rows.items()}


def plan_of(database: Database, ran: Ran) -> list[tuple[object, ...]]:
    with database.admin() as admin, admin.cursor() as cursor:
        cursor.execute(_EXPLAIN[database.server.binary.engine] + ran.sql)
        names = [str(column[0]).lower() for column in cursor.description or ()]
        rows = cursor.fetchall()
    return [tuple(row[names.index(n)] for n in _COMPARED) for row in rows]


def test_as_many_checkouts_fail_on_both(replays: tuple[Replay, Replay]) -> None:
    unmasked, masked = replays
    assert unmasked.errors == masked.errors
    assert unmasked.warnings == masked.warnings
    assert len(masked.checkouts) == CHECKOUTS


def test_each_statement_has_as_many_rows(replays: tuple[Replay, Replay]) -> None:
    unmasked, masked = map(rows_by_statement, replays)
    assert unmasked.keys() == masked.keys()
    assert {n: (unmasked[n], masked[n]) for n in unmasked if unmasked[n] != masked[n]} == {}


def test_each_statement_has_the_same_plan(shop: MaskedShop, replays: tuple[Replay, Replay]) -> None:
    other: dict[str, tuple[object, object]] = {}
    explained = 0
    unmasked, masked = replays[0].checkouts[-1], replays[1].checkouts[-1]
    for one, two in zip(unmasked, masked, strict=True):
        assert one.statement_id == two.statement_id
        if not _EXPLAINED.match(one.sql):
            continue
        plans = plan_of(shop.production, one), plan_of(shop.clone, two)
        explained += 1
        if plans[0] != plans[1]:
            other[one.statement_id] = plans
    assert explained > 40
    assert other == {}

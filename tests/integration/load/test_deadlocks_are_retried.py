"""Real deadlocks on a real server: tried again as an application would, and nothing done twice."""

from __future__ import annotations

import pytest
from tests.fakes.flows import TextFlow
from tests.fakes.playing import play, steady

from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_connect import connector
from readiness.load.messages import Target
from readiness.ports import Session

pytestmark = pytest.mark.mysql

# Even and odd checkouts lock the same two rows in opposite order.
CROSSED = (
    "BEGIN",
    "UPDATE shop.stock SET taken = taken + 1 WHERE id = {n} % 2",
    "UPDATE shop.stock SET taken = taken + 1 WHERE id = ({n} + 1) % 2",
    "COMMIT",
)


@pytest.fixture
def target(root: Session, private_server: LocalServer) -> Target:
    root.query("CREATE TABLE IF NOT EXISTS shop.stock (id INT PRIMARY KEY, taken INT)")
    root.query("REPLACE INTO shop.stock VALUES (0, 0), (1, 0)")
    return Target("root", "shop", socket=private_server.running_state().socket)


def taken(root: Session) -> list[int]:
    return [int(str(n)) for (n,) in root.query("SELECT taken FROM shop.stock ORDER BY id")]


def test_each_checkout_that_ended_well_counts_once(target: Target, root: Session) -> None:
    played = play(
        TextFlow(CROSSED), connector(target), steady(40, 0.25), statement_pause_ms=30, retries=20
    )
    report = played.report
    assert report.ok + report.failed == 10
    assert report.ok > 5
    assert taken(root) == [report.ok, report.ok]
    assert set(report.retries) <= {(s, 1213) for s in ("s002", "s003")}
    assert sum(report.retries.values()) == played.total("retried") > 0
    assert report.statements["rollback"].count == played.total("retried")


def test_without_retries_a_deadlock_fails_its_checkout(target: Target, root: Session) -> None:
    played = play(
        TextFlow(CROSSED), connector(target), steady(40, 0.25), statement_pause_ms=30, retries=0
    )
    assert played.report.failed == sum(played.report.errors.values()) > 0
    assert taken(root) == [played.report.ok, played.report.ok]

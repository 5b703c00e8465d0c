"""Checkouts of 1, 2 and 5 items on a real server: what is left out never reaches it."""

from __future__ import annotations

import pytest
from tests.fakes.flows import TextFlow
from tests.fakes.playing import play, steady
from tests.integration.load.test_the_engine_measures_a_real_server import counters, orders

from readiness.adapters.mysql_connect import connector
from readiness.load.messages import Job
from readiness.ports import Session

pytestmark = pytest.mark.mysql

# The mail after a large basket has a connection of its own.
BASKET = [
    "0: BEGIN",
    *(f"0: [{turn}] INSERT INTO orders (item) VALUES ({turn})" for turn in range(1, 6)),
    "0: COMMIT",
    "1: [3] SELECT COUNT(*) FROM items WHERE id = 3",
]


@pytest.mark.parametrize("connections", ["pooled", "per-checkout"])
def test_the_server_counts_what_the_baskets_held(job: Job, root: Session, connections: str) -> None:
    rows, before = orders(root), counters(root)
    flow = TextFlow(BASKET, counts=(1, 2, 5), gap_ms=1)
    played = play(flow, connector(job.target), steady(30, 2), connections=connections, pacing=1.0)
    after = counters(root)
    delta = {name: after[name] - before[name] for name in after}
    done = {name: histogram.count for name, histogram in played.report.statements.items()}
    assert (played.report.ok, played.report.errors) == (60, {})
    assert done == {
        "s001": 60, "s002": 60, "s003": 40, "s004": 20, "s005": 20, "s006": 20, "s007": 60,
        "s008": 20,
    }  # fmt: skip
    assert orders(root) - rows == delta["Com_insert"] == 20 * (1 + 2 + 5)
    assert delta["Com_begin"] == delta["Com_commit"] == 60
    assert delta["Aborted_clients"] == 0
    assert played.histogram("commit").count == 60

"""After a drained stop the server's own counts of the load's account equal the engine's, exactly."""

from __future__ import annotations

import pytest
from tests.integration.load.conftest import Run

from readiness.adapters.local_server import LocalServer
from readiness.model.histogram import merged
from readiness.model.load import Stage, StageResult
from readiness.ports import Session

pytestmark = pytest.mark.mysql

WORKERS = 2  # each logs in once more, before the load, to be refused early if at all


def on_mysql(root: Session) -> dict[str, int]:
    events = root.query(
        "SELECT event_name, count_star FROM"
        " performance_schema.events_statements_summary_by_account_by_event_name WHERE user = 'loader'"
    )
    by_name = {str(name).rpartition("/")[2]: int(str(count)) for name, count in events}
    (total,) = root.query(
        "SELECT COALESCE(SUM(total_connections), 0) FROM performance_schema.accounts WHERE user = 'loader'"
    )[0]
    kinds = ("select", "insert", "begin", "commit", "set_option")
    return {**{kind: by_name.get(kind, 0) for kind in kinds}, "connections": int(str(total))}


def on_mariadb(root: Session) -> dict[str, int]:
    rows = root.query(
        "SELECT select_commands, update_commands, other_commands, total_connections"
        " FROM information_schema.user_statistics WHERE user = 'loader'"
    )
    names = ("select", "insert", "other", "connections")
    values = rows[0] if rows else (0,) * len(names)
    return {name: int(str(value)) for name, value in zip(names, values, strict=True)}


def difference(after: dict[str, int], before: dict[str, int]) -> dict[str, int]:
    return {name: after[name] - before[name] for name in after}


def engines_own(result: StageResult) -> dict[str, int]:
    done = {name: histogram.count for name, histogram in result.statements.items()}
    logins = merged(tick.connect for tick in result.ticks).count + WORKERS
    return {
        "begin": done["s001"],
        "select": done["s002"] + done["s005"],
        "insert": done["s003"],
        "commit": done["s004"],
        "set_option": logins,  # SET NAMES
        "connections": logins,
    }


@pytest.mark.parametrize("connections", ["per-checkout", "pooled"])
def test_statements_and_connections_are_equal(
    run: Run, root: Session, private_server: LocalServer, connections: str
) -> None:
    if private_server.binary.engine == "mysql":
        counts = on_mysql
    else:
        counts = on_mariadb
        root.query("SET GLOBAL userstat = 1")
    before = counts(root)
    result = run(Stage("x", rate_per_s=40, hold_s=1.5), workers=WORKERS, connections=connections)
    own = engines_own(result)
    if private_server.binary.engine == "mariadb":
        own["other"] = own.pop("begin") + own.pop("commit") + own.pop("set_option")
    assert (result.checkouts_ok, result.errors) == (60, {})
    assert difference(counts(root), before) == own

"""What a real server counts becomes the metrics of what was done to it."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from readiness.adapters.local_server import LocalServer
from readiness.adapters.performance_schema import PerformanceSchema
from readiness.metrics.derive import derive
from readiness.ports import Session

pytestmark = pytest.mark.mysql
TRANSACTIONS = 50


@pytest.fixture(scope="module")
def session(private_server: LocalServer) -> Iterator[Session]:
    made = private_server.root_session()
    made.query("CREATE DATABASE counted")
    made.query("CREATE TABLE counted.t (id INT AUTO_INCREMENT PRIMARY KEY, v CHAR(36))")
    yield made
    made.close()


@pytest.fixture
def source(private_server: LocalServer) -> Iterator[PerformanceSchema]:
    made = PerformanceSchema(private_server.root_session())
    yield made
    made.close()


def transact(session: Session) -> None:
    for _ in range(TRANSACTIONS):
        session.query("BEGIN")
        session.query("INSERT INTO counted.t (v) VALUES (UUID())")
        session.query("COMMIT")


def test_commits_and_statements_are_counted(session: Session, source: PerformanceSchema) -> None:
    before = source.read()
    transact(session)
    after = source.read()
    made, seconds = derive(before, after), after["monotonic_s"] - before["monotonic_s"]
    # The server may commit statistics of its own meanwhile.
    assert made["commits_per_s"] * seconds == pytest.approx(TRANSACTIONS, abs=3)
    assert made["statements_per_s"] * seconds == pytest.approx(3 * TRANSACTIONS)
    assert made["fsyncs_per_s"] > 0
    assert made["write_iops"] > 0
    assert made["redo_bytes_per_s"] > 0


def test_the_servers_own_commit_time_is_seen(session: Session, source: PerformanceSchema) -> None:
    before = source.read()
    transact(session)
    made = derive(before, source.read())
    assert 0 < made["commit_server_mean_ms"] < 5000
    assert 0 < made["aas_commit"] <= made["aas"] < 2


def test_an_idle_server_shows_nothing_of_the_sampler(source: PerformanceSchema) -> None:
    before = source.read()
    source.read()
    made = derive(before, source.read())
    assert made["statements_per_s"] == 0
    assert made["threads_running"] == 0
    assert made["tmp_disk_tables_per_s"] == 0
    assert made["aas"] == pytest.approx(0, abs=0.01)


def test_a_session_that_waits_is_active(session: Session, source: PerformanceSchema) -> None:
    before = source.read()
    session.query("SELECT SLEEP(0.4)")
    after = source.read()
    seconds = after["monotonic_s"] - before["monotonic_s"]
    assert derive(before, after)["aas"] * seconds == pytest.approx(0.4, rel=0.2)


def test_a_row_lock_wait_is_seen_when_it_ends(
    session: Session, source: PerformanceSchema, private_server: LocalServer
) -> None:
    other = private_server.root_session()
    session.query("INSERT INTO counted.t (id, v) VALUES (900001, 'x')")
    session.query("BEGIN")
    session.query("UPDATE counted.t SET v = 'y' WHERE id = 900001")
    before = source.read()
    other.query("SET SESSION innodb_lock_wait_timeout = 1")
    began = time.monotonic()
    with pytest.raises(Exception, match="1205"):
        other.query("UPDATE counted.t SET v = 'z' WHERE id = 900001")
    waited_ms = (time.monotonic() - began) * 1e3
    session.query("ROLLBACK")
    other.close()
    after = source.read()
    made, seconds = derive(before, after), after["monotonic_s"] - before["monotonic_s"]
    assert made["row_lock_time_ms_per_s"] * seconds == pytest.approx(waited_ms, rel=0.3)


def test_the_server_is_left_as_it_was(private_server: LocalServer, session: Session) -> None:
    sql = "SELECT enabled FROM information_schema.innodb_metrics WHERE name = 'trx_rw_commits'"
    source = PerformanceSchema(private_server.root_session())
    assert session.query(sql) == [(1,)]
    source.close()
    assert session.query(sql) == [(0,)]

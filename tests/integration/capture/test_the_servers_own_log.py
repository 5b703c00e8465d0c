"""The general log of a real server: on, an application works, off, fetched: what it sent."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pymysql
import pytest
from pymysql.connections import Connection
from pymysql.constants import CLIENT
from pymysql.cursors import Cursor
from tests.integration.capture.prepared import execute_prepared

from readiness.adapters.local_server import LocalServer
from readiness.adapters.server_log import MySqlServerLog
from readiness.capture.sessions import read_capture, read_source
from readiness.cli.main import main
from readiness.errors import CaptureError
from readiness.flow import server_log
from readiness.flow.server_log import LogMemory
from readiness.model.server_log import FILE, TABLE, LogSettings
from readiness.model.transactions import Outcome, RawCapture

pytestmark = pytest.mark.mysql

BYTES = b"'\xf0\x9f\x9b\x92 caf\xc3\xa9 \xff\\0\n\t\\' it''s'"
INSERT = b"INSERT INTO orders VALUES (%d, _binary " + BYTES + b")"
# What `work` sends on its two connections, as transactions; `set` statements of the client aside.
SENT = [
    (Outcome.COMMIT, [b"BEGIN", INSERT % 1, b"UPDATE orders SET id = 11 WHERE id = 1", b"COMMIT"]),
    (Outcome.ROLLBACK, [b"START TRANSACTION", INSERT % 2, b"ROLLBACK"]),
    (Outcome.AUTOCOMMIT, [b"SELECT id FROM orders WHERE id = 11 AND note <> 'n'"]),
    (Outcome.AUTOCOMMIT, [b"SELECT 1"]),
    (Outcome.AUTOCOMMIT, [b"SELECT 2"]),
    (Outcome.DISCONNECT, [b"BEGIN", b"DELETE FROM orders WHERE id = 11"]),
]


@pytest.fixture
def log(server: LocalServer) -> Iterator[MySqlServerLog]:
    adapter = MySqlServerLog(**server.root_login())
    yield adapter
    adapter.close()


@pytest.fixture
def memory(tmp_path: Path) -> LogMemory:
    return LogMemory(tmp_path / "state", "mysql://root@here/")


@pytest.fixture
def dsn(server: LocalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("READINESS_STATE", str(tmp_path / "state"))
    return f"mysql://root@localhost/?socket={server.running_state().socket}"


def app(server: LocalServer) -> Connection[Cursor]:
    return pymysql.connect(
        host="127.0.0.1",
        port=server.running_state().port,
        user="app",
        password="secret-word",
        database="shop",
        charset="utf8mb4",
        autocommit=None,
        client_flag=CLIENT.MULTI_STATEMENTS,
        ssl_disabled=False,
    )


def query(connection: Connection[Cursor], sql: bytes) -> None:
    connection.query(sql)
    while connection._result.has_next:  # type: ignore[attr-defined]
        connection.next_result()


def work(server: LocalServer) -> None:
    """Two connections, their statements interleaved."""
    one, other = app(server), app(server)
    query(one, b"BEGIN")
    query(other, b"START TRANSACTION")
    query(one, INSERT % 1)
    query(other, INSERT % 2)
    query(other, b"ROLLBACK")
    query(one, b"UPDATE orders SET id = 11 WHERE id = 1")
    query(one, b"COMMIT")
    execute_prepared(one, b"SELECT id FROM orders WHERE id = ? AND note <> ?", (11, b"n"))
    query(other, b"SELECT 1; SELECT 2")
    query(one, b"BEGIN")
    query(one, b"DELETE FROM orders WHERE id = 11")
    one.close()
    other.close()
    admin = server.root_session()
    admin.query("DELETE FROM shop.orders")
    admin.close()


def transactions(capture: RawCapture) -> list[tuple[Outcome, list[bytes]]]:
    found = [(t.outcome, [s.sql.rstrip(b"; ") for s in t.statements]) for t in capture.transactions]
    return [pair for pair in found if not pair[1][0].startswith(b"SET ")]


def as_table_of_mariadb(sql: bytes) -> bytes:
    return sql.replace(b"\xf0\x9f\x9b\x92", rb"\xF0\x9F\x9B\x92").replace(b"\xff", rb"\xFF")


@pytest.mark.parametrize("output", ["auto", "table", "file"])
def test_what_the_application_sent_is_what_is_fetched(
    output: str, server: LocalServer, log: MySqlServerLog, memory: LogMemory, tmp_path: Path
) -> None:
    former = log.settings()
    record = server_log.switch_on(log, server_log.plan_on(log, memory, output=output), memory)
    work(server)
    server_log.switch_off(log, memory)
    assert log.settings() == former
    live, _ = server_log.open_source(log, memory)
    fetched, _ = server_log.fetch(log, memory, tmp_path / "fetched")
    expected = SENT
    if server.binary.engine == "mariadb" and record.made.output == TABLE:
        expected = [(outcome, [as_table_of_mariadb(s) for s in sent]) for outcome, sent in SENT]
    for capture in (
        read_source(live, users={"app"}),
        read_capture(fetched.path, users={"app"}),
    ):
        assert sorted(transactions(capture)) == sorted(expected)
        assert {t.schema for t in capture.transactions} == {"shop"}
        is_doubtful = expected is not SENT
        assert ("nothing was restored" in " ".join(capture.warnings)) == is_doubtful
    assert fetched.path.stat().st_mode & 0o777 == 0o600


def test_each_engine_uses_what_keeps_all(
    server: LocalServer, log: MySqlServerLog, memory: LogMemory
) -> None:
    expected = {"mysql": TABLE, "mariadb": FILE}[server.binary.engine]
    record = server_log.switch_on(log, server_log.plan_on(log, memory), memory)
    assert record.made.output == log.settings().output == expected
    server_log.switch_off(log, memory)


def test_off_from_another_session_restores_other_settings_than_the_usual(
    server: LocalServer, log: MySqlServerLog, memory: LogMemory, tmp_path: Path
) -> None:
    usual = log.settings()
    former = LogSettings(True, "FILE,TABLE", str(tmp_path / "elsewhere.log"))
    log.apply(former)
    server_log.switch_on(log, server_log.plan_on(log, memory, output="table"), memory)
    assert log.settings() != former
    later = MySqlServerLog(**server.root_login())
    server_log.switch_off(later, LogMemory(tmp_path / "state", memory.server))
    found = later.settings()
    later.apply(usual)
    later.close()
    assert dataclasses.replace(found, output=former.output) == former
    assert sorted(found.output.split(",")) == ["FILE", "TABLE"]


def test_our_own_sessions_are_not_in_what_the_table_gives(
    log: MySqlServerLog, memory: LogMemory, server: LocalServer
) -> None:
    server_log.switch_on(log, server_log.plan_on(log, memory, output="table"), memory)
    work(server)
    looking = MySqlServerLog(**server.root_login())
    source, _ = server_log.open_source(looking, memory)
    users = [event.user for event in source if event.command == "Connect"]
    looking.close()
    server_log.switch_off(log, memory)
    assert users == ["app", "app", "root"]  # root: the session of `work` that cleans up


def test_an_account_that_may_not_is_told_the_parameter_group(
    server: LocalServer, log: MySqlServerLog, tmp_path: Path
) -> None:
    former = log.settings()
    login = {"host": "127.0.0.1", "port": server.running_state().port, "user": "app"}
    low = MySqlServerLog(**login, password="secret-word")  # type: ignore[arg-type]
    memory = LogMemory(tmp_path, "mysql://app@here/")
    with pytest.raises(CaptureError, match=r"does not let user app set \w+ \(error 1227\)") as no:
        server_log.switch_on(low, server_log.plan_on(low, memory, output="table"), memory)
    assert "parameter group" in no.value.hint
    low.close()
    reading = MySqlServerLog(**login, password="secret-word")  # type: ignore[arg-type]
    with pytest.raises(CaptureError, match=r"read mysql\.general_log"):
        list(reading.rows(since="", until="", without=()))
    reading.close()
    assert log.settings() == former
    assert memory.read() is None


def test_rows_that_nobody_reads_to_the_end_break_nothing(
    server: LocalServer, log: MySqlServerLog, memory: LogMemory
) -> None:
    server_log.switch_on(log, server_log.plan_on(log, memory, output="table"), memory)
    work(server)
    server_log.switch_off(log, memory)
    looking = MySqlServerLog(**server.root_login())
    rows = looking.rows(since="", until="", without=())
    assert next(rows)
    rows.close()  # type: ignore[attr-defined]
    looking.close()


def test_the_command_line_switches_fetches_and_shows(
    dsn: str, server: LocalServer, log: MySqlServerLog, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    former = log.settings()
    assert main(["capture", "--from", dsn, "--on", "--yes"]) == 0
    said = capsys.readouterr()
    assert "two thirds" in said.err
    assert "personal data" in said.err
    assert "--off" in said.out
    work(server)
    assert main(["capture", "--from", dsn, "--off", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["log"]["former"]["is_on"] is False
    assert log.settings() == former
    copy = tmp_path / "copy"
    assert main(["capture", "--from", dsn, "--fetch", "-o", str(copy)]) == 0
    assert sorted(transactions(read_capture(copy, users={"app"}))) == sorted(SENT)
    capsys.readouterr()
    assert main(["capture", "--from", dsn, "--fetch", "--user", "app"]) == 0
    assert "rollback 1" in capsys.readouterr().out


def test_without_a_terminal_on_needs_yes(
    dsn: str, log: MySqlServerLog, capsys: pytest.CaptureFixture[str]
) -> None:
    former = log.settings()
    assert not os.isatty(0)
    assert main(["capture", "--from", dsn, "--on"]) == 2
    assert "--yes" in capsys.readouterr().err
    assert log.settings() == former

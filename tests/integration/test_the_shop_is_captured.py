"""The invented shop runs on a real server, and its general logs read as what it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pymysql
import pytest
from pymysql.connections import Connection
from pymysql.cursors import Cursor

from readiness.adapters.local_server import LocalServer
from readiness.capture.sessions import read_capture
from readiness.demo.personas import PERSONAS
from readiness.demo.recording import capture_checkouts, create_users
from readiness.demo.seed_data import load_shop
from readiness.demo.shop import SERVICE_USERS
from readiness.model.transactions import Outcome, RawCapture
from readiness.sql.shape import shape

pytestmark = pytest.mark.mysql
DATABASE = "paylater"
Query = Callable[[str], list[tuple[object, ...]]]


def log_in(server: LocalServer, user: str, password: str) -> Connection[Cursor]:
    endpoint = server.running_state().endpoint
    return pymysql.connect(
        host=endpoint.host,
        port=endpoint.port,
        user=user,
        password=password,
        database=DATABASE,
        charset="utf8mb4",
        autocommit=True,
        ssl_disabled=True,
    )


@pytest.fixture(scope="module")
def admin(private_server: LocalServer) -> Iterator[Connection[Cursor]]:
    session = private_server.root_session()
    session.query(f"CREATE DATABASE {DATABASE}")
    session.close()
    with pymysql.connect(
        unix_socket=private_server.running_state().socket,
        user="root",
        database=DATABASE,
        charset="utf8mb4",
        autocommit=True,
    ) as connection:
        yield connection


@pytest.fixture(scope="module")
def rows(admin: Connection[Cursor]) -> dict[str, int]:
    return load_shop(admin, seed=1, users=1000)


@pytest.fixture(scope="module")
def logs(
    private_server: LocalServer,
    admin: Connection[Cursor],
    rows: dict[str, int],
    tmp_path_factory: pytest.TempPathFactory,
) -> list[Path]:
    passwords = create_users(admin, DATABASE)
    return capture_checkouts(
        admin,
        lambda user: log_in(private_server, user, passwords[user]),
        directory=tmp_path_factory.mktemp("logs"),
    )


@pytest.fixture(scope="module")
def captures(logs: list[Path]) -> list[RawCapture]:
    return [read_capture(path, users=SERVICE_USERS) for path in logs]


@pytest.fixture
def query(admin: Connection[Cursor]) -> Query:
    def run(sql: str) -> list[tuple[object, ...]]:
        with admin.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    return run


def shapes(capture: RawCapture) -> list[bytes]:
    return [shape(s.sql) for t in capture.transactions for s in t.statements]


def test_the_same_seed_fills_two_databases_alike(admin: Connection[Cursor], query: Query) -> None:
    checksums = []
    for database in ("one", "other"):
        query(f"CREATE DATABASE {database}")
        admin.select_db(database)
        counts = load_shop(admin, seed=5, users=200)
        checksums.append([query(f"CHECKSUM TABLE {t}")[0][1] for t in counts])
        assert counts == {t: query(f"SELECT COUNT(*) FROM {t}")[0][0] for t in counts}
    admin.select_db(DATABASE)
    assert checksums[0] == checksums[1]


def test_each_checkout_has_the_size_that_was_promised(captures: list[RawCapture]) -> None:
    assert len(captures) == len(PERSONAS) == 3
    for capture in captures:
        outcomes = Counter(t.outcome for t in capture.transactions)
        assert sum(len(t.statements) for t in capture.transactions) >= 80
        assert outcomes[Outcome.COMMIT] >= 8
        assert outcomes[Outcome.ROLLBACK] == 1
        assert outcomes[Outcome.AUTOCOMMIT] >= 8
        assert capture.warnings == ()


def test_the_checkouts_hold_what_parameterizing_must_master(captures: list[RawCapture]) -> None:
    text = b"\n".join(s.sql for t in captures[0].transactions for s in t.statements)
    for part in (
        b"SAVEPOINT newsletter",
        b"ROLLBACK TO SAVEPOINT",
        b"FOR UPDATE",
        b"PREPARE exposure FROM",
        b"EXECUTE exposure USING @",
        b"DEALLOCATE PREPARE",
        b"UNHEX('",
    ):
        assert part in text


def test_every_persona_sends_the_same_shapes(captures: list[RawCapture]) -> None:
    first, second, third = (shapes(c) for c in captures)
    assert first == second == third


def test_no_transaction_begins_before_another_ended(captures: list[RawCapture]) -> None:
    for capture in captures:
        lines = [s.line for t in capture.transactions for s in t.statements]
        assert lines == sorted(lines)


def test_others_are_in_the_log_and_not_in_the_capture(captures: list[RawCapture]) -> None:
    for capture in captures:
        assert {t.user for t in capture.transactions} == set(SERVICE_USERS)
        assert {"repayment_worker", "cron", "monitor"} <= dict(capture.users).keys()


def test_background_work_is_between_the_statements(logs: list[Path]) -> None:
    everybody = read_capture(logs[0]).transactions
    repayments = [t for t in everybody if t.user == "repayment_worker" and len(t.statements) > 1]
    assert Outcome.COMMIT in {t.outcome for t in repayments}
    spans = [(t.statements[0].line, t.statements[-1].line) for t in repayments]
    others = [s.line for t in everybody if t.user in SERVICE_USERS for s in t.statements]
    assert any(first < line < last for first, last in spans for line in others)


def test_ids_of_two_tables_are_never_near_each_other(
    captures: list[RawCapture], query: Query
) -> None:
    assert captures
    newest = query(
        "SELECT MAX(id) FROM otp_codes UNION ALL SELECT MAX(id) FROM credit_applications"
        " UNION ALL SELECT MAX(id) FROM payment_methods UNION ALL SELECT MAX(id) FROM outbox"
    )
    ranges = [int(str(row[0])) // 10_000_019 for row in newest]
    assert len(set(ranges)) == len(ranges)
    assert min(ranges) >= 1


def test_the_books_balance_afterwards(captures: list[RawCapture], query: Query) -> None:
    assert captures
    assert query("SELECT COUNT(*) FROM inventory WHERE reserved <> 0") == [(0,)]
    off = query(
        "SELECT COUNT(*) FROM ledger_accounts a JOIN (SELECT account_id, SUM(amount_cents) AS cents"
        " FROM ledger_entries GROUP BY account_id) e ON e.account_id = a.id"
        " WHERE a.kind = 'merchant' AND a.balance_cents <> e.cents"
    )
    assert off == [(0,)]


def test_the_servers_log_is_as_it_was(captures: list[RawCapture], query: Query) -> None:
    assert captures
    assert query("SELECT @@global.general_log") == [(0,)]
    assert "checkout-" not in str(query("SELECT @@global.general_log_file"))

"""Every slow log that a real server wrote is read with exact counts, and tells the same story as
the general log of the same run.

Counted without the parser, once for each file:
  grep -ac '^# User@Host' FILE                                      records
  grep -aoP '^# administrator command: \\K[^;]*' FILE | sort | uniq -c   those that are no statement
  wc -l FILE                                                        lines; a table's dump has a header
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from readiness.capture.logs import open_log
from readiness.capture.sessions import read_capture
from readiness.model.transactions import RawCapture

SAMPLES = Path(__file__).parents[2] / "samples"
ADMINISTRATOR = {
    "Close stmt": 5, "Prepare": 5, "Quit": 3, "Change user": 1, "Init DB": 1, "Reset Connection": 1,
}  # fmt: skip
EXTRA = {**ADMINISTRATOR, "Reset stmt": 7, "Ping": 5}
PLAIN = {**ADMINISTRATOR, "Reset stmt": 6, "Ping": 3}
CHECKOUT = ("slow-mariadb", 947, {"Query": 129})
COUNTED = {
    "server-logs/mysql97-slow-extra.log": ("slow-mysql", 446, {**EXTRA, "Query": 87 - 28}),
    "server-logs/mysql97-slow-plain.log": ("slow-mysql", 426, {**PLAIN, "Query": 83 - 25}),
    "server-logs/mysql97-slow_log-table.batch.tsv": ("slow-mysql", 88, {**EXTRA, "Query": 59}),
    "server-logs/mariadb1011-slow-verbose.log": ("slow-mariadb", 496, {"Query": 57}),
    "server-logs/mariadb1011-slow-plain.log": ("slow-mariadb", 349, {"Query": 56}),
    "server-logs/mariadb1011-slow_log-table.batch.tsv": ("slow-mariadb", 58, {"Query": 57}),
    "checkout-captures/checkout_general.slow.log": CHECKOUT,
    "checkout-captures/salted/checkout_general.slow.log": CHECKOUT,
    "checkout-captures/salted/checkout_capture2.slow.log": CHECKOUT,
    "checkout-captures/salted/checkout_capture3.slow.log": ("slow-mariadb", 946, {"Query": 129}),
}
EXECUTED = {b"EXECUTE s1 USING @a,@b": b"SELECT id FROM cart WHERE sku = 'SKU-0001' AND qty > 0"}


@pytest.mark.parametrize("name", COUNTED)
def test_the_commands_and_lines_are_all_there(name: str) -> None:
    log = open_log(SAMPLES / name)
    dialect, lines, commands = COUNTED[name]
    assert Counter(event.command for event in log) == commands
    assert (log.dialect, log.lines) == (dialect, lines)


@pytest.mark.parametrize("name", COUNTED)
def test_each_record_has_its_connection_user_and_latency(name: str) -> None:
    for event in open_log(SAMPLES / name):
        assert event.thread_id > 0
        assert event.user in {"app", "batch", "root", *CHECKOUT_USERS}
        assert event.latency_ns is not None
        assert event.at_ns is not None


CHECKOUT_USERS = {"checkout_api", "decision", "identity", "ledger_svc"}


def sent(capture: RawCapture, *, users: set[str]) -> dict[int, list[bytes]]:
    """What each connection of the users sent, as the server ran it, without SQL's PREPARE."""
    found: dict[int, list[bytes]] = {}
    for transaction in capture.transactions:
        if transaction.user in users:
            for statement in transaction.statements:
                sql = statement.sql.rstrip(b";")
                if not sql.startswith((b"PREPARE", b"DEALLOCATE")):
                    found.setdefault(transaction.thread_id, []).append(EXECUTED.get(sql, sql))
    return found


@pytest.mark.parametrize(
    ("slow", "general"),
    [
        ("server-logs/mysql97-slow-extra.log", "server-logs/mysql97-general.log"),
        ("server-logs/mysql97-slow_log-table.batch.tsv", "server-logs/mysql97-general.log"),
        ("server-logs/mariadb1011-slow-verbose.log", "server-logs/mariadb1011-general.log"),
        (
            "checkout-captures/salted/checkout_general.slow.log",
            "checkout-captures/salted/checkout_general.log",
        ),
        (
            "checkout-captures/salted/checkout_capture3.slow.log",
            "checkout-captures/salted/checkout_capture3.log",
        ),
    ],
)
def test_both_logs_of_one_run_have_the_same_statements(slow: str, general: str) -> None:
    users = {"app", "batch"} | CHECKOUT_USERS
    slow_sent = sent(read_capture(SAMPLES / slow), users=users)
    assert slow_sent
    assert slow_sent == sent(read_capture(SAMPLES / general), users=users)


def test_the_same_run_gives_the_same_transactions() -> None:
    general = read_capture(SAMPLES / "server-logs/mysql97-general.log", users={"app", "batch"})
    slow = read_capture(SAMPLES / "server-logs/mysql97-slow-extra.log", users={"app", "batch"})
    long = [
        [(t.thread_id, len(t.statements), t.outcome) for t in c.transactions if t.statements[1:]]
        for c in (general, slow)
    ]
    assert long[0] == long[1]
    assert len(long[0]) == 6


def test_failed_statements_are_marked_and_kept() -> None:
    """`grep -c 'Errno: [1-9]'`: only the table that does not exist; a syntax error is not logged."""
    capture = read_capture(SAMPLES / "server-logs/mysql97-slow-extra.log")
    failed = [(s.errno, s.sql[:14]) for t in capture.transactions for s in t.statements if s.errno]
    assert failed == [(1146, b"SELECT * FROM ")]


def test_a_pause_is_the_time_between_a_reply_and_the_next_statement() -> None:
    """SLEEP(0.05) took 50.6 ms; the DELETE behind it came 0.4 ms later, as its Start says."""
    capture = read_capture(SAMPLES / "server-logs/mysql97-slow-extra.log")
    statements = [s for t in capture.transactions for s in t.statements]
    at = next(i for i, s in enumerate(statements) if s.sql.startswith(b"SELECT SLEEP"))
    sleep, delete = statements[at : at + 2]
    assert sleep.latency_ns == 50_623_000
    assert delete.gap_ns is not None
    assert 0 <= delete.gap_ns < 1_000_000

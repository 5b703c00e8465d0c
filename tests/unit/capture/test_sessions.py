"""Records become transactions as the server saw them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.capture.conftest import Record, WriteLog

from readiness.capture.logs import open_log
from readiness.capture.sessions import read_capture
from readiness.capture.summary import summarize_source
from readiness.errors import CaptureError
from readiness.model.transactions import Outcome, RawCapture, RawTransaction

CONNECT: Record = (7, "Connect", b"app@localhost on shop using TCP/IP")


def query(*statements: bytes, thread: int = 7) -> list[Record]:
    return [(thread, "Query", sql) for sql in statements]


def texts(transaction: RawTransaction) -> list[bytes]:
    return [s.sql for s in transaction.statements]


def shapes(capture: RawCapture) -> list[tuple[list[bytes], str]]:
    return [(texts(t), t.outcome.value) for t in capture.transactions]


@pytest.mark.parametrize("begin", [b"BEGIN", b"start transaction", b"/* app */ BEGIN WORK"])
@pytest.mark.parametrize("end", [b"COMMIT", b"ROLLBACK"])
def test_begin_to_end_is_one_transaction(begin: bytes, end: bytes, mariadb_log: WriteLog) -> None:
    log = mariadb_log([CONNECT, *query(begin, b"SELECT 1", end, b"SELECT 2")])
    assert shapes(read_capture(log)) == [
        ([begin, b"SELECT 1", end], end.decode().lower()),
        ([b"SELECT 2"], "autocommit"),
    ]


def test_without_autocommit_the_first_statement_begins(mariadb_log: WriteLog) -> None:
    statements = query(b"SET autocommit = 0", b"SELECT 1", b"SELECT 2", b"COMMIT", b"SELECT 3")
    assert shapes(read_capture(mariadb_log([CONNECT, *statements, (7, "Quit", b"")]))) == [
        ([b"SET autocommit = 0"], "autocommit"),
        ([b"SELECT 1", b"SELECT 2", b"COMMIT"], "commit"),
        ([b"SELECT 3"], "disconnect"),
    ]


@pytest.mark.parametrize("sql", [b"BEGIN", b"ALTER TABLE t ADD c INT", b"LOCK TABLES t READ"])
def test_some_statements_commit_what_is_open(sql: bytes, mariadb_log: WriteLog) -> None:
    log = mariadb_log([CONNECT, *query(b"BEGIN", b"SELECT 1", sql)])
    first, second = read_capture(log).transactions
    assert (texts(first), first.outcome) == ([b"BEGIN", b"SELECT 1"], Outcome.COMMIT)
    assert texts(second) == [sql]


def test_savepoints_stay_within(mariadb_log: WriteLog) -> None:
    inside = [b"BEGIN", b"SAVEPOINT a", b"ROLLBACK TO a", b"RELEASE SAVEPOINT a", b"COMMIT"]
    assert shapes(read_capture(mariadb_log([CONNECT, *query(*inside)]))) == [(inside, "commit")]


def test_a_chained_transaction_begins_at_once(mariadb_log: WriteLog) -> None:
    log = mariadb_log([CONNECT, *query(b"BEGIN", b"COMMIT AND CHAIN", b"SELECT 1", b"COMMIT")])
    assert shapes(read_capture(log)) == [
        ([b"BEGIN", b"COMMIT AND CHAIN"], "commit"),
        ([b"SELECT 1", b"COMMIT"], "commit"),
    ]


def test_an_xa_transaction_is_one(mariadb_log: WriteLog) -> None:
    inside = [b"XA START 'x'", b"SELECT 1", b"XA END 'x'", b"XA PREPARE 'x'", b"XA COMMIT 'x'"]
    assert shapes(read_capture(mariadb_log([CONNECT, *query(*inside)]))) == [(inside, "commit")]


@pytest.mark.parametrize(
    "end", [(7, "Quit", b""), (7, "Connect", b"b@h on shop"), (7, "Change user", b"b@h on shop")]
)
def test_who_leaves_rolls_back(end: Record, mariadb_log: WriteLog) -> None:
    log = mariadb_log([CONNECT, *query(b"BEGIN", b"SELECT 1"), end])
    assert [t.outcome for t in read_capture(log).transactions] == [Outcome.DISCONNECT]


def test_what_is_open_at_the_end_is_marked(mariadb_log: WriteLog) -> None:
    capture = read_capture(mariadb_log([CONNECT, *query(b"BEGIN", b"SELECT 1")]))
    assert [t.outcome for t in capture.transactions] == [Outcome.OPEN]
    assert capture.warnings == ("1 transaction open at the end of the log",)


def test_transactions_stand_in_the_order_they_began(mariadb_log: WriteLog) -> None:
    other: Record = (8, "Connect", b"app@localhost on shop using Socket")
    log = mariadb_log(
        [CONNECT, other, *query(b"BEGIN"), *query(b"SELECT 8", thread=8), *query(b"COMMIT")]
    )
    assert [t.thread_id for t in read_capture(log).transactions] == [7, 8]


def test_only_the_sessions_asked_for_are_kept(mariadb_log: WriteLog) -> None:
    cron: Record = (8, "Connect", b"cron@localhost on shop using TCP/IP")
    log = mariadb_log([CONNECT, cron, *query(b"SELECT 7"), *query(b"SELECT 8", thread=8)])
    capture = read_capture(log, users={"app"})
    assert [(t.user, texts(t)) for t in capture.transactions] == [("app", [b"SELECT 7"])]
    assert (capture.sessions, capture.users) == (1, (("app", 1), ("cron", 1)))


def test_users_that_the_log_does_not_know_are_told_those_it_has(mariadb_log: WriteLog) -> None:
    log = mariadb_log([CONNECT, *query(b"SELECT 1")])
    with pytest.raises(CaptureError, match=r"no statement of ap: it has those of app"):
        read_capture(log, users={"ap"})


def test_a_refused_login_is_no_session(mariadb_log: WriteLog) -> None:
    refused: Record = (8, "Connect", b"Access denied for user 'x'@'h' (using password: YES)")
    log = mariadb_log([CONNECT, *query(b"SELECT 1"), (8, "Connect", b"x@h on "), refused])
    assert read_capture(log).sessions == 1


def test_a_session_older_than_the_log_is_kept_and_said(mariadb_log: WriteLog) -> None:
    capture = read_capture(mariadb_log(query(b"SELECT 1", b"COMMIT")))
    assert [t.user for t in capture.transactions] == ["", ""]
    assert capture.warnings[0].startswith("line 4: 1 session began before the log")


def test_a_statement_of_the_binary_protocol_counts_once(mariadb_log: WriteLog) -> None:
    binary: list[Record] = [
        (7, "Prepare", b"SELECT ?"),
        (7, "Reset stmt", b""),
        (7, "Prepare", b"SELECT ?"),
        (7, "Execute", b"SELECT 5"),
        (7, "Close stmt", b""),
    ]
    assert shapes(read_capture(mariadb_log([CONNECT, *binary]))) == [([b"SELECT 5"], "autocommit")]


def test_a_statement_prepared_in_sql_stays_as_it_was_sent(mariadb_log: WriteLog) -> None:
    log = mariadb_log(
        [
            CONNECT,
            (7, "Query", b"PREPARE s FROM 'SELECT ?'"),
            (7, "Prepare", b"SELECT ?"),
            (7, "Query", b"EXECUTE s USING @a"),
            (7, "Execute", b"SELECT 5"),
            (7, "Execute", b"SELECT 6"),
        ]
    )
    sent = [b"PREPARE s FROM 'SELECT ?'", b"EXECUTE s USING @a", b"SELECT 6"]
    assert [texts(t)[0] for t in read_capture(log).transactions] == sent


def test_an_immediate_execute_counts_once(mariadb_log: WriteLog) -> None:
    log = mariadb_log(
        [
            CONNECT,
            (7, "Query", b"/* app */ execute immediate 'SELECT ?' USING 5"),
            (7, "Prepare", b"SELECT ?"),
            (7, "Execute", b"SELECT 5"),
        ]
    )
    (transaction,) = read_capture(log).transactions
    assert texts(transaction) == [b"/* app */ execute immediate 'SELECT ?' USING 5"]


def test_the_text_that_mysql_leaves_out_of_prepare_is_put_back(mysql_log: WriteLog) -> None:
    log = mysql_log(
        [CONNECT, (7, "Query", b"PREPARE s FROM ..."), (7, "Prepare", b"SELECT 'x', ?")]
    )
    (transaction,) = read_capture(log).transactions
    assert texts(transaction) == [rb"PREPARE s FROM 'SELECT \'x\', ?'"]


def test_several_statements_in_one_packet_are_several(mariadb_log: WriteLog) -> None:
    log = mariadb_log([CONNECT, *query(b"SELECT ';'; BEGIN; SELECT 2; COMMIT")])
    assert shapes(read_capture(log)) == [
        ([b"SELECT ';'"], "autocommit"),
        ([b"BEGIN", b"SELECT 2", b"COMMIT"], "commit"),
    ]


@pytest.mark.parametrize(
    "sql", [b"SELECT 1;", b"CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END"]
)
def test_one_statement_keeps_its_semicolons(sql: bytes, mariadb_log: WriteLog) -> None:
    assert shapes(read_capture(mariadb_log([CONNECT, *query(sql)]))) == [([sql], "autocommit")]


@pytest.mark.parametrize(
    ("statement", "mode"),
    [
        (b"SET sql_mode = 'ansi_quotes'", "ANSI_QUOTES"),
        (b"SET NAMES utf8mb4, @@SESSION.sql_mode := 'A,B', foo='C'", "A,B"),
        (b"SET SESSION sql_mode='ANSI'", "ANSI,ANSI_QUOTES"),
        (b"SET GLOBAL sql_mode='ANSI_QUOTES'", "OLD"),
        (b"SET sql_mode = CONCAT(@@sql_mode, ',NEW')", "OLD,NEW"),
        (b"SET @x = 'sql_mode'", "OLD"),
    ],
)
def test_a_session_keeps_its_sql_mode(statement: bytes, mode: str, mariadb_log: WriteLog) -> None:
    log = mariadb_log([CONNECT, *query(b"SET sql_mode='OLD'", statement, b"SELECT 1")])
    assert read_capture(log).transactions[-1].sql_mode == mode


def test_literals_end_where_the_sql_mode_says(mariadb_log: WriteLog) -> None:
    statements = query(b"SET sql_mode='NO_BACKSLASH_ESCAPES'", b"SELECT '\\'; SELECT 2")
    capture = read_capture(mariadb_log([CONNECT, *statements]))
    assert [texts(t)[0] for t in capture.transactions[1:]] == [b"SELECT '\\'", b"SELECT 2"]


def test_the_schema_follows_the_session(mariadb_log: WriteLog) -> None:
    log = mariadb_log(
        [CONNECT, *query(b"SELECT 1"), (7, "Init DB", b"two"), *query(b"USE `three`", b"SELECT 3")]
    )
    assert [t.schema for t in read_capture(log).transactions] == ["shop", "two", "three"]


def test_pauses_are_known_where_the_clock_is_fine(mysql_log: WriteLog) -> None:
    other = query(b"SELECT 8", thread=8)
    capture = read_capture(mysql_log([CONNECT, *query(b"SELECT 1"), *other, *query(b"SELECT 2")]))
    mine = [t.statements[0].gap_ns for t in capture.transactions if t.thread_id == 7]
    assert mine == [None, 3_000_000]


def test_pauses_are_unknown_where_the_clock_counts_seconds(mariadb_log: WriteLog) -> None:
    capture = read_capture(mariadb_log([CONNECT, *query(b"SELECT 1", b"SELECT 2")]))
    assert [t.statements[0].gap_ns for t in capture.transactions] == [None, None]


def test_a_statement_that_never_ends_is_left_out_and_said(mariadb_log: WriteLog) -> None:
    capture = read_capture(mariadb_log([CONNECT, *query(b"SELECT 'secret", b"SELECT 2")]))
    assert [texts(t) for t in capture.transactions] == [[b"SELECT 2"]]
    (warning,) = capture.warnings
    assert warning.startswith("line 5: statement left out")
    assert "secret" not in warning


def test_a_mode_that_a_transaction_left_again_is_told(mariadb_log: WriteLog) -> None:
    modes = query(b"SET sql_mode='NO_BACKSLASH_ESCAPES'", b"SELECT 1", b"SET sql_mode='ANSI'")
    log = mariadb_log([CONNECT, *query(b"BEGIN"), *modes, *query(b"SELECT 'it\\'s'", b"COMMIT")])
    capture = read_capture(log)
    (one,) = capture.transactions
    assert {"NO_BACKSLASH_ESCAPES", "ANSI_QUOTES"} <= set(one.sql_mode.split(","))
    assert summarize_source(open_log(log)).kinds["select"] == 2


FORGED = b"\t\t     7 Query\tDELETE FROM users"
REPORT = "line 5: statement left out: it holds lines that look like records, up to line {}, "


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"INSERT INTO t VALUES ('a\n", b"')"),
        (b'INSERT INTO t VALUES ("a\n', b'")'),
        (b"SELECT 1 /* a\n", b"*/"),
        (b"SELECT 1 FROM `a\n", b"`"),
    ],
)
@pytest.mark.parametrize("count", [1, 3])
def test_a_record_within_a_statement_is_told_and_not_believed(
    before: bytes, after: bytes, count: int, mariadb_log: WriteLog
) -> None:
    injected = before + b"\n".join([FORGED] * count) + after
    capture = read_capture(mariadb_log([CONNECT, *query(injected, b"SELECT 2")]))
    assert [texts(t) for t in capture.transactions] == [[b"SELECT 2"]]
    (warning,) = capture.warnings
    assert warning.startswith(REPORT.format(5 + count))


def test_a_record_forged_by_another_user_is_not_believed(mariadb_log: WriteLog) -> None:
    other: Record = (8, "Connect", b"cron@localhost on shop using TCP/IP")
    forger = (8, "Query", b"SELECT 'a\n" + FORGED + b"'")
    log = mariadb_log([other, CONNECT, forger, *query(b"SELECT 2")])
    capture = read_capture(log, users=("app",))
    assert [texts(t) for t in capture.transactions] == [[b"SELECT 2"]]
    assert "line 6: statement left out: it holds lines" in capture.warnings[0]


def test_a_broken_statement_does_not_hide_those_behind_it(mariadb_log: WriteLog) -> None:
    many = [b"SELECT '%d'" % n for n in range(450)]
    capture = read_capture(mariadb_log([CONNECT, *query(b"SELECT 'a", *many, b"SELECT 'b")]))
    assert [texts(t) for t in capture.transactions] == [[sql] for sql in many]
    assert [w.partition(":")[0] for w in capture.warnings] == ["line 5", "line 456"]


# From the files by grep: Query + Execute - 1 twin of a SQL EXECUTE; MariaDB has one packet of three.
@pytest.mark.parametrize(
    ("name", "statements"),
    [("mysql97-general.log", 52 + 8 - 1), ("mariadb1011-general.log", 51 + 8 - 1 + 2)],
)
def test_no_statement_of_a_real_log_is_lost_or_doubled(
    name: str, statements: int, data: Path
) -> None:
    transactions = read_capture(data / name).transactions
    assert sum(len(t.statements) for t in transactions) == statements


@pytest.mark.parametrize("name", ["mysql97-general.log", "mariadb1011-general.log"])
def test_both_servers_give_the_same_transactions(name: str, data: Path) -> None:
    capture = read_capture(data / name, users={"app", "batch"})
    long = [t for t in capture.transactions if t.outcome is not Outcome.AUTOCOMMIT]
    assert [(len(t.statements), t.outcome.value) for t in long] == [
        (7, "commit"),
        (2, "rollback"),
        (4, "commit"),
        (2, "commit"),
        (6 if name.startswith("mysql") else 7, "disconnect"),
        (5, "commit"),
    ]

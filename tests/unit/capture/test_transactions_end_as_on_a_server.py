"""Where transactions begin and end, as MariaDB 10.11 and MySQL 9.7 were seen to do it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.unit.capture.conftest import Record, WriteLog

from readiness.capture.events import LogEvent
from readiness.capture.sessions import Transactions, read_capture, read_source
from readiness.model.transactions import RawCapture, RawStatement

CONNECT: Record = (7, "Connect", b"app@localhost on shop using TCP/IP")
OTHER: Record = (8, "Connect", b"app@localhost on shop using TCP/IP")


class Events:
    """Events that no file holds."""

    name = "by hand"
    dialect = "slow-mysql"
    has_exact_times = True

    def __init__(self, *events: LogEvent) -> None:
        self.events = events
        self.lines = len(events)
        self.warnings: list[str] = []

    def __iter__(self) -> Iterator[LogEvent]:
        return iter(self.events)


def query(*statements: bytes, thread: int = 7) -> list[Record]:
    return [(thread, "Query", sql) for sql in statements]


def shapes(capture: RawCapture) -> list[tuple[str, list[bytes]]]:
    return [(t.outcome.value, [s.sql for s in t.statements]) for t in capture.transactions]


def read(write: WriteLog, *statements: bytes) -> list[tuple[str, list[bytes]]]:
    """What a session's statements become, BEGIN and the first INSERT before them left out."""
    log = write([CONNECT, *query(b"BEGIN", b"INSERT 1", *statements)])
    return shapes(read_capture(log))


COMMITS = (
    b"CREATE TABLE t (a INT)", b"create or replace view v as select 1", b"DROP TABLE t",
    b"ALTER TABLE t ADD b INT", b"TRUNCATE t", b"RENAME TABLE t TO u", b"GRANT SELECT ON t TO u",
    b"SET PASSWORD = ''", b"CHECK TABLE t", b"ANALYZE TABLE t", b"OPTIMIZE TABLE t",
    b"FLUSH STATUS", b"RESET QUERY CACHE", b"CACHE INDEX t IN c", b"LOAD INDEX INTO CACHE t",
    b"LOCK TABLES t WRITE", b"lock table t read", b"START REPLICA", b"STOP REPLICA",
    b"IMPORT TABLE FROM '/x'", b"INSTALL PLUGIN p SONAME 's'", b"BACKUP STAGE START",
    b"CREATE TEMPORARY SEQUENCE s", b"CREATE USER u", b"/*!40000 ALTER TABLE t DISABLE KEYS */",
)  # fmt: skip
STAYS = (
    b"CREATE TEMPORARY TABLE q (a INT)", b"CREATE OR REPLACE TEMPORARY TABLE q (a INT)",
    b"DROP TEMPORARY TABLE q", b"DROP PREPARE s", b"UNLOCK TABLES", b"SET autocommit=1",
    b"LOCK INSTANCE FOR BACKUP", b"RESET PERSIST", b"ANALYZE SELECT 1", b"SHOW TABLES",
    b"LOAD DATA INFILE 'x' INTO TABLE t", b"SET @a = 1", b"SET GLOBAL autocommit = 0",
    b"SET GLOBAL max_connections = 9, autocommit = 0", b"XA RECOVER", b"SAVEPOINT a",
    b"ROLLBACK WORK TO SAVEPOINT a", b"RELEASE SAVEPOINT a", b"SELECT 'COMMIT'", b"CALL p()",
)  # fmt: skip


@pytest.mark.parametrize("sql", COMMITS)
def test_what_commits_the_open_transaction(sql: bytes, mariadb_log: WriteLog) -> None:
    assert read(mariadb_log, sql) == [
        ("commit", [b"BEGIN", b"INSERT 1"]),
        ("autocommit", [sql]),
    ]


@pytest.mark.parametrize("sql", STAYS)
def test_what_leaves_it_open(sql: bytes, mariadb_log: WriteLog) -> None:
    assert read(mariadb_log, sql, b"ROLLBACK") == [
        ("rollback", [b"BEGIN", b"INSERT 1", sql, b"ROLLBACK"])
    ]


def test_tables_that_were_locked_commit_when_unlocked(mariadb_log: WriteLog) -> None:
    sent = [b"SET autocommit=0", b"LOCK TABLES t WRITE", b"INSERT 1", b"UNLOCK TABLES"]
    assert shapes(read_capture(mariadb_log([CONNECT, *query(*sent)])))[2:] == [
        ("commit", [b"INSERT 1"]),
        ("autocommit", [b"UNLOCK TABLES"]),
    ]


def test_begin_gives_locks_back(mariadb_log: WriteLog) -> None:
    sent = [b"LOCK TABLES t WRITE", b"BEGIN", b"INSERT 1", b"UNLOCK TABLES", b"ROLLBACK"]
    assert shapes(read_capture(mariadb_log([CONNECT, *query(*sent)])))[1:] == [
        ("rollback", sent[1:])
    ]


def test_the_usual_session_of_jdbc(mariadb_log: WriteLog) -> None:
    sent = [b"SET autocommit=0", b"INSERT 1", b"COMMIT", b"SET autocommit=1", b"SELECT 1"]
    sent += [b"set session autocommit = OFF", b"INSERT 2", b"INSERT 3", b"SET autocommit=1"]
    assert shapes(read_capture(mariadb_log([CONNECT, *query(*sent)]))) == [
        ("autocommit", [b"SET autocommit=0"]),
        ("commit", [b"INSERT 1", b"COMMIT"]),
        ("autocommit", [b"SET autocommit=1"]),
        ("autocommit", [b"SELECT 1"]),
        ("autocommit", [b"set session autocommit = OFF"]),
        ("commit", [b"INSERT 2", b"INSERT 3"]),
        ("autocommit", [b"SET autocommit=1"]),
    ]


def test_settings_for_one_statement_are_that_statement(mariadb_log: WriteLog) -> None:
    sent = [b"SET autocommit=0", b"SET STATEMENT sql_mode='ANSI_QUOTES' FOR INSERT 1", b"COMMIT"]
    capture = read_capture(mariadb_log([CONNECT, *query(*sent)]))
    assert shapes(capture)[1:] == [("commit", sent[1:])]
    assert capture.transactions[-1].sql_mode == ""


@pytest.mark.parametrize("value", [b"1", b"'CHAIN'", b"chain"])
def test_completion_type_chains(value: bytes, mariadb_log: WriteLog) -> None:
    sent = [b"SET completion_type = " + value, b"BEGIN", b"COMMIT", b"SHOW TABLES", b"ROLLBACK"]
    sent += [b"SELECT 1", b"ROLLBACK AND NO CHAIN NO RELEASE", b"SELECT 2"]
    assert shapes(read_capture(mariadb_log([CONNECT, *query(*sent)])))[1:] == [
        ("commit", [b"BEGIN", b"COMMIT"]),
        ("rollback", [b"SHOW TABLES", b"ROLLBACK"]),
        ("rollback", [b"SELECT 1", b"ROLLBACK AND NO CHAIN NO RELEASE"]),
        ("autocommit", [b"SELECT 2"]),
    ]


def test_release_ends_the_session_and_its_settings(mariadb_log: WriteLog) -> None:
    sent = [b"SET autocommit=0, sql_mode='ANSI'", b"INSERT 1", b"COMMIT RELEASE", b"SELECT 1"]
    capture = read_capture(mariadb_log([CONNECT, *query(*sent)]))
    assert shapes(capture)[-1] == ("autocommit", [b"SELECT 1"])
    assert capture.transactions[-1].sql_mode == ""


XA = [b"XA START 'x'", b"INSERT 1", b"XA END 'x'", b"XA PREPARE 'x'"]


@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_any_connection_ends_a_prepared_transaction(end: str, mariadb_log: WriteLog) -> None:
    decided = b"xa %b X'78'" % end.encode()
    gone: Record = (7, "Quit", b"")
    log = mariadb_log([CONNECT, *query(*XA), gone, OTHER, *query(decided, thread=8)])
    assert shapes(read_capture(log)) == [(end, XA), (end, [decided])]


def test_a_prepared_transaction_waits_while_its_connection_goes_on(mariadb_log: WriteLog) -> None:
    log = mariadb_log([CONNECT, *query(*XA, b"SELECT 1", b"XA COMMIT 'x'")])
    assert shapes(read_capture(log)) == [
        ("commit", XA),
        ("autocommit", [b"SELECT 1"]),
        ("commit", [b"XA COMMIT 'x'"]),
    ]


def test_a_prepared_transaction_that_nobody_ends_is_open(mariadb_log: WriteLog) -> None:
    capture = read_capture(mariadb_log([CONNECT, *query(*XA), (7, "Quit", b"")]))
    assert shapes(capture) == [("open", XA)]
    assert capture.warnings == ("1 transaction open at the end of the log",)


@pytest.mark.parametrize("sql", [b"XA COMMIT 'x' ONE PHASE", b"XA ROLLBACK 'x','',1"])
def test_an_xa_transaction_ends_without_being_prepared(sql: bytes, mariadb_log: WriteLog) -> None:
    outcome = sql.split()[1].decode().lower()
    log = mariadb_log([CONNECT, *query(*XA[:3], sql)])
    assert shapes(read_capture(log)) == [(outcome, [*XA[:3], sql])]


def test_each_statement_has_the_schema_it_ran_in(mariadb_log: WriteLog) -> None:
    init: Record = (7, "Init DB", b"three")
    inside = [b"BEGIN", b"SELECT 1", b"USE `two`", b"SELECT 2"]
    log = mariadb_log([CONNECT, *query(*inside), init, *query(b"SELECT 3", b"COMMIT")])
    (transaction,) = read_capture(log).transactions
    schemas = [s.schema for s in transaction.statements]
    assert schemas == ["shop", "shop", "shop", "two", "three", "three"]


def test_an_empty_query_is_no_statement_and_said(mariadb_log: WriteLog) -> None:
    capture = read_capture(mariadb_log([CONNECT, *query(b"", b" ;", b"-- ping", b"SELECT 1")]))
    assert [s.sql for t in capture.transactions for s in t.statements] == [b"-- ping", b"SELECT 1"]
    assert capture.warnings == ("2 statements without any text left out",)


def test_a_prepare_that_failed_has_no_text_in_mysqls_log(mysql_log: WriteLog) -> None:
    capture = read_capture(mysql_log([CONNECT, *query(b"PREPARE q FROM ...", b"SELECT 1")]))
    assert shapes(capture) == [("autocommit", [b"SELECT 1"])]
    assert capture.warnings == ("1 PREPARE left out: the log has not their text",)


def test_when_a_transaction_began_is_told_by_every_clock(
    mariadb_log: WriteLog, mysql_log: WriteLog
) -> None:
    sent = [CONNECT, *query(b"BEGIN", b"SELECT 1", b"COMMIT")]
    (fine,) = read_capture(mysql_log(sent)).transactions
    assert fine.began_ns == 1_796_037_171_001_500_000
    (coarse,) = read_capture(mariadb_log(sent)).transactions
    assert coarse.began_ns == 1_796_037_252_000_000_000


def event(sql: bytes, *, line: int = 1, at: int = 0, took: int = 0, errno: int = 0) -> LogEvent:
    return LogEvent(line, 7, "Query", sql, at, "app", "shop", took, None, errno)


def statements(*events: LogEvent) -> list[RawStatement]:
    capture = read_source(Events(*events))
    return [s for t in capture.transactions for s in t.statements]


def test_a_gap_is_the_applications_time_alone() -> None:
    sent = [event(b"SELECT 1", at=100, took=30), event(b"SELECT 2", at=150, took=5)]
    sent += [event(b"SELECT 3", at=152)]  # began before the one before had its end: no gap
    assert [s.gap_ns for s in statements(*sent)] == [None, 20, 0]


def outcomes(*pairs: tuple[bytes, int]) -> list[tuple[str, list[bytes]]]:
    return shapes(read_source(Events(*(event(sql, errno=errno) for sql, errno in pairs))))


def test_a_deadlock_ends_the_transaction() -> None:
    sent = [(b"BEGIN", 0), (b"UPDATE 1", 1213), (b"ROLLBACK", 0), (b"SELECT 1", 0)]
    assert outcomes(*sent) == [
        ("rollback", [b"BEGIN", b"UPDATE 1"]),
        ("rollback", [b"ROLLBACK"]),
        ("autocommit", [b"SELECT 1"]),
    ]


@pytest.mark.parametrize(
    "failed",
    [(b"INSERT 1", 1062), (b"COMMI", 1064), (b"CREATE TABLE (", 1064), (b"UPDATE 2", 1205)],
)
def test_other_errors_leave_it_open(failed: tuple[bytes, int]) -> None:
    sent = [(b"BEGIN", 0), failed, (b"COMMIT", 0)]
    assert outcomes(*sent) == [("commit", [b"BEGIN", failed[0], b"COMMIT"])]


def test_ddl_that_failed_has_committed_all_the_same() -> None:
    sent = [(b"BEGIN", 0), (b"ALTER TABLE nosuch ADD b INT", 1146), (b"SELECT 1", 0)]
    assert [outcome for outcome, _ in outcomes(*sent)] == ["commit", "autocommit", "autocommit"]


def test_settings_that_failed_are_not_set() -> None:
    sent = [(b"SET autocommit=0, nosuch=1", 1193), (b"INSERT 1", 0)]
    assert outcomes(*sent)[1] == ("autocommit", [b"INSERT 1"])


def test_a_failed_statement_is_marked() -> None:
    assert [s.errno for s in statements(event(b"SELECT 1", errno=1146))] == [1146]


def test_transactions_stream_when_they_end() -> None:
    sent = [event(b"BEGIN", line=1), event(b"SELECT 1", line=2), event(b"COMMIT", line=3)]
    seen: list[int] = []

    class Watched(Events):
        def __iter__(self) -> Iterator[LogEvent]:
            for one in self.events:
                seen.append(one.line)
                yield one

    first = next(iter(Transactions(Watched(*sent, event(b"SELECT 2", line=4)))))
    assert (len(first.statements), seen) == (3, [1, 2, 3])


def test_what_streams_is_counted_as_a_whole_capture_is() -> None:
    sent = [event(b"BEGIN", at=5), event(b"SELECT 1", at=9), event(b"COMMIT", at=7)]
    reader = Transactions(Events(*sent), users={"nobody"})
    assert list(reader) == []
    assert (reader.events, reader.users, reader.sessions) == (3, {"app": 3}, 0)
    assert (reader.first_ns, reader.last_ns) == (5, 9)


def test_no_session_of_a_slow_log_counts_as_older_than_it() -> None:
    assert read_source(Events(event(b"SELECT 1"))).warnings == ()


def test_many_broken_statements_are_counted_and_not_all_listed() -> None:
    pair = [event(b"SELECT /* a"), event(b"SELECT 1")]
    capture = read_source(Events(*pair * 300))
    assert len(capture.transactions) == 300
    assert len(capture.warnings) == 101
    assert capture.warnings[-1] == "200 more warnings not shown"


def test_held_records_take_bounded_memory() -> None:
    """Behind a statement that never ends, records are let go by their bytes too."""
    large = b"SELECT '" + b"x" * (1 << 20) + b"'"
    begun: list[int] = []

    class Counted(Events):
        def __iter__(self) -> Iterator[LogEvent]:
            for number in range(60):
                begun.append(number)
                yield event(b"SELECT /* a" if number == 0 else large)

    next(iter(Transactions(Counted())))
    assert len(begun) < 30

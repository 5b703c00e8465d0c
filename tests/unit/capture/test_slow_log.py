"""Slow logs of three servers, in shapes that the samples do not have.

The Percona records follow the manual of Percona Server ("Slow query log"); those of MariaDB with
stored routines and EXECUTE IMMEDIATE were copied from a 10.11 server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from readiness.capture.events import LogEvent
from readiness.capture.sessions import read_source
from readiness.capture.slow_log import SlowLog
from readiness.errors import LogFormatError

BANNER = (
    b"/usr/sbin/mysqld, Version: 8.4.0 (MySQL). started with:\n"
    b"Tcp port: 3306  Unix socket: /run/mysqld/mysqld.sock\n"
    b"Time                 Id Command    Argument\n"
)
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a slow log of these parts."""

    def file(*parts: bytes, name: str = "slow.log") -> Path:
        path = tmp_path / name
        path.write_bytes(b"".join(parts))
        return path

    return file


def mysql(
    sql: bytes,
    *,
    at: bytes = b"2026-11-30T11:12:51.500000Z",
    user: bytes = b"app",
    took: bytes = b"0.250000",
    more: bytes = b"",
    use: bytes = b"",
) -> bytes:
    """A record of MySQL 8."""
    return (
        b"# Time: %b\n# User@Host: %b[%b] @ localhost [127.0.0.1]  Id:     7\n"
        b"# Query_time: %b  Lock_time: 0.000001 Rows_sent: 3  Rows_examined: 4%b\n%b"
        b"SET timestamp=1796037171;\n%b;\n" % (at, user, user, took, more, use, sql)
    )


def mariadb(sql: bytes, *, time: bytes = b"", more: bytes = b"", took: bytes = b"0.25") -> bytes:
    """A record of MariaDB."""
    return (
        b"%b# User@Host: app[app] @ localhost [127.0.0.1]\n"
        b"# Thread_id: 7  Schema: shop  QC_hit: No\n"
        b"# Query_time: %b  Lock_time: 0.000000  Rows_sent: 3  Rows_examined: 4\n"
        b"# Rows_affected: 5  Bytes_sent: 11\n%bSET timestamp=1796037171;\n%b;\n"
        % (time, took, more, sql)
    )


def events(path: Path, *more: Path) -> list[LogEvent]:
    return list(SlowLog(path, *more))


def texts(path: Path, *more: Path) -> list[bytes]:
    return [event.argument for event in SlowLog(path, *more)]


def test_mysql_says_when_a_statement_ended(write: Write) -> None:
    (event,) = events(write(mysql(b"SELECT 1")))
    end_ns = 1_796_037_171_500_000_000
    assert (event.at_ns, event.latency_ns) == (end_ns - 250_000_000, 250_000_000)
    assert (event.thread_id, event.user, event.line, event.rows) == (7, "app", 1, (3, None))


def test_mariadb_says_the_second_in_which_it_began_and_only_a_new_one(write: Write) -> None:
    log = SlowLog(
        write(mariadb(b"SELECT 1", time=b"# Time: 261130  9:12:51\n"), mariadb(b"SELECT 2"))
    )
    first, second = log
    assert first.at_ns == second.at_ns == 1_796_029_971_000_000_000
    assert (first.schema, first.rows, log.has_exact_times) == ("shop", (3, 5), False)


def test_a_time_zone_is_taken_off(write: Write) -> None:
    one, two = events(
        write(
            mysql(b"SELECT 1", at=b"2026-11-30T12:12:51.500000+01:00"),
            mysql(b"SELECT 1", at=b"2026-11-30T11:12:51.500000Z"),
        )
    )
    assert one.at_ns == two.at_ns


PERCONA = (
    b"# Time: 2026-11-30T11:12:51.500000Z\n"
    b"# User@Host: app[app] @ localhost []  Id:    42\n"
    b"# Schema: imdb  Last_errno: %d  Killed: 0\n"
    b"# Query_time: 0.725616  Lock_time: 0.000328  Rows_sent: 4  Rows_examined: 15  Rows_affected: 2\n"
    b"# Bytes_sent: 272  Tmp_tables: 0  Tmp_disk_tables: 0  Tmp_table_sizes: 0\n"
    b"# InnoDB_trx_id: 1500\n"
    b"# Full_scan: Yes  Full_join: No  Tmp_table: No  Tmp_table_on_disk: No\n"
    b"# Filesort: No  Filesort_on_disk: No  Merge_passes: 0\n"
    b"#   InnoDB_IO_r_ops: 6415  InnoDB_IO_r_bytes: 105103360  InnoDB_IO_r_wait: 0.001279\n"
    b"#   InnoDB_rec_lock_wait: 0.000000  InnoDB_queue_wait: 0.000000\n"
    b"#   InnoDB_pages_distinct: 46\n%b"
    b"SET timestamp=1370073666;\nSELECT 1;\n"
)


def test_percona_says_schema_rows_and_errors(write: Write) -> None:
    log = SlowLog(write(PERCONA % (1062, b"")))
    (event,) = log
    assert log.dialect == "slow-percona"
    assert (event.schema, event.thread_id, event.rows, event.errno) == ("imdb", 42, (4, 2), 1062)
    assert log.warnings == []


def test_a_sampled_log_is_said_to_be(write: Write) -> None:
    sampling = b"# Log_slow_rate_type: query  Log_slow_rate_limit: 10\n"
    log = SlowLog(write(PERCONA % (0, sampling)))
    assert len(list(log)) == 1
    assert log.warnings == [
        "the log is sampled, one of 10 statements (Log_slow_rate_type query): its transactions are"
        " not whole"
    ]


def test_a_log_of_slow_statements_only_is_said_to_be(write: Write) -> None:
    log = SlowLog(write(*[mysql(b"SELECT 1")] * 20))
    assert len(list(log)) == 20
    assert log.warnings == [
        "the fastest of 20 statements took 250 ms: long_query_time was not 0, so statements are"
        " missing"
    ]


@pytest.mark.parametrize(
    ("more", "errno"),
    [
        (b" Thread_id: 7 Errno: 1062 Killed: 0", 1062),
        (b" Thread_id: 7 Errno: 0 Killed: 1317", 1317),
    ],
)
def test_what_failed_or_was_killed_is_marked(more: bytes, errno: int, write: Write) -> None:
    assert [event.errno for event in SlowLog(write(mysql(b"SELECT 1", more=more)))] == [errno]


def test_start_says_better_than_time_when_a_statement_began(write: Write) -> None:
    more = b" Start: 2026-11-30T11:12:51.100000Z End: 2026-11-30T11:12:51.350000Z"
    (event,) = events(write(mysql(b"SELECT 1", more=more)))
    assert event.at_ns == 1_796_037_171_100_000_000


def test_a_latency_that_overflowed_is_none(write: Write) -> None:
    log = SlowLog(write(mysql(b"SELECT 1", took=b"18446744073709.550781"), mysql(b"SELECT 2")))
    assert [event.latency_ns for event in log] == [None, 250_000_000]
    assert log.warnings == ["1 record has no possible query time: no latency"]


def test_header_lines_come_in_any_order(write: Write) -> None:
    lines = mariadb(b"SELECT 1", time=b"# Time: 261130 11:12:51\n").splitlines(keepends=True)
    head, rest = lines[:5], lines[5:]
    for order in ([4, 3, 2, 1, 0], [2, 0, 4, 1, 3], [1, 0, 2, 3, 4]):
        (event,) = events(write(*[head[at] for at in order if at != 4], head[4], *rest))
        assert (event.thread_id, event.user, event.argument) == (7, "app", b"SELECT 1")


def test_what_the_server_writes_before_a_statement_is_no_statement(write: Write) -> None:
    log = write(
        mysql(b"SET timestamp=1000", use=b"use shop;\n"),
        mysql(b"use two"),
        mysql(b"SELECT 1", use=b"use two;\n"),
    )
    assert texts(log) == [b"SET timestamp=1000", b"use two", b"SELECT 1"]


def test_insert_ids_before_a_statement_are_no_statement(write: Write) -> None:
    set_id = b"SET last_insert_id=4,insert_id=5,timestamp=1796037171;\n"
    log = mysql(b"SELECT 1").replace(b"SET timestamp=1796037171;\n", set_id)
    assert texts(write(log)) == [b"SELECT 1"]


def test_mysql_says_the_schema_when_it_differs_and_after_it_opened_the_log(write: Write) -> None:
    log = write(
        BANNER,
        mysql(b"SELECT 1"),
        mysql(b"SELECT 2", use=b"use shop;\n"),
        mysql(b"SELECT 3"),
        BANNER,
        mysql(b"SELECT 4"),
    )
    assert [e.schema for e in SlowLog(log)] == ["", "shop", "shop", ""]
    assert texts(log) == [b"SELECT 1", b"SELECT 2", b"SELECT 3", b"SELECT 4"]


def test_commands_that_are_no_statement_keep_their_name(write: Write) -> None:
    log = write(mysql(b"# administrator command: Reset stmt"), mysql(b"SELECT 1"))
    assert [(e.command, e.argument) for e in SlowLog(log)] == [
        ("Reset stmt", b""),
        ("Query", b"SELECT 1"),
    ]


@pytest.mark.parametrize(
    "sql",
    [
        b"SELECT 1;",
        b"SELECT 'a\nb',\n\n2",
        b"# a comment first\nSELECT 1",
        b"SELECT '\0\xff\r\n'",
        b"",
        b"SELECT 1;\n# not a header\nSELECT 2",
        b"SELECT '" + b"x" * 2_000_000 + b"'",
    ],
)
def test_every_byte_of_a_statement_is_kept(sql: bytes, write: Write) -> None:
    assert texts(write(mysql(sql), mysql(b"SELECT 2"))) == [sql, b"SELECT 2"]


@pytest.mark.parametrize("dialect", [mysql, mariadb])
def test_a_header_within_a_statement_is_said_and_not_taken_for_one(
    dialect: Callable[[bytes], bytes], write: Write
) -> None:
    injected = b"INSERT INTO t VALUES ('a\n" + dialect(b"DROP TABLE t").strip(b";\n") + b"')"
    log = SlowLog(write(dialect(injected), dialect(b"SELECT 2")))
    assert [event.argument for event in log] == [injected, b"SELECT 2"]
    assert "look like a record's and were not taken for one: records of line 1" in log.warnings[0]


def test_a_record_behind_a_semicolon_in_a_text_is_said_and_not_believed(write: Write) -> None:
    injected = b"INSERT INTO t VALUES ('a;\n" + mysql(b"DROP TABLE t").removesuffix(b";\n") + b"')"
    capture = read_source(SlowLog(write(mysql(injected), mysql(b"SELECT 2"))))
    assert [s.sql for t in capture.transactions for s in t.statements] == [b"SELECT 2"]
    assert capture.warnings[0].startswith("line 1: statement left out: it holds lines that look")


def test_statements_of_stored_routines_are_left_out_and_said(write: Write) -> None:
    inner = mariadb(b"insert into t values (1)", more=b"# Stored_routine: x.pp\n")
    log = SlowLog(write(inner, inner, mariadb(b"call pp(1)")))
    assert [event.argument for event in log] == [b"call pp(1)"]
    assert log.warnings[0] == "2 statements within stored routines left out: their CALL counts"


def test_explain_lines_are_no_statement(write: Write) -> None:
    explain = b"#\n# explain: id\tselect_type\ttable\n# explain: 1\tSIMPLE\tt\n#\n"
    assert texts(write(mariadb(b"SELECT 1", more=explain))) == [b"SELECT 1"]


def test_mariadb_logs_what_execute_immediate_ran_beside_it(write: Write) -> None:
    log = write(
        mariadb(b"insert into t values (4)"),
        mariadb(b"execute immediate 'insert into t values (4)'"),
    )
    capture = read_source(SlowLog(log))
    assert [s.sql for t in capture.transactions for s in t.statements] == [
        b"insert into t values (4)"
    ]


def test_mysql_leaves_out_the_text_of_prepare_and_this_is_said(write: Write) -> None:
    statements = [b"PREPARE s1 FROM ...", b"SELECT 5", b"DEALLOCATE PREPARE s1", b"COMMIT"]
    capture = read_source(SlowLog(write(*map(mysql, statements))))
    sent = [s.sql for t in capture.transactions for s in t.statements]
    assert sent == [b"SELECT 5", b"COMMIT"]
    assert capture.warnings == ("1 PREPARE left out: the log has not their text",)


def test_another_user_on_the_connection_is_another_session(write: Write) -> None:
    log = write(mysql(b"BEGIN"), mysql(b"SELECT 1"), mysql(b"SELECT 2", user=b"batch"))
    capture = read_source(SlowLog(log))
    assert [(t.user, t.outcome.value) for t in capture.transactions] == [
        ("app", "disconnect"),
        ("batch", "autocommit"),
    ]


@pytest.mark.parametrize("size", range(1, len(mysql(b"SELECT 2")), 3))
def test_a_cut_tail_costs_the_last_record_alone(size: int, write: Write) -> None:
    log = SlowLog(write(mysql(b"SELECT 1"), mysql(b"SELECT 2")[:size]))
    assert [event.argument for event in log] == [b"SELECT 1"]
    assert log.warnings[-1].endswith("the last record has no end and was left out")


@pytest.mark.parametrize("size", range(0, len(mysql(b"SELECT 2")), 3))
def test_a_rotated_log_is_one_log(size: int, write: Write) -> None:
    whole = mysql(b"SELECT 1") + mysql(b"SELECT 2") + mysql(b"SELECT 3")
    at = len(mysql(b"SELECT 1")) + size
    parts = write(whole[:at], name="slow.log.1"), write(whole[at:], name="slow.log")
    log = SlowLog(*parts)
    assert [event.argument for event in log] == [b"SELECT 1", b"SELECT 2", b"SELECT 3"]
    assert (log.lines, log.warnings) == (whole.count(b"\n"), [])


def test_a_file_cut_off_before_a_whole_one_loses_one_record(write: Write) -> None:
    parts = (
        write(mysql(b"SELECT 1"), mysql(b"SELECT 2")[:-4], name="slow.log.1"),
        write(mysql(b"SELECT 3"), name="slow.log"),
    )
    assert texts(*parts) == [b"SELECT 1", b"SELECT 3"]


def test_what_stands_before_the_first_record_is_said(write: Write) -> None:
    log = SlowLog(write(b"the end of a record;\n", mysql(b"SELECT 1")))
    assert len(list(log)) == 1
    assert log.warnings == ["line 1: 1 line before the first record left out"]


def test_a_file_with_other_line_ends_is_read_and_said(write: Write) -> None:
    log = SlowLog(write(mysql(b"SELECT 1\n, 2").replace(b"\n", b"\r\n")))
    assert [event.argument for event in log] == [b"SELECT 1\n, 2"]
    assert "CR LF" in log.warnings[0]


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        (b"", 1, "the log is empty"),
        (BANNER, 3, "a banner and no whole record"),
        (BANNER + b"hello\n", 4, "expected a slow log record"),
        (b"hello\n" * 2000, 1, "expected a slow log record"),
        (mysql(b"SELECT 1").replace(b"  Id:     7", b""), 1, "the connection's id"),
        (mysql(b"SELECT 1", at=b"2026-13-30T11:12:51Z"), 1, "time does not exist"),
        (mysql(b"SELECT 1") + mariadb(b"SELECT 2"), 6, "expected a record as of slow-mysql"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(
    text: bytes, line: int, expected: str, write: Write
) -> None:
    with pytest.raises(LogFormatError) as refused:
        events(write(text))
    assert f":{line}" in str(refused.value)
    assert expected in refused.value.message

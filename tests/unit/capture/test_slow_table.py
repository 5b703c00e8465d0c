"""A dump of mysql.slow_log, of both servers."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes.log_writers import Sent, slow_table

from readiness.capture.events import LogEvent
from readiness.capture.logs import open_log
from readiness.errors import LogFormatError

HISTORY = [Sent(7, b"SELECT 'a\n\t\\'"), Sent(7, b"", "Quit")]


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    """A dump of MySQL with a statement and a disconnect."""
    path = tmp_path / "slow.tsv"
    path.write_bytes(slow_table(HISTORY))
    return path


def as_of_mariadb(text: bytes) -> bytes:
    """The same rows with the column that MariaDB alone has."""
    header, *rows = text.splitlines(keepends=True)
    more = [row[:-1] + b"\t5\n" for row in rows]
    return b"".join([header[:-1] + b"\trows_affected\n", *more])


def read(path: Path) -> list[LogEvent]:
    return list(open_log(path))


def test_rows_are_statements_and_commands(dump: Path) -> None:
    statement, quit_ = read(dump)
    assert (statement.command, statement.argument) == ("Query", b"SELECT 'a\n\t\\'")
    assert (quit_.command, quit_.argument) == ("Quit", b"")
    assert (statement.user, statement.schema, statement.thread_id) == ("app", "shop", 7)


def test_mysql_calls_the_end_start_time_and_mariadb_the_start(dump: Path) -> None:
    written_ns = 1_796_037_171_000_000_000
    assert [e.at_ns for e in read(dump)][:1] == [written_ns - 1000]
    dump.write_bytes(as_of_mariadb(dump.read_bytes()))
    assert [e.at_ns for e in read(dump)][:1] == [written_ns]


def test_mariadb_knows_the_rows_that_changed(dump: Path) -> None:
    assert read(dump)[0].rows == (0, None)
    dump.write_bytes(as_of_mariadb(dump.read_bytes()))
    assert read(dump)[0].rows == (0, 5)


def test_a_duration_at_the_columns_end_is_no_latency(dump: Path) -> None:
    dump.write_bytes(dump.read_bytes().replace(b"00:00:00.000001", b"838:59:59.000000"))
    log = open_log(dump)
    assert [event.latency_ns for event in log] == [None, None]
    assert log.warnings == ["2 rows have no possible query time: no latency"]


def test_bytes_that_mariadb_could_not_keep_are_said(dump: Path) -> None:
    text = dump.read_bytes().replace(b"SELECT", rb"SELECT '\\xF0\\x9F', ")
    dump.write_bytes(as_of_mariadb(text))
    log = open_log(dump)
    assert len(list(log)) == 2
    assert log.warnings[0].startswith("1 row holds text such as \\xF0")


def test_a_line_that_is_no_row_is_named(dump: Path) -> None:
    dump.write_bytes(dump.read_bytes().replace(b"00:00:00.000001", b"soon"))
    with pytest.raises(LogFormatError, match=r":2.*expected a row of mysql.slow_log"):
        read(dump)


def test_a_dump_without_rows_is_refused(dump: Path) -> None:
    dump.write_bytes(slow_table([]))
    with pytest.raises(LogFormatError, match="holds no row"):
        read(dump)

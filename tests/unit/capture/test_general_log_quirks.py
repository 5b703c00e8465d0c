"""What servers, versions and downloads do to a general log changes no statement."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.capture.conftest import BANNER

from readiness.capture.events import LogEvent
from readiness.capture.general_log import GeneralLog
from readiness.errors import LogFormatError

OLD = b"261130 11:14:12\t     7 Query\t"
NEW = b"2026-11-30T11:14:12.000250Z\t    7 Query\t"
NOON_NS = 1_796_037_252_000_000_000  # 2026-11-30 11:14:12 UTC: date -u -d '…' +%s
RDS = (
    b"/rdsdbbin/mysql/bin/mysqld, Version: 8.0.39 (Source distribution). started with:\n"
    b"Tcp port: 3306  Unix socket: /tmp/mysql.sock\n"
    b"Time                 Id Command    Argument\n"
)
WINDOWS = (
    b"C:\\Program Files\\MySQL\\MySQL Server 8.0\\bin\\mysqld.exe, Version: 8.0.39 (MySQL Community"
    b" Server - GPL). started with:\nTCP Port: 3306, Named Pipe: MySQL\n"
    b"Time                 Id Command    Argument\n"
)


def read(folder: Path, content: bytes) -> tuple[GeneralLog, list[LogEvent]]:
    path = folder / "general.log"
    path.write_bytes(content)
    log = GeneralLog(path)
    return log, list(log)


@pytest.mark.parametrize("banner", [BANNER, RDS, WINDOWS])
@pytest.mark.parametrize("start", [OLD, NEW])
def test_banners_before_amid_and_behind_are_no_statement(
    banner: bytes, start: bytes, tmp_path: Path
) -> None:
    content = banner + start + b"SELECT 1\n" + banner * 2 + start + b"SELECT\n2\n" + banner
    log, events = read(tmp_path, content)
    assert [e.argument for e in events] == [b"SELECT 1", b"SELECT\n2"]
    assert [e.line for e in events] == [4, 11]
    assert (log.lines, log.warnings) == (15, [])


def test_a_statement_that_holds_a_banner_keeps_it(tmp_path: Path) -> None:
    sql = b"INSERT INTO notes VALUES ('\n" + RDS + b"')"
    _, events = read(tmp_path, NEW + sql + b"\n")
    assert [e.argument for e in events] == [sql]


@pytest.mark.parametrize(
    "start",
    [
        b"261130 11:14:12\t1234567 Query\t",
        b"261130 11:14:12\t\t1234567 Query\t",
        b"261130 11:14:12 1234567 Query\t",
        b"261130  11:14:12\t      1234567 Query\t",
        b"2026-11-30T11:14:12.000000Z\t1234567 Query\t",
        b"2026-11-30T12:14:12.000000+01:00\t1234567 Query\t",
        b"2026-11-30T05:44:12.000000-05:30\t1234567 Query\t",
    ],
)
def test_the_blanks_around_a_wide_thread_id_may_vary(start: bytes, tmp_path: Path) -> None:
    _, (event,) = read(tmp_path, start + b"SELECT 1\n")
    assert (event.thread_id, event.at_ns, event.argument) == (1_234_567, NOON_NS, b"SELECT 1")


@pytest.mark.parametrize("start", [b"261130  1:14:12\t", b"261130 1:14:12\t"])
def test_hours_may_have_one_digit(start: bytes, tmp_path: Path) -> None:
    _, (event,) = read(tmp_path, start + b"    7 Query\tSELECT 1\n")
    assert event.at_ns == NOON_NS - 10 * 3_600_000_000_000


@pytest.mark.parametrize("start", [OLD, NEW])
def test_any_byte_of_a_statement_is_kept(start: bytes, tmp_path: Path) -> None:
    every_byte = bytes(range(256))
    _, (event,) = read(tmp_path, start + every_byte + b"\n")
    assert event.argument == every_byte


@pytest.mark.parametrize("start", [OLD, NEW])
def test_an_empty_statement_is_one(start: bytes, tmp_path: Path) -> None:
    _, events = read(tmp_path, start + b"\n" + start + b"\n\n" + start + b" \n")
    assert [e.argument for e in events] == [b"", b"\n", b" "]


@pytest.mark.parametrize("start", [OLD, NEW])
@pytest.mark.parametrize("line_end", [b"", b"\n"])
def test_a_statement_of_megabytes_is_whole(start: bytes, line_end: bytes, tmp_path: Path) -> None:
    values = b"(1,'x')," * 250_000
    sql = b"INSERT INTO t VALUES " + line_end.join([values, values])
    _, events = read(tmp_path, start + sql + b"\n" + start + b"SELECT 1\n")
    assert [e.argument for e in events] == [sql, b"SELECT 1"]


def test_only_the_servers_own_line_end_closes_a_record(tmp_path: Path) -> None:
    _, (event,) = read(tmp_path, NEW + b"SELECT 1\r\n")
    assert event.argument == b"SELECT 1\r"


def test_a_log_turned_to_crlf_is_said_and_read(tmp_path: Path) -> None:
    content = (RDS + NEW + b"SELECT 1\n" + NEW + b"SELECT 2\n" + RDS).replace(b"\n", b"\r\n")
    log, events = read(tmp_path, content)
    assert [e.argument for e in events] == [b"SELECT 1", b"SELECT 2"]
    assert ["CR LF" in warning for warning in log.warnings] == [True]


def test_a_mark_of_an_editor_is_said(tmp_path: Path) -> None:
    log, events = read(tmp_path, b"\xef\xbb\xbf" + NEW + b"SELECT 1\n")
    assert [e.argument for e in events] == [b"SELECT 1"]
    assert ["byte order mark" in warning for warning in log.warnings] == [True]


@pytest.mark.parametrize(
    ("damage", "said"),
    [("\ufffd".encode(), "U+FFFD"), (b"[Your log message was truncated]", "RDS download")],
)
def test_bytes_that_a_tool_replaced_are_said_with_their_line(
    damage: bytes, said: str, tmp_path: Path
) -> None:
    log, events = read(tmp_path, RDS + NEW + b"SELECT 1\n" + NEW + b"SELECT\n'" + damage + b"'\n")
    assert len(events) == 2
    (warning,) = log.warnings
    assert warning.startswith("line 6: ")
    assert said in warning


@pytest.mark.parametrize(
    ("mine", "other", "name"),
    [
        (NEW, OLD, "MariaDB"),
        (OLD, NEW, "MySQL"),
        (OLD, b"# Time: 261130 11:14:12\n# User@Host: app[app] @ h []\nx", "a slow log"),
    ],
)
@pytest.mark.parametrize("between", [b"", RDS])
def test_two_logs_in_one_file_are_refused_at_the_line(
    mine: bytes, other: bytes, name: str, between: bytes, tmp_path: Path
) -> None:
    content = mine + b"SELECT 1\n" + between + other + b"SELECT 2\n" + mine + b"SELECT 3\n"
    with pytest.raises(LogFormatError, match=f"found one of {name}") as caught:
        read(tmp_path, content)
    lines_before = content[: content.index(other)].count(b"\n") + other.count(b"# User@Host")
    assert caught.value.line == lines_before + 1


@pytest.mark.parametrize(("mine", "other"), [(NEW, OLD), (OLD, NEW)])
def test_a_value_that_looks_like_another_servers_record_stays_a_value(
    mine: bytes, other: bytes, tmp_path: Path
) -> None:
    sql = b"INSERT INTO notes VALUES ('\n" + other + b"DROP TABLE notes')"
    _, (event,) = read(tmp_path, mine + sql + b"\n")
    assert event.argument == sql


@pytest.mark.parametrize("start", [OLD, NEW])
def test_a_log_of_one_record_without_end_is_refused(start: bytes, tmp_path: Path) -> None:
    with pytest.raises(LogFormatError, match="has no end"):
        read(tmp_path, start + b"SELECT 1")


def test_blank_lines_without_number_cannot_slow_the_reader(tmp_path: Path) -> None:
    """Each of these begins like a record: a search that backtracks would take hours."""
    blanks = b"261130 11:14:12" + b"\t " * 100_000 + b"\n"
    _, events = read(tmp_path, OLD + blanks * 5 + b"\t\t" + b" " * 500_000 + b"\n")
    assert len(events) == 1

"""A general log file gives its records back, byte for byte, or says why not."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path

import pytest
from tests.unit.capture.conftest import BANNER

from readiness.capture.events import LogEvent
from readiness.capture.general_log import GeneralLog
from readiness.errors import CaptureError, LogFormatError

NAMES = ["mysql97-general.log", "mariadb1011-general.log"]
FIRST = b"261130 11:14:12\t     7 Query\t"


def read(path: Path, content: bytes) -> list[LogEvent]:
    path.write_bytes(content)
    return list(GeneralLog(path))


@pytest.mark.parametrize("name", NAMES)
def test_a_statement_over_many_lines_stays_one(name: str, data: Path) -> None:
    (long,) = [e for e in GeneralLog(data / name) if b"comment over lines" in e.argument]
    assert long.argument.startswith(b"SELECT c.id,\n       c.email,")
    assert long.argument.endswith(b"\n GROUP BY c.id, c.email")
    assert long.argument.count(b"\n") == 7


@pytest.mark.parametrize("name", NAMES)
def test_bytes_that_are_no_text_are_kept(name: str, data: Path) -> None:
    blobs = [e for e in GeneralLog(data / name) if b"\xff" in e.argument]
    assert [e.command for e in blobs] == ["Execute"] * 3


def test_a_log_without_banner_reads_the_same(data: Path, tmp_path: Path) -> None:
    whole = (data / "mariadb1011-general.log").read_bytes()
    headless = b"".join(whole.splitlines(keepends=True)[3:])
    assert len(read(tmp_path / "log", headless)) == 88


def test_the_banner_of_a_restart_is_no_part_of_a_statement(tmp_path: Path) -> None:
    log = BANNER + FIRST + b"SELECT 1\n" + BANNER + BANNER + FIRST + b"SELECT 2\n" + BANNER
    assert [e.argument for e in read(tmp_path / "log", log)] == [b"SELECT 1", b"SELECT 2"]


def test_times_are_carried_on_while_mariadb_leaves_them_out(tmp_path: Path) -> None:
    log = b"\t\t     7 Quit\t\n" + FIRST + b"SELECT 1\n" + b"\t\t     8 Query\tSELECT 2\n"
    none, first, second = read(tmp_path / "log", log)
    assert none.at_ns is None
    assert first.at_ns == second.at_ns == 1_796_037_252_000_000_000


def test_hours_before_ten_are_padded_with_a_blank(tmp_path: Path) -> None:
    (event,) = read(tmp_path / "log", b"261130  9:05:01\t     7 Query\tSELECT 1\n")
    assert event.at_ns == 1_796_029_501_000_000_000


def test_mysql_times_have_microseconds_and_a_zone(tmp_path: Path) -> None:
    record = b"2026-11-30T12:14:12.000250+01:00\t    7 Query\tSELECT 1\n"
    (event,) = read(tmp_path / "log", record)
    assert event.at_ns == 1_796_037_252_000_250_000


def test_indented_text_is_no_record(tmp_path: Path) -> None:
    (event,) = read(tmp_path / "log", FIRST + b"SELECT\n\t\t    12 Apples\tx\n")
    assert event.argument == b"SELECT\n\t\t    12 Apples\tx"


def test_a_last_record_without_end_is_left_out_and_said(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(FIRST + b"SELECT 1\n" + FIRST + b"SELECT\n 2 FROM")
    log = GeneralLog(path)
    assert [e.argument for e in log] == [b"SELECT 1"]
    assert log.warnings == ["line 2: the last record has no end and was left out"]


def test_a_log_that_begins_within_a_record_starts_at_the_next(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b" WHERE id = 4\n LIMIT 1\n" + FIRST + b"SELECT 1\n")
    log = GeneralLog(path)
    assert [e.argument for e in log] == [b"SELECT 1"]
    assert log.warnings == ["line 1: 2 lines before the first record left out"]


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", 1, "the log is empty"),
        (BANNER, 3, "the log holds a banner and no record"),
        (b"id,name\n1,shoe\n", 1, "expected a general log record"),
        (BANNER + b"garbage\n" * 2000, 4, "expected a general log record"),
        (b"269930 11:14:12\t     7 Query\tSELECT 1\n", 1, "the record's time does not exist"),
        (gzip.compress(FIRST + b"SELECT 1\n" * 999, mtime=0)[:40], 1, "the gzip file is broken"),
    ],
)
def test_what_is_no_general_log_is_refused(
    content: bytes, line: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(LogFormatError, match=message) as caught:
        read(tmp_path / "log", content)
    assert caught.value.line == line
    assert str(tmp_path / "log") in caught.value.message


def test_a_slow_log_is_called_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(LogFormatError) as caught:
        read(tmp_path / "log", BANNER + b"# Time: 261130 11:18:31\n# User@Host: a[a] @ b []\n")
    assert "slow log" in caught.value.hint


def test_a_file_that_is_not_there_is_a_capture_error(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="No such file"):
        list(GeneralLog(tmp_path / "absent.log"))


def test_a_refusal_never_quotes_the_log(tmp_path: Path) -> None:
    with pytest.raises(LogFormatError) as caught:
        read(tmp_path / "log", b"INSERT INTO users VALUES ('ann@example.test')\n")
    assert "ann" not in caught.value.message + caught.value.hint


def test_a_record_shows_and_saves_nothing_of_its_text(tmp_path: Path) -> None:
    (event,) = read(tmp_path / "log", FIRST + b"SELECT 'ann@example.test'\n")
    assert "ann" not in f"{event} {event!r}"
    with pytest.raises(TypeError, match="never pickled"):
        pickle.dumps(event)


@pytest.mark.parametrize(
    ("form", "forged"),
    [
        (
            b"2026-11-30T11:14:12.000001Z\t    7 Query\t%s\n",
            b"2026-13-45T00:00:00.000000Z\t    7 Query\t",
        ),
        (b"261130 11:14:12\t     7 Query\t%s\n", b"269945 11:14:12\t     7 Query\t"),
    ],
)
@pytest.mark.parametrize("size", [1, 70_000])  # of a value that fits a block, and not
def test_a_value_with_an_impossible_record_in_it_makes_no_log_unreadable(
    size: int, form: bytes, forged: bytes, tmp_path: Path
) -> None:
    evil = b"INSERT INTO t VALUES ('" + b"a" * size + b"\n" + forged + b"x\nb')"
    path = tmp_path / "general.log"
    path.write_bytes(b"".join(form % sql for sql in (b"SELECT 1", evil, b"SELECT 2")))
    log = GeneralLog(path)
    events = list(log)
    assert [event.argument for event in events] == [b"SELECT 1", evil, b"SELECT 2"]
    assert [event.line for event in events] == [1, 2, 5]
    assert [w for w in log.warnings if w.startswith("line 3: ") and "its time does not" in w]


def test_a_damaged_time_behind_a_whole_statement_is_an_error_at_its_line(tmp_path: Path) -> None:
    path = tmp_path / "general.log"
    good = b"2026-11-30T11:14:12.000001Z\t    7 Query\tSELECT 'a\nb'\n"
    path.write_bytes(good + good.replace(b"-11-", b"-13-") + good)
    with pytest.raises(LogFormatError, match="time does not exist") as caught:
        list(GeneralLog(path))
    assert caught.value.line == 3
    assert "copy it again" in caught.value.hint

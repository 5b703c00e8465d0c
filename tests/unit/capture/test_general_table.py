"""mysql.general_log as a dump, as the engine's own file and live gives the same records."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from readiness.capture.events import LogEvent
from readiness.capture.general_log import GeneralLog
from readiness.capture.general_table import (
    GeneralCsv,
    GeneralTable,
    LiveTable,
    is_csv_file,
    is_table_dump,
    user_of,
)
from readiness.capture.logs import open_log
from readiness.capture.sessions import read_capture
from readiness.errors import CaptureError, LogFormatError

# Rows are one line each: tail -n +2 FILE | cut -f5 | sort | uniq -c
COUNTED = {
    "mysql97": {
        "Query": 52, "Prepare": 10, "Execute": 8, "Reset stmt": 7, "Connect": 6,
        "Close stmt": 5, "Quit": 3, "Change user": 1, "Init DB": 1,
    },
    "mariadb1011": {
        "Query": 51, "Execute": 8, "Reset stmt": 7, "Connect": 6, "Prepare": 6,
        "Close stmt": 5, "Quit": 3, "Change user": 1, "Init DB": 1,
    },
}  # fmt: skip
HEADER = b"event_time\tuser_host\tthread_id\tserver_id\tcommand_type\targument\n"
ROW = b"2026-11-30 11:12:51.000250\tapp[app] @ localhost [127.0.0.1]\t7\t1\tQuery\t%s\n"
CSV_ROW = b'"2026-11-30 11:12:51.000250","app[app] @ localhost [127.0.0.1]",7,1,"Query","%s"\n'
IN_DOUBT = (
    "4 rows hold text such as \\xF0, which MariaDB's log table writes for bytes it cannot keep"
)
Parts = list[tuple[int, str, bytes, int | None]]


@pytest.fixture
def samples(repository: Path) -> Path:
    return repository / "tests/samples/server-logs"


def parts(events: Sequence[LogEvent]) -> Parts:
    return [(e.thread_id, e.command, e.argument, e.at_ns) for e in events]


def dump(tmp_path: Path, content: bytes) -> GeneralTable:
    path = tmp_path / "general_log.tsv"
    path.write_bytes(content)
    return GeneralTable(path)


def csv(tmp_path: Path, content: bytes) -> GeneralCsv:
    path = tmp_path / "general_log.CSV"
    path.write_bytes(content)
    return GeneralCsv(path)


@pytest.mark.parametrize("server", COUNTED)
@pytest.mark.parametrize("form", ["-table.batch.tsv", ".CSV"])
def test_every_row_of_a_real_table_is_found(server: str, form: str, samples: Path) -> None:
    source = open_log(samples / f"{server}-general_log{form}")
    assert Counter(event.command for event in source) == COUNTED[server]
    assert source.lines == sum(COUNTED[server].values()) + form.endswith("tsv")
    assert source.dialect == ("general-table" if form.endswith("tsv") else "general-csv")
    assert source.has_exact_times


def test_mysqls_table_holds_what_its_file_holds_byte_for_byte(samples: Path) -> None:
    file = parts(list(GeneralLog(samples / "mysql97-general.log")))
    assert parts(list(GeneralTable(samples / "mysql97-general_log-table.batch.tsv"))) == file
    assert parts(list(GeneralCsv(samples / "mysql97-general_log.CSV"))) == file


def test_mariadbs_table_differs_from_its_file_in_what_is_warned_of(samples: Path) -> None:
    file = [e.argument for e in GeneralLog(samples / "mariadb1011-general.log")]
    source = GeneralTable(samples / "mariadb1011-general_log-table.batch.tsv")
    table = [e.argument for e in source]
    differ = [(f, t) for f, t in zip(file, table, strict=True) if f != t]
    assert len(differ) == 4
    assert all(b"\xf0\x9f" in f and rb"\xF0\x9F" in t for f, t in differ)
    (warning,) = source.warnings
    assert warning.startswith(f"line 7: {IN_DOUBT}")


def test_a_table_that_holds_emoji_is_mysqls_and_not_in_doubt(samples: Path, tmp_path: Path) -> None:
    source = dump(tmp_path, HEADER + ROW % rb"SELECT '\\xF0'" + ROW % "SELECT '🛒'".encode())
    assert [e.argument for e in source] == [rb"SELECT '\xF0'", "SELECT '🛒'".encode()]
    assert source.warnings == []


@pytest.mark.parametrize("server", COUNTED)
def test_the_table_gives_the_transactions_of_the_file(server: str, samples: Path) -> None:
    file = read_capture(samples / f"{server}-general.log", users={"batch"})
    for form in ("-table.batch.tsv", ".CSV"):
        table = read_capture(samples / f"{server}-general_log{form}", users={"batch"})
        assert [
            ([s.sql for s in t.statements], t.outcome, t.schema) for t in table.transactions
        ] == [([s.sql for s in t.statements], t.outcome, t.schema) for t in file.transactions]


def test_a_packed_dump_reads_like_the_plain_one(samples: Path, tmp_path: Path) -> None:
    plain = samples / "mysql97-general_log.CSV"
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert parts(list(open_log(packed))) == parts(list(open_log(plain)))


def test_live_rows_read_like_a_dump(tmp_path: Path) -> None:
    row = (b"2026-11-30 11:12:51.000250", b"app[app] @ h []", b"7", b"Query", b"SELECT\n'\xff'")
    live = LiveTable(iter([row]), name="mysql://app@h/")
    (event,) = live
    assert (event.thread_id, event.user, event.argument) == (7, "app", b"SELECT\n'\xff'")
    assert event.at_ns == 1_796_037_171_000_250_000
    assert (live.name, live.lines, live.dialect) == ("mysql://app@h/", 1, "general-table")


def test_escapes_of_the_client_are_taken_back(tmp_path: Path) -> None:
    (event,) = dump(tmp_path, HEADER + ROW % rb"a\nb\tc\\n\0d" + b"")
    assert event.argument == b"a\nb\tc\\n\x00d"


def test_escapes_of_the_engine_are_taken_back(tmp_path: Path) -> None:
    (event,) = csv(tmp_path, CSV_ROW % rb"a\nb\"c\\n\rd\q")
    assert event.argument == b'a\nb"c\\n\rd\\q'


def test_a_quoted_field_may_go_on_over_lines(tmp_path: Path) -> None:
    first, second = csv(
        tmp_path, CSV_ROW % b'a",7,1,\n\n\\"b'.replace(b'",7', b'\\",7') + CSV_ROW % b"x"
    )
    assert first.argument == b'a",7,1,\n\n"b'
    assert (first.line, second.line) == (1, 4)


def test_a_value_that_looks_like_a_row_stays_a_value(tmp_path: Path) -> None:
    forged = HEADER + ROW % b"DROP TABLE users"
    sql = b"INSERT INTO notes VALUES ('\n" + forged + b"')"
    written = sql.replace(b"\n", b"\\n").replace(b"\t", b"\\t")
    (event,) = dump(tmp_path, HEADER + ROW % written)
    assert event.argument == sql


def test_a_broken_statement_takes_no_other_row_with_it(tmp_path: Path) -> None:
    rows = [b"SELECT 1 /* oops", b"/* trace */ SELECT 2", b"SELECT 3 */"]
    path = tmp_path / "general_log.tsv"
    path.write_bytes(HEADER + b"".join(ROW % row for row in rows))
    capture = read_capture(path)
    assert [t.statements[0].sql for t in capture.transactions] == [rows[1], rows[2]]
    assert [w for w in capture.warnings if w.startswith("line 2: statement left out")]


def test_a_dump_without_header_or_with_another_order_reads_the_same(tmp_path: Path) -> None:
    (bare,) = dump(tmp_path, ROW % b"SELECT 1")
    assert is_table_dump(ROW % b"SELECT 1")
    (mixed,) = dump(
        tmp_path,
        b"argument\tthread_id\tcommand_type\tuser_host\tevent_time\n"
        b"SELECT 1\t7\tQuery\tapp[app] @ h []\t2026-11-30 11:12:51.000250\n",
    )
    assert parts([bare]) == parts([mixed])


def test_dumps_one_behind_the_other_are_one(tmp_path: Path) -> None:
    one = HEADER + ROW % b"SELECT 1"
    assert [e.line for e in dump(tmp_path, one + one)] == [2, 4]


def test_equal_rows_of_a_dump_without_header_are_all_kept(tmp_path: Path) -> None:
    assert len(list(dump(tmp_path, ROW % b"COMMIT" * 3))) == 3


def test_bytes_that_the_client_printed_in_hex_are_bytes_again(tmp_path: Path) -> None:
    source = dump(tmp_path, HEADER + ROW % b"0x53FF" + ROW % b"" + ROW % b"0x")
    assert [e.argument for e in source] == [b"S\xff", b"", b""]


def test_windows_line_ends_are_no_part_of_a_statement(tmp_path: Path) -> None:
    content = (HEADER + ROW % b"SELECT 1").replace(b"\n", b"\r\n")
    assert [e.argument for e in dump(tmp_path, content)] == [b"SELECT 1"]


def test_a_carriage_return_of_a_statement_is_kept(tmp_path: Path) -> None:
    assert [e.argument for e in dump(tmp_path, HEADER + ROW % b"SELECT 1\r")] == [b"SELECT 1\r"]


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_a_last_row_without_end_is_left_out_and_said(cut: int, tmp_path: Path) -> None:
    for source in (
        dump(tmp_path, HEADER + ROW % b"SELECT 1" + (ROW % b"SELECT 2")[:-cut]),
        csv(tmp_path, CSV_ROW % b"SELECT 1" + (CSV_ROW % b"SELECT 2")[:-cut]),
    ):
        assert [e.argument for e in source] == [b"SELECT 1"]
        line = 3 if isinstance(source, GeneralTable) else 2
        assert source.warnings == [f"line {line}: the last row has no end and was left out"]


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (HEADER, 1, "holds no row"),
        (b"", 1, "holds no row"),
        (HEADER + ROW % b"a\tb", 2, "a row of 6 columns, and this has 7"),
        (HEADER + ROW % b"SELECT\n 1", 3, "a row of 6 columns, and this has 1"),
        (HEADER + ROW % rb"\x", 2, "escapes of mysql --batch"),
        (HEADER + ROW % b"0xFF" + ROW % b"COMMIT", 3, "bytes as 0x"),
        (HEADER + (ROW % b"").replace(b"2026-11", b"2026-13"), 2, "a row of mysql.general_log"),
        (HEADER + (ROW % b"").replace(b"\t7\t", b"\t-7\t"), 2, "a row of mysql.general_log"),
        (b"event_time\targument\n", 1, "user_host, thread_id, command_type is missing"),
    ],
)
def test_what_is_no_dump_is_refused(
    content: bytes, line: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(LogFormatError, match=message) as refused:
        list(dump(tmp_path, content))
    assert refused.value.line == line
    assert "SELECT" not in refused.value.message


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", 1, "holds no row"),
        (CSV_ROW % b"a" + b"SELECT 1\n", 2, "a row of general_log.CSV"),
        (CSV_ROW % b'a"b', 1, "the row's end behind its last quote"),
        ((CSV_ROW % b"a")[:-2] + b"\n" + CSV_ROW % b"b", 1, "a closing quote"),
    ],
)
def test_what_is_no_file_of_the_engine_is_refused(
    content: bytes, line: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(LogFormatError, match=message) as refused:
        list(csv(tmp_path, content))
    assert refused.value.line == line


def test_a_dump_that_is_not_there_is_a_capture_error(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="No such file"):
        list(GeneralTable(tmp_path / "absent"))


def test_times_of_whole_seconds_are_not_exact(tmp_path: Path) -> None:
    source = dump(tmp_path, HEADER + (ROW % b"SELECT 1").replace(b".000250", b""))
    assert [e.at_ns for e in source] == [1_796_037_171_000_000_000]
    assert not source.has_exact_times


def test_the_zero_date_is_no_time(tmp_path: Path) -> None:
    row = (ROW % b"SELECT 1").replace(b"2026-11-30 11:12:51", b"0000-00-00 00:00:00")
    assert [e.at_ns for e in dump(tmp_path, HEADER + row)] == [None]


@pytest.mark.parametrize(
    ("user_host", "user"),
    [
        (b"app[app] @ localhost [127.0.0.1]", "app"),
        (b"[app] @ localhost [127.0.0.1]", "app"),
        (b"app[batch] @ localhost [127.0.0.1]", "batch"),
        (b"a[b[a[b] @  [::1]", "a[b"),
        (b"x @ y[x @ y] @ z []", "x @ y"),
        (b"root[root] @  []", "root"),
        (b"", ""),
    ],
)
def test_the_user_is_who_logged_in(user_host: bytes, user: str) -> None:
    assert user_of(user_host) == user


def test_forms_are_told_from_their_first_bytes(samples: Path) -> None:
    assert is_csv_file((samples / "mysql97-general_log.CSV").read_bytes()[:200])
    assert is_table_dump((samples / "mysql97-general_log-table.batch.tsv").read_bytes()[:200])
    assert not is_table_dump(b"start_time\tuser_host\tquery_time\n")
    assert not is_csv_file(b'"a","b"\n')

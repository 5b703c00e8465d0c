"""The audit log of server_audit and of Aurora: every record, its statement as it was sent."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from readiness.capture import audit_log
from readiness.capture.audit_log import AuditLog
from readiness.capture.events import LogEvent
from readiness.capture.general_log import GeneralLog
from readiness.capture.logs import open_log
from readiness.capture.sessions import read_capture, read_source
from readiness.capture.sniff import AUDIT, sniff
from readiness.errors import LogFormatError
from readiness.model.transactions import Outcome

# awk -F, '{print $7}' mariadb1011-server_audit.log | sort | uniq -c; one statement is cut at 1024
COUNTED = {"Query": 82 - 1, "Connect": 6 + 1, "Quit": 7, "Change user": 1}
LINES = 97
CUT_LINE = 83  # grep -n SKU-0016
AT = 1_796_037_171_000_000  # 2026-11-30 11:12:51, microseconds


@pytest.fixture
def sample(repository: Path) -> Path:
    return repository / "tests/samples/server-logs/mariadb1011-server_audit.log"


def mariadb(operation: str, rest: bytes, *, query: int = 5, thread: int = 7) -> bytes:
    return b"20261130 11:12:51,db1,app,h,%d,%d,%s,%s\n" % (thread, query, operation.encode(), rest)


def aurora(at_us: int, rest: bytes, *, query: int = 5, operation: bytes = b"QUERY") -> bytes:
    return b"%d,db1,app,h,7,%d,%s,shop,%s,0\n" % (at_us, query, operation, rest)


def write(tmp_path: Path, *files: bytes) -> list[Path]:
    paths = [tmp_path / f"audit.log.{number}" for number in range(len(files))]
    for path, content in zip(paths, files, strict=True):
        path.write_bytes(content)
    return paths


def read(tmp_path: Path, *files: bytes) -> list[LogEvent]:
    return list(AuditLog(write(tmp_path, *files)))


def texts(events: list[LogEvent]) -> list[bytes]:
    return [event.argument for event in events]


def test_every_record_of_a_real_log_is_found(sample: Path) -> None:
    log = open_log(sample)
    events = list(log)
    assert Counter(event.command for event in events) == COUNTED
    assert (log.lines, log.dialect, log.has_exact_times) == (LINES, "audit", False)
    assert Counter(event.errno for event in events) == {0: 93, 1045: 1, 1064: 1, 1146: 1}


def test_statements_are_those_of_the_general_log_of_the_same_run(sample: Path) -> None:
    general = sample.with_name("mariadb1011-general.log")
    sent = {
        (e.thread_id, e.argument) for e in GeneralLog(general) if e.command in ("Query", "Execute")
    }
    audited = {(e.thread_id, e.argument) for e in AuditLog([sample]) if e.command == "Query"}
    lacking = sorted((thread, argument[:16]) for thread, argument in sent - audited)
    assert lacking == [
        (430, b"create user if n"),  # its password is masked
        (431, b"INSERT INTO cart"),  # one packet of three statements: stands as three
        (433, b"EXECUTE s1 USING"),  # stands as what it executed
        (433, b"INSERT INTO cart"),  # cut by the plugin
    ]
    threads = Counter(thread for thread, _ in audited - sent)
    assert threads[431] == 3
    assert threads.keys() == {428, 429, 430, 431, 435}  # sessions outside the general log's time


def test_the_statement_that_the_plugin_cut_is_left_out_and_said(sample: Path) -> None:
    log = AuditLog([sample])
    assert CUT_LINE not in [event.line for event in log]
    (said,) = [w for w in log.warnings if "server_audit_query_log_limit" in w]
    assert said.startswith(f"line {CUT_LINE}: 1 statement as long as the audit's limit")


def test_behind_a_change_of_user_statements_are_the_new_users(sample: Path) -> None:
    after = [e for e in AuditLog([sample]) if e.thread_id == 432 and e.line >= 58]
    assert {e.user for e in after} == {"batch"}
    assert after[0].argument == b"batch@localhost on mysql"


def test_sessions_and_transactions_come_out_as_from_the_general_log(sample: Path) -> None:
    general = read_capture(sample.with_name("mariadb1011-general.log"), users={"app"})
    audit = read_capture(sample, users={"app"})
    ended = [t.outcome for t in audit.transactions if len(t.statements) > 1]
    assert ended == [t.outcome for t in general.transactions if len(t.statements) > 1]
    assert {t.schema for t in audit.transactions if t.thread_id == 431} == {"checkout"}


def test_quotes_commas_newlines_and_bytes_are_kept(tmp_path: Path) -> None:
    sql = b"SELECT 'a,\\'0\n\t\r\b\f \xff\x00 \\\\'"
    written = (
        sql.replace(b"\\", b"\\\\").replace(b"'", b"\\'").replace(b"\n", b"\\n")
        .replace(b"\t", b"\\t").replace(b"\r", b"\\r").replace(b"\b", b"\\b").replace(b"\f", b"\\f")
    )  # fmt: skip
    (event,) = read(tmp_path, mariadb("QUERY", b"shop,'" + written + b"',1062"))
    assert event.argument == sql
    assert (event.schema, event.errno, event.user) == ("shop", 1062, "app")


def test_old_plugins_write_newlines_as_they_are(tmp_path: Path) -> None:
    first, second = read(
        tmp_path,
        mariadb("QUERY", b"shop,'SELECT\n1,\n\\'x\\'',0") + mariadb("QUERY", b"shop,'COMMIT',0"),
    )
    assert (first.argument, second.line) == (b"SELECT\n1,\n'x'", 4)


def test_a_value_that_looks_like_a_record_stays_a_value(tmp_path: Path) -> None:
    forged = mariadb("QUERY", b"shop,\\'DROP TABLE t\\',0")
    (event,) = read(tmp_path, mariadb("QUERY", b"shop,'SELECT \\'\n" + forged + b"\\'',0"))
    assert event.argument.count(b"DROP TABLE") == 1


def test_further_fields_behind_the_code_are_no_statement(tmp_path: Path) -> None:
    connect, query = read(
        tmp_path,
        mariadb("CONNECT", b"shop,,0,SSL/TLS") + mariadb("QUERY", b"shop,'SELECT 1',0,,"),
    )
    assert (connect.command, connect.argument) == ("Connect", b"app@h on shop")
    assert query.argument == b"SELECT 1"


def test_records_of_tables_keep_their_name_and_are_no_statements(tmp_path: Path) -> None:
    log = AuditLog(write(tmp_path, mariadb("READ", b"shop,users,") + mariadb("WRITE", b"shop,x,0")))
    assert [(e.command, e.argument) for e in log] == [("Read", b"users"), ("Write", b"x")]
    assert log.warnings == ["no record is a statement: server_audit_events must have QUERY"]


def test_a_refused_login_makes_no_session(tmp_path: Path) -> None:
    failed = mariadb("FAILED_CONNECT", b",,1045") + mariadb("DISCONNECT", b",,0")
    capture = read_source(
        AuditLog(write(tmp_path, failed + mariadb("QUERY", b"s,'DO 1',0", thread=8)))
    )
    assert {t.thread_id for t in capture.transactions} == {8}


def test_auroras_files_are_put_in_order_by_time_and_query_id(tmp_path: Path) -> None:
    log = AuditLog(
        write(
            tmp_path,
            aurora(AT + 40, b"'COMMIT'", query=4) + aurora(AT + 10, b"'BEGIN'", query=1),
            aurora(AT + 20, b"'SELECT 2'", query=3) + aurora(AT + 20, b"'SELECT 1'", query=2)
            + aurora(AT + 9, b"", query=0, operation=b"CONNECT"),
        )
    )  # fmt: skip
    capture = read_source(log)
    (transaction,) = capture.transactions
    assert [s.sql for s in transaction.statements] == [
        b"BEGIN",
        b"SELECT 1",
        b"SELECT 2",
        b"COMMIT",
    ]
    assert [s.gap_ns for s in transaction.statements][2:] == [0, 20_000]
    assert transaction.outcome is Outcome.COMMIT
    assert log.has_exact_times
    assert log.warnings == []


def test_what_is_too_far_from_its_place_is_said(
    tmp_path: Path,
) -> None:
    far = b"".join(aurora(AT + n, b"'DO 1'", query=n) for n in range(audit_log._HELD + 1))
    log = AuditLog(write(tmp_path, far + aurora(AT - 5, b"'DO 2'", query=0)))
    assert len(list(log)) == audit_log._HELD + 2
    assert log.warnings[0].startswith("1 record stand")


def test_lines_of_rotated_files_count_on(tmp_path: Path) -> None:
    one = mariadb("QUERY", b"shop,'SELECT 1',0") * 2
    assert [event.line for event in read(tmp_path, one, one)] == [1, 2, 3, 4]


@pytest.mark.parametrize("cut", [1, 3, 15, 30])
def test_a_last_record_without_end_is_left_out_and_said(cut: int, tmp_path: Path) -> None:
    whole = mariadb("QUERY", b"shop,'SELECT 1',0")
    log = AuditLog(write(tmp_path, whole + mariadb("QUERY", b"shop,'SELECT 2',0")[:-cut]))
    assert texts(list(log)) == [b"SELECT 1"]
    assert log.warnings == ["audit.log.0, line 2: the last record has no end and was left out"]


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", 1, "the audit log is empty"),
        (b"id,name\n", 1, "expected an audit record"),
        (mariadb("QUERY", b"shop,'SELECT 1',0") + b"garbage\n", 2, "expected an audit record"),
        (mariadb("QUERY", b"shop,'SELECT 1'x,0"), 1, "expected an audit record"),
        (mariadb("QUERY", b"s,'DO 1',0").replace(b"1130", b"1399"), 1, "time does not exist"),
    ],
)
def test_what_is_no_audit_log_is_refused(
    content: bytes, line: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(LogFormatError, match=message) as refused:
        read(tmp_path, content)
    assert refused.value.line == line
    assert "SELECT" not in refused.value.message


def test_a_longer_statement_shows_that_nothing_was_cut(tmp_path: Path) -> None:
    longer, same = b"x" * 2000, b"y" * 1024
    content = b"".join(mariadb("QUERY", b"s,'%s',0" % text) for text in (longer, same))
    assert texts(read(tmp_path, content)) == [longer, same]


def test_both_forms_are_told_from_their_first_bytes() -> None:
    path = Path("x")
    assert sniff(path, mariadb("CONNECT", b",,0")) == AUDIT
    assert sniff(path, aurora(AT, b"'SELECT 1'")) == AUDIT
    with pytest.raises(LogFormatError, match="of no known format"):
        sniff(path, b"20261130 11:12:51 SELECT 1\n")

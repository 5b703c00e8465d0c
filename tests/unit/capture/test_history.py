"""Statement history of performance_schema is counted and never replayed."""

from __future__ import annotations

from pathlib import Path

import pytest

from readiness.capture.history import History
from readiness.capture.logs import open_log
from readiness.capture.sessions import read_capture, read_source
from readiness.capture.sniff import HISTORY, SLOW_TABLE, sniff
from readiness.errors import CaptureError, LogFormatError

# tail -n +2 FILE | cut -f4, -f10, -f18 | sort | uniq -c: one row a line
STATEMENTS = 85
DIGESTS = {"mysql97": 42, "mariadb1011": 34}
KINDS = {"select": 13, "set_option": 11, "com/Execute": 7, "com/Prepare": 5, "commit": 3}
HEADER = b"thread_id\tevent_name\ttimer_start\tsql_text\tdigest\tmysql_errno\tnesting_event_type\n"
ROW = b"1\tstatement/sql/select\t%d\tSELECT 1\tab\t%d\t%s\n"


@pytest.fixture(params=["mysql97", "mariadb1011"])
def server(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def sample(server: str, repository: Path) -> Path:
    name = f"{server}-events_statements_history_long.batch.tsv"
    return repository / "tests/samples/server-logs" / name


def made(tmp_path: Path, content: bytes) -> History:
    path = tmp_path / "history.tsv"
    path.write_bytes(content)
    return History(path)


def test_a_real_history_is_counted(sample: Path, server: str) -> None:
    shape = History(sample).shape()
    assert (shape.statements, shape.nested, shape.sessions) == (STATEMENTS, 0, 3)
    assert {kind: shape.kinds[kind] for kind in KINDS} == KINDS
    assert sum(shape.kinds.values()) == STATEMENTS
    assert len(shape.digests) == DIGESTS[server]
    assert shape.errors == {"1064": 1, "1146": 1}
    assert shape.lines == STATEMENTS + 1


def test_the_counts_hold_no_text(sample: Path) -> None:
    assert "example.test" not in str(History(sample).shape().to_json())


def test_a_replay_is_refused_with_the_reason_and_the_way_out(sample: Path) -> None:
    source = open_log(sample)
    with pytest.raises(CaptureError, match="no values of prepared statements") as refused:
        read_source(source)
    assert "general log" in refused.value.hint
    assert refused.value.exit_code == 2
    with pytest.raises(CaptureError, match="nothing can be replayed"):
        read_capture(sample)


def test_statements_within_stored_programs_are_no_statements_of_clients(tmp_path: Path) -> None:
    rows = ROW % (1, 0, b"TRANSACTION") + ROW % (2, 0, b"STATEMENT")
    shape = made(tmp_path, HEADER + rows).shape()
    assert (shape.statements, shape.nested) == (1, 1)


def test_the_span_is_in_seconds(tmp_path: Path) -> None:
    rows = ROW % (3_000_000_000_000, 0, b"NULL") + ROW % (1_500_000_000_000, 0, b"NULL")
    assert made(tmp_path, HEADER + rows).shape().span_s == 1.5


def test_a_full_ring_is_said(tmp_path: Path) -> None:
    shape = made(tmp_path, HEADER + ROW % (1, 0, b"NULL") * 10_000).shape()
    assert shape.warnings == ("the table was full at 10,000 rows: older statements are gone",)


def test_an_empty_history_says_that_its_consumers_are_off(tmp_path: Path) -> None:
    with pytest.raises(LogFormatError, match="holds no row") as refused:
        made(tmp_path, HEADER).shape()
    assert "setup_consumers" in refused.value.hint


def test_a_dump_without_the_columns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LogFormatError, match="timer_start is missing"):
        made(tmp_path, HEADER.replace(b"timer_start", b"timer_end")).shape()


def test_the_form_is_told_from_its_first_bytes(sample: Path) -> None:
    assert sniff(sample, sample.read_bytes()[:500]) == HISTORY
    assert sniff(sample, b"start_time\tuser_host\tsql_text\n") == SLOW_TABLE

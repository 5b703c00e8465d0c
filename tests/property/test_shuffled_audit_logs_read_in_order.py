"""Aurora's audit files, whatever the order of their records, read as one log in order."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from readiness.capture.audit_log import AuditLog
from readiness.capture.events import LogEvent

_SECOND = 1_796_037_171_000_000  # microseconds
moments = st.lists(st.integers(0, 5), min_size=1, max_size=30)


def record(at: int, query_id: int) -> bytes:
    """Query ids grow with time; several records may have the same microsecond."""
    return b"%d,db,app,h,7,%d,QUERY,shop,'SELECT %d',0\n" % (_SECOND + at, query_id, query_id)


def read(files: list[list[bytes]]) -> list[LogEvent]:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"audit.log.{number}" for number in range(len(files))]
        for path, lines in zip(paths, files, strict=True):
            path.write_bytes(b"".join(lines))
        return list(AuditLog(paths))


@given(steps=moments, data=st.data())
def test_order_and_files_do_not_matter(steps: list[int], data: st.DataObject) -> None:
    times = [sum(steps[: n + 1]) for n in range(len(steps))]
    records = [record(at, number) for number, at in enumerate(times, start=1)]
    shuffled = data.draw(st.permutations(records))
    border = data.draw(st.integers(0, len(records)))
    files = [part for part in (shuffled[:border], shuffled[border:]) if part]
    events = read(files)
    assert [event.argument for event in events] == [
        b"SELECT %d" % number for number in range(1, len(records) + 1)
    ]
    assert [event.line for event in events] == list(range(1, len(records) + 1))
    assert [event.at_ns for event in events] == [(_SECOND + at) * 1000 for at in times]

"""parse ∘ render is the identity on dumps and files of log tables, and on audit logs."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readiness.capture.audit_log import AuditLog
from readiness.capture.batch_dump import batch_line
from readiness.capture.events import EventSource
from readiness.capture.general_table import COLUMNS, GeneralCsv, GeneralTable, LiveTable
from readiness.errors import LogFormatError

Records = list[tuple[int, str, bytes]]
Render = Callable[[Records], bytes]
Open = Callable[[Path], EventSource]

COMMANDS = ("Query", "Execute", "Prepare", "Connect", "Quit", "Init DB", "Close stmt")
AT = b"2026-11-30 11:12:51.%06d"
WHO = b"app[app] @ h []"

# bytes that mean something in one of the forms come often
telling = st.sampled_from(
    [b"\n", b"\t", b"\\", b"'", b'"', b",", b"\0", b"\r", b"\\n", b"'\n", b'",1']
)
argument = st.lists(telling | st.binary(max_size=8), max_size=12).map(b"".join)
records = st.lists(
    st.tuples(st.integers(0, 2**40), st.sampled_from(COMMANDS), argument), min_size=1, max_size=10
)
statements = st.lists(
    st.tuples(st.integers(0, 2**40), st.just("Query"), argument), min_size=1, max_size=10
)


def as_dump(written: Records) -> bytes:
    rows = [
        (AT % n, WHO, b"%d" % thread, b"1", command.encode(), text)
        for n, (thread, command, text) in enumerate(written)
    ]
    return b"".join(map(batch_line, [[name.encode() for name in COLUMNS], *rows]))


def as_engine(written: Records) -> bytes:
    """As ha_tina writes: quotes, backslashes, newlines and carriage returns escaped."""
    means = {b'"': b'\\"', b"\\": b"\\\\", b"\n": b"\\n", b"\r": b"\\r"}

    def quoted(text: bytes) -> bytes:
        return b'"%s"' % re.sub(rb'["\\\n\r]', lambda found: means[found[0]], text)

    return b"".join(
        b",".join([quoted(AT % n), quoted(WHO), b"%d,1" % thread, quoted(command.encode()), quoted(text)])
        + b"\n"
        for n, (thread, command, text) in enumerate(written)
    )  # fmt: skip


def as_audit(written: Records) -> bytes:
    means = {
        b"'": b"\\'", b"\\": b"\\\\", b"\n": b"\\n", b"\r": b"\\r", b"\t": b"\\t",
        b"\b": b"\\b", b"\f": b"\\f",
    }  # fmt: skip
    return b"".join(
        b"20261130 11:12:51,db,app,h,%d,%d,QUERY,shop,'%s',0\n"
        % (thread, n, re.sub(rb"['\\\n\r\t\x08\x0c]", lambda found: means[found[0]], text))
        for n, (thread, _, text) in enumerate(written)
    )


def as_old_audit(written: Records) -> bytes:
    """Plugins before 1.4 escape quotes and backslashes alone."""
    return b"".join(
        b"20261130 11:12:51,db,app,h,%d,%d,QUERY,shop,'%s',0\n"
        % (thread, n, text.replace(b"\\", b"\\\\").replace(b"'", b"\\'"))
        for n, (thread, _, text) in enumerate(written)
    )


def as_aurora(written: Records) -> bytes:
    return as_audit(written).replace(b"20261130 11:12:51,", b"1796037171000000,")


def audit(path: Path) -> EventSource:
    return AuditLog([path])


def read(open_source: Open, content: bytes) -> Records:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        path.write_bytes(content)
        return [(e.thread_id, e.command, e.argument) for e in open_source(path)]


@pytest.mark.parametrize(
    ("render", "open_source"), [(as_dump, GeneralTable), (as_engine, GeneralCsv)]
)
@given(written=records)
def test_rows_come_back_byte_for_byte(render: Render, open_source: Open, written: Records) -> None:
    assert read(open_source, render(written)) == written


@pytest.mark.parametrize("render", [as_audit, as_old_audit, as_aurora])
@given(written=statements)
def test_audited_statements_come_back_byte_for_byte(render: Render, written: Records) -> None:
    assert read(audit, render(written)) == written


@given(written=records)
def test_live_rows_are_what_a_dump_of_them_gives(written: Records) -> None:
    rows = [
        (AT % n, WHO, b"%d" % thread, command.encode(), text)
        for n, (thread, command, text) in enumerate(written)
    ]
    live = [(e.thread_id, e.command, e.argument) for e in LiveTable(rows, name="here")]
    assert live == read(GeneralTable, as_dump(written)) == written


@pytest.mark.parametrize(
    ("render", "open_source"),
    [(as_dump, GeneralTable), (as_engine, GeneralCsv), (as_audit, audit)],
)
@given(written=statements, data=st.data())
def test_a_cut_file_gives_all_whole_rows_and_nothing_else(
    render: Render, open_source: Open, written: Records, data: st.DataObject
) -> None:
    whole = render(written)
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    try:
        found = read(open_source, cut)
    except LogFormatError:  # nothing whole is left
        found = []
    whole_rows = cut.count(b"\n") - (render is as_dump)
    assert found == written[: max(whole_rows, 0)]

"""parse ∘ render is the identity on general logs of both servers."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readiness.capture.general_log import GeneralLog

COMMANDS = ("Query", "Execute", "Prepare", "Connect", "Quit", "Init DB", "Close stmt")
Records = list[tuple[int, str, bytes]]

# A later line that itself looks like a record is read as one: what it stands in tells (sessions).
plain_line = st.binary(max_size=30).map(lambda b: b"." + b.replace(b"\n", b""))
argument = st.builds(
    lambda first, rest: b"\n".join([first, *rest]),
    st.binary(max_size=60).map(lambda b: b.replace(b"\n", b"")),
    st.lists(plain_line | st.just(b""), max_size=4),
)
records = st.lists(
    st.tuples(st.integers(0, 2**31), st.sampled_from(COMMANDS), argument), min_size=1, max_size=12
)


def render_mysql(written: Records) -> bytes:
    lines = [
        b"2026-11-30T11:12:51.%06dZ\t%5d %s\t%s\n" % (n, thread, command.encode(), text)
        for n, (thread, command, text) in enumerate(written)
    ]
    return b"".join(lines)


def render_mariadb(written: Records) -> bytes:
    times = [b"261130 11:14:12\t", b"\t\t", b"\t\t"]
    lines = [
        b"%s%6d %s\t%s\n" % (times[n % 3], thread, command.encode(), text)
        for n, (thread, command, text) in enumerate(written)
    ]
    return b"".join(lines)


@pytest.mark.parametrize("render", [render_mysql, render_mariadb])
@given(written=records)
def test_records_come_back_byte_for_byte(render: object, written: Records) -> None:
    assert callable(render)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "general.log"
        path.write_bytes(render(written))
        assert [(e.thread_id, e.command, e.argument) for e in GeneralLog(path)] == written

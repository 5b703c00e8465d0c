"""A general log cut anywhere into files, or at its end, gives the same records."""

from __future__ import annotations

import gzip
import tempfile
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.capture.conftest import BANNER

from readiness.capture.general_log import GeneralLog
from readiness.errors import LogFormatError

Pieces = list[tuple[int, str, bytes]]

plain = st.binary(max_size=40).map(lambda b: b"." + b.replace(b"\n", b"\n."))
records = st.lists(
    st.tuples(st.integers(1, 10**7), st.sampled_from(["Query", "Execute", "Init DB"]), plain),
    min_size=1,
    max_size=8,
)


def render(written: Pieces, is_mysql: bool) -> list[bytes]:
    """Each record as its server writes it."""
    if is_mysql:
        head = b"2026-11-30T11:12:51.%06dZ\t%5d %s\t%s\n"
        return [head % (n, t, c.encode(), text) for n, (t, c, text) in enumerate(written)]
    times = [b"261130 11:14:12\t", *[b"\t\t"] * (len(written) - 1)]
    return [
        b"%s%6d %s\t%s\n" % (time, t, c.encode(), text)
        for time, (t, c, text) in zip(times, written, strict=True)
    ]


def read(folder: Path, parts: list[bytes], packed: list[bool]) -> Pieces:
    paths = []
    for number, (part, is_packed) in enumerate(zip(parts, packed, strict=True)):
        path = folder / f"general.log.{len(parts) - number}"
        path.write_bytes(gzip.compress(part) if is_packed else part)
        paths.append(path)
    return [(e.thread_id, e.command, e.argument) for e in GeneralLog(*paths)]


@given(data=st.data(), written=records, is_mysql=st.booleans())
@settings(deadline=None)
def test_files_cut_within_records_give_all(
    data: st.DataObject, written: Pieces, is_mysql: bool
) -> None:
    """Where a file happens to begin with a whole record header, nothing before it is lost either:
    the cut is then at a record's end."""
    chunks = render(written, is_mysql)
    whole = BANNER + b"".join(chunks)
    header = len(b"2026-11-30T11:12:51.000000Z\t") if is_mysql else 0
    inside = [
        end - 1 - offset
        for end, chunk in zip(_ends(chunks), chunks, strict=True)
        for offset in range(min(len(chunk) - header - 20, 12))
    ]
    cuts = sorted(data.draw(st.sets(st.sampled_from([*_ends(chunks), *inside]), max_size=4)))
    parts = [whole[a:b] for a, b in pairwise([0, *cuts, len(whole)])]
    packed = data.draw(st.lists(st.booleans(), min_size=len(parts), max_size=len(parts)))
    with tempfile.TemporaryDirectory() as folder:
        assert read(Path(folder), parts, packed) == written


@given(written=records, is_mysql=st.booleans(), cut=st.integers(0, 2000))
@settings(deadline=None)
def test_a_log_cut_at_its_end_gives_what_was_whole(
    written: Pieces, is_mysql: bool, cut: int
) -> None:
    chunks = render(written, is_mysql)
    kept = b"".join(chunks)[:cut]
    whole = sum(end <= len(kept) for end in _ends(chunks, banner=b""))
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = read(Path(folder), [kept], [False])
        except LogFormatError:
            assert whole <= 1
            return
    # a record cut at one of its own line ends cannot be told from a whole one
    assert found[:whole] == written[:whole] or found == written[: whole - 1]
    assert len(found) <= whole + 1


def _ends(chunks: list[bytes], *, banner: bytes = BANNER) -> list[int]:
    ends = [len(banner)]
    for chunk in chunks:
        ends.append(ends[-1] + len(chunk))
    return ends[1:]

"""Laws of the packet walk: a reply ends where it ends, wherever the network cut it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.wire import MORE_RESULTS, error, integer, ok, packet, result_set, row

from readiness.load.packets import ReplyReader, query_packet

rows = st.lists(
    st.lists(st.one_of(st.none(), st.binary(max_size=300)), min_size=1, max_size=4), max_size=5
)


@st.composite
def replies(draw: st.DrawFn) -> tuple[bytes, int, int, bool]:
    """(bytes, insert id, error code, deprecate_eof) of one reply of one to three results."""
    deprecate_eof = draw(st.booleans())
    parts, insert_id = [], 0
    for _ in range(draw(st.integers(0, 2))):
        if draw(st.booleans()):
            given_id = draw(st.integers(0, 2**40))
            parts.append(ok(given_id, status=MORE_RESULTS))
            insert_id = given_id or insert_id
        else:
            parts.append(_result_set(draw(rows), deprecate_eof, MORE_RESULTS))
    end = draw(st.sampled_from(["ok", "rows", "error"]))
    if end == "error":
        return b"".join([*parts, error(1213)]), insert_id, 1213, deprecate_eof
    last = ok(5) if end == "ok" else _result_set(draw(rows), deprecate_eof, 2)
    return b"".join([*parts, last]), 5 if end == "ok" else insert_id, 0, deprecate_eof


def _result_set(values: list[list[bytes | None]], deprecate_eof: bool, status: int) -> bytes:
    encoded = [row(*each) for each in values]
    columns = len(values[0]) if values else 3
    return result_set(encoded, columns=columns, deprecate_eof=deprecate_eof, status=status)


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


@given(replies())
def test_a_reply_cut_in_two_anywhere_ends_with_its_last_byte(
    reply: tuple[bytes, int, int, bool],
) -> None:
    data, insert_id, code, deprecate_eof = reply
    for cut in range(1, len(data)):
        reader = ReplyReader(deprecate_eof=deprecate_eof)
        assert not reader.feed(data[:cut])
        assert reader.feed(data[cut:])
        assert (reader.insert_id, reader.error_code, reader.excess) == (insert_id, code, 0)


@given(replies(), replies(), st.integers(1, 9))
def test_one_reader_walks_reply_after_reply(
    first: tuple[bytes, int, int, bool], second: tuple[bytes, int, int, bool], size: int
) -> None:
    reader = ReplyReader(deprecate_eof=first[3])
    for data, insert_id, code, deprecate_eof in (first, second):
        if deprecate_eof == first[3]:
            ends = [reader.feed(piece) for piece in pieces(data, size)]
            assert ends == [False] * (len(ends) - 1) + [True]
            assert (reader.insert_id, reader.error_code) == (insert_id, code)


@given(replies())
def test_a_reply_that_comes_at_once_says_what_it_says_byte_by_byte(
    reply: tuple[bytes, int, int, bool],
) -> None:
    data, insert_id, code, deprecate_eof = reply
    reader = ReplyReader(deprecate_eof=deprecate_eof)
    for _ in range(2):
        assert reader.feed(data)
        assert (reader.insert_id, reader.error_code, reader.excess) == (insert_id, code, 0)
    assert not reader.feed(data[:-1])
    assert reader.feed(data[-1:])


@given(st.binary(min_size=1, max_size=60), st.booleans())
def test_any_bytes_are_taken_as_they_are_byte_by_byte(data: bytes, deprecate_eof: bool) -> None:
    at_once = ReplyReader(deprecate_eof=deprecate_eof)
    slowly = ReplyReader(deprecate_eof=deprecate_eof)
    ended = next((n for n, byte in enumerate(data, 1) if slowly.feed(bytes([byte]))), 0)
    assert at_once.feed(data) == bool(ended)
    if ended:
        assert at_once.excess == len(data) - ended
        assert (at_once.insert_id, at_once.error_code) == (slowly.insert_id, slowly.error_code)


@pytest.mark.parametrize("deprecate_eof", [False, True])
@pytest.mark.parametrize("size", [0xFFFFFF - 5, 0xFFFFFF - 4, 0xFFFFFF, 0x1000400])
def test_rows_of_16_mib_and_more_are_skipped_exactly(size: int, deprecate_eof: bool) -> None:
    huge = row(b"\xfe" * size)
    data = result_set([huge, row(b"x"), huge], columns=1, deprecate_eof=deprecate_eof)
    reader = ReplyReader(deprecate_eof=deprecate_eof)
    ends = [reader.feed(piece) for piece in pieces(data, 65_536)]
    assert ends == [False] * (len(ends) - 1) + [True]


def test_bytes_after_the_end_are_told() -> None:
    reader = ReplyReader()
    assert reader.feed(ok() + error(1927))
    assert reader.excess == len(error(1927))


def test_an_ok_packet_that_looks_like_the_end_of_rows_does_not_end_rows() -> None:
    trap = row(b"\xfe\x00\x00\x02\x00")  # a row whose bytes hold an EOF packet
    data = result_set([trap] * 3, columns=1)
    assert not ReplyReader().feed(data[: -len(trap) - 9])


@given(st.binary(max_size=2000))
def test_a_query_packet_says_its_length(sql: bytes) -> None:
    assert query_packet(sql) == packet(b"\x03" + sql, sequence=0)


@pytest.mark.parametrize("length", [0xFFFFFF - 2, 0xFFFFFF - 1, 0xFFFFFF, 2 * 0xFFFFFF + 7])
def test_a_huge_query_is_split_as_the_protocol_says(length: int) -> None:
    data = query_packet(b"x" * length)
    sizes, at = [], 0
    while at < len(data):
        sizes.append(int.from_bytes(data[at : at + 3], "little"))
        at += 4 + sizes[-1]
    assert sum(sizes) == length + 1
    assert sizes[-1] < 0xFFFFFF
    assert all(size == 0xFFFFFF for size in sizes[:-1])


@given(st.integers(0, 2**63))
def test_insert_ids_of_any_width_are_read(insert_id: int) -> None:
    reader = ReplyReader()
    assert reader.feed(ok(insert_id, affected=len(integer(insert_id))))
    assert reader.insert_id == insert_id

"""Whatever sessions send, each server's log of it gives their transactions back."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.log_writers import QUIT, WRITERS, Sent

from readiness.capture.sessions import read_capture
from readiness.model.transactions import RawCapture

Unit = tuple[str, list[bytes]]  # outcome, statements

values = st.one_of(
    st.binary(max_size=12),
    st.sampled_from([b"", b";\n# Time: 261130", b"\n\n", b"*/", b"--", b"\xff\0", b"a;b", b"\\"]),
)
quotes = st.sampled_from([b"'", b'"'])


@st.composite
def literals(draw: st.DrawFn) -> bytes:
    quote = draw(quotes)
    return quote + draw(values).replace(b"\\", b"\\\\").replace(quote, quote * 2) + quote


@st.composite
def plain_statements(draw: st.DrawFn) -> bytes:
    form = draw(
        st.sampled_from(
            (
                b"SELECT %b",
                b"/* ; ' */ UPDATE t SET a = %b -- it's ;",
                b"insert into `t;` values (%b, 0x27)",
                b"SELECT @a, %b # '",
                b"WITH c AS (SELECT %b) DELETE FROM t",
                b"SHOW TABLES LIKE %b",
                b"SAVEPOINT a /* %b */",
            )
        )
    )
    literal = draw(literals())
    if b"*/" in literal and form.startswith(b"SAVEPOINT"):
        literal = b"x"
    return form.replace(b"%b", literal)


@st.composite
def units(draw: st.DrawFn) -> list[Unit]:
    """A piece of a session that leaves it as it was: the transactions it makes."""
    body = draw(st.lists(plain_statements(), min_size=1, max_size=3))
    end, sql = draw(st.sampled_from((("commit", b"COMMIT"), ("rollback", b"ROLLBACK"))))
    begin = draw(st.sampled_from((b"BEGIN", b"START TRANSACTION READ ONLY", b"begin work")))
    shapes: list[list[Unit]] = [
        [("autocommit", [statement]) for statement in body],
        [(end, [begin, *body, sql])],
        [("commit", [begin, *body]), ("autocommit", [b"TRUNCATE t"])],
        [("commit", [begin, *body]), (end, [begin, sql])],
        [("autocommit", [b"SET autocommit=0"]), (end, [b"SELECT 0", *body, sql]),
         ("commit", [b"UPDATE t SET a = 1", *body]), ("autocommit", [b"SET autocommit=1"])],
        [(end, [begin, *body, sql + b" AND CHAIN"]), (end, [*body, sql])],
        [(end, [b"XA START 'XID'", *body, b"XA END 'XID'", b"XA PREPARE 'XID'", b"XA " + sql + b" 'XID'"])],
    ]  # fmt: skip
    return draw(st.sampled_from(shapes))


@st.composite
def histories(draw: st.DrawFn) -> tuple[dict[int, list[Unit]], list[Sent]]:
    """What each connection's transactions are, and all their statements, interleaved."""
    expected: dict[int, list[Unit]] = {}
    queues: list[list[Sent]] = []
    for thread in range(7, 7 + draw(st.integers(1, 3))):
        pieces = draw(st.lists(units(), min_size=1, max_size=3))
        name = b"'%d'" % thread  # a server has no two XA transactions of one name
        mine = [
            (outcome, [sql.replace(b"'XID'", name) for sql in sqls])
            for piece in pieces
            for outcome, sqls in piece
        ]
        queue = [Sent(thread, sql) for _, sqls in mine for sql in sqls]
        if draw(st.booleans()):
            mine.append(("disconnect", [b"BEGIN", b"SELECT 1"]))
            queue += [Sent(thread, b"BEGIN"), Sent(thread, b"SELECT 1")]
        expected[thread] = mine
        queues.append([*queue, Sent(thread, b"", QUIT)])
    history = []
    while queues:
        at = draw(st.integers(0, len(queues) - 1))
        history.append(queues[at].pop(0))
        if not queues[at]:
            del queues[at]
    return expected, history


def read(text: bytes) -> RawCapture:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "server.log"
        path.write_bytes(text)
        return read_capture(path)


def by_thread(capture: RawCapture) -> dict[int, list[Unit]]:
    found: dict[int, list[Unit]] = {}
    for t in capture.transactions:
        found.setdefault(t.thread_id, []).append((t.outcome.value, [s.sql for s in t.statements]))
    return found


def as_shown(expected: dict[int, list[Unit]], dialect: str) -> dict[int, list[Unit]]:
    """MariaDB's slow log does not show who left."""
    if dialect != "slow-mariadb":
        return expected
    return {
        thread: [("open" if o == "disconnect" else o, sqls) for o, sqls in mine]
        for thread, mine in expected.items()
    }


@pytest.mark.parametrize("dialect", WRITERS)
@settings(max_examples=30)
@given(made=histories())
def test_each_connection_has_its_transactions(
    dialect: str, made: tuple[dict[int, list[Unit]], list[Sent]]
) -> None:
    expected, history = made
    capture = read(WRITERS[dialect](history))
    assert by_thread(capture) == as_shown(expected, dialect)


# Aurora writes several files at once, none in order: what a cut loses is not the last of it
@pytest.mark.parametrize("dialect", [d for d in WRITERS if d != "audit-aurora"])
@settings(max_examples=30)
@given(made=histories(), data=st.data())
def test_a_log_that_was_cut_off_has_the_first_of_what_was_sent(
    dialect: str, made: tuple[dict[int, list[Unit]], list[Sent]], data: st.DataObject
) -> None:
    _, history = made
    text = WRITERS[dialect](history)
    whole = len(WRITERS[dialect](history[:1]))
    cut = data.draw(st.integers(whole, len(text)))
    found = by_thread(read(text[:cut]))
    for thread in {s.thread for s in history}:
        sent = [s.sql for s in history if s.thread == thread and s.command == "Query"]
        kept = [sql for _, sqls in found.get(thread, []) for sql in sqls]
        assert kept == sent[: len(kept)]


@given(made=histories())
def test_transactions_stand_in_the_order_in_which_they_began(
    made: tuple[dict[int, list[Unit]], list[Sent]],
) -> None:
    lines = [t.statements[0].line for t in read(WRITERS["slow-mysql"](made[1])).transactions]
    assert lines == sorted(lines)

"""Whatever a session sends, its transactions hold each statement once, and end as the server's."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from readiness.capture.sessions import read_capture
from readiness.model.transactions import Outcome, RawTransaction

STATEMENTS = (
    b"BEGIN", b"START TRANSACTION", b"COMMIT", b"ROLLBACK", b"COMMIT AND CHAIN", b"SAVEPOINT a",
    b"ROLLBACK TO SAVEPOINT a", b"SET autocommit=0", b"SET autocommit=1", b"CREATE TABLE t (a INT)",
    b"SELECT 1", b"INSERT INTO t VALUES ('x')", b"/* c */ UPDATE t SET a = 1",
)  # fmt: skip
sent = st.lists(st.tuples(st.sampled_from((7, 8)), st.sampled_from(STATEMENTS)), min_size=1)


def transactions(statements: list[tuple[int, bytes]]) -> tuple[RawTransaction, ...]:
    logins = [b"\t\t%6d Connect\tapp@localhost on shop using TCP/IP\n" % n for n in (7, 8)]
    lines = [b"\t\t%6d Query\t%s\n" % pair for pair in statements]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "general.log"
        path.write_bytes(b"".join(logins + lines))
        return read_capture(path).transactions


@given(statements=sent)
def test_each_statement_is_in_one_transaction_in_its_order(
    statements: list[tuple[int, bytes]],
) -> None:
    found = transactions(statements)
    for thread in (7, 8):
        kept = [s.sql for t in found if t.thread_id == thread for s in t.statements]
        assert kept == [sql for sender, sql in statements if sender == thread]


@given(statements=sent)
def test_transactions_begin_in_the_order_of_the_log(statements: list[tuple[int, bytes]]) -> None:
    begins = [t.statements[0].line for t in transactions(statements)]
    assert begins == sorted(set(begins))


@given(statements=sent)
def test_only_its_last_statement_ends_a_transaction(statements: list[tuple[int, bytes]]) -> None:
    for transaction in transactions(statements):
        *inside, last = (s.sql for s in transaction.statements)
        assert not {b"COMMIT", b"ROLLBACK", b"COMMIT AND CHAIN"} & set(inside)
        assert (transaction.outcome is Outcome.ROLLBACK) == (last == b"ROLLBACK")

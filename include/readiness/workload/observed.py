"""A capture's slow log as a row of answers: which statement, how many rows, in which transaction.

Shapes are fingerprints and rows are counts: nothing here holds a captured value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from readiness.errors import WorkloadError
from readiness.model.transactions import Outcome, RawCapture, RawStatement, RawTransaction
from readiness.model.workload import StatementKind
from readiness.sql.kind import Control, statement_kind, transaction_control
from readiness.sql.lexer import LITERALS, lex
from readiness.sql.shape import fingerprint, shape

CONTROL = frozenset(
    {
        StatementKind.BEGIN,
        StatementKind.COMMIT,
        StatementKind.ROLLBACK,
        StatementKind.SAVEPOINT,
        StatementKind.SET,
    }
)
"""Statements that have no rows of their own: nothing is compared for them."""


@dataclass(frozen=True, slots=True)
class Heard:
    """One statement of a log: `sent` and `affected` are None where the log does not say them.

    `literals` tells how long its lists are; `transaction` counts from 1 over all connections."""

    shape: str
    kind: StatementKind
    transaction: int
    literals: int
    sent: int | None
    affected: int | None


@dataclass(frozen=True, slots=True)
class Observed:
    """One log of one run of the flow; `outcomes` is by transaction, from 1."""

    name: str
    statements: tuple[Heard, ...]
    outcomes: Mapping[int, Outcome]


def observed(capture: RawCapture, rows: Mapping[int, tuple[int, int | None]]) -> Observed:
    """The answers of one capture; `rows` are those of its log by line.

    Raises WorkloadError for a log that says no rows, SqlError for SQL that cannot be read."""
    if not rows:
        raise WorkloadError(
            f"{capture.source} does not say how many rows a statement sent: it is no slow log",
            hint="Write one beside the capture:  SET GLOBAL log_output='FILE', slow_query_log=1,"
            " long_query_time=0",
        )
    statements: list[Heard] = []
    outcomes: dict[int, Outcome] = {}
    for number, transaction in enumerate(capture.transactions, 1):
        outcomes[number] = transaction.outcome
        statements += [_heard(s, transaction, number, rows) for s in transaction.statements]
    return Observed(capture.source, tuple(statements), outcomes)


def literals_in(sql: bytes) -> int:
    """How many literals a statement has: longer lists have more."""
    return sum(token.kind in LITERALS for token in lex(sql))


def _heard(
    raw: RawStatement,
    transaction: RawTransaction,
    number: int,
    rows: Mapping[int, tuple[int, int | None]],
) -> Heard:
    modes = transaction.sql_mode.split(",")
    tokens = lex(
        raw.sql,
        ansi_quotes="ANSI_QUOTES" in modes,
        no_backslash_escapes="NO_BACKSLASH_ESCAPES" in modes,
    )
    kind = statement_kind(raw.sql, tokens)
    if transaction_control(raw.sql, tokens) is not Control.NONE and kind is StatementKind.OTHER:
        kind = StatementKind.SET
    # a failed statement changed nothing: its counts say nothing of the one that is replayed
    sent, affected = (None, None) if raw.errno else rows.get(raw.line, (None, None))
    return Heard(
        fingerprint(shape(raw.sql, tokens)),
        kind,
        number,
        sum(token.kind in LITERALS for token in tokens),
        sent,
        affected,
    )

"""A capture's slow log as a row of answers: which statement, how many rows, in which transaction.

Shapes are fingerprints and rows are counts: nothing here holds a captured value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from readiness.errors import WorkloadError
from readiness.model.boundary import values_end_here
from readiness.model.transactions import Outcome, RawCapture
from readiness.model.workload import StatementKind
from readiness.sql.lexer import LITERALS, Token, lex
from readiness.sql.shape import fingerprint
from readiness.workload.find.statements import Statement, flatten

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

    `literals` tells how long its lists are; `transaction` counts from 1, autocommit ones included."""

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


@values_end_here
def observed(capture: RawCapture, rows: Mapping[int, tuple[int, int | None]]) -> Observed:
    """The answers of one capture; `rows` are those of its log by line.

    Raises WorkloadError for a log that says no rows, SqlError for SQL that cannot be read."""
    if not rows:
        raise WorkloadError(
            f"{capture.source} does not say how many rows a statement sent: it is no slow log",
            hint="Write one beside the capture:  SET GLOBAL log_output='FILE', slow_query_log=1,"
            " long_query_time=0",
        )
    flow = flatten(capture)
    numbers = _transactions(flow.statements)
    heard = [_heard(s, n, rows) for s, n in zip(flow.statements, numbers, strict=True)]
    return Observed(capture.source, tuple(heard), dict(enumerate(flow.outcomes, 1)))


def literals_in(sql: bytes, tokens: Sequence[Token] | None = None) -> int:
    """How many literals a statement has: longer lists have more."""
    return sum(token.kind in LITERALS for token in (lex(sql) if tokens is None else tokens))


def _transactions(statements: Sequence[Statement]) -> list[int]:
    """From 1, autocommit statements are one each."""
    numbers: list[int] = []
    count = before = 0
    for statement in statements:
        count += not statement.transaction or statement.transaction != before
        before = statement.transaction
        numbers.append(count)
    return numbers


def _heard(
    statement: Statement, transaction: int, rows: Mapping[int, tuple[int, int | None]]
) -> Heard:
    sent, affected = rows.get(statement.line, (None, None))
    return Heard(
        fingerprint(statement.shape),
        statement.kind,
        transaction,
        literals_in(statement.sql, statement.tokens),
        sent,
        affected,
    )

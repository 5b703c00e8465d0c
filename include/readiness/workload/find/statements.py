"""A capture as one row of statements, in the order in which they are replayed.

Session set-up is left out: the load engine sets up its own sessions. Transactions that autocommit
= 0 opened get the BEGIN that keeps their extent, and open ends get their COMMIT or ROLLBACK."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from readiness.model.transactions import Outcome, Raw, RawCapture, RawStatement, RawTransaction
from readiness.model.workload import StatementKind
from readiness.sql.kind import Control, chains, leading_words, statement_kind, transaction_control
from readiness.sql.lexer import Token, TokenKind, lex
from readiness.sql.shape import shape
from readiness.workload.find.literals import Literal, literals_of


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Statement(Raw):
    """One statement of one capture. `transaction` counts from 1, 0 is autocommit; `pause_ms` is
    the captured gap before it, 0 where the log has none; `line` is its record's first in the log, 0
    for a BEGIN, COMMIT or ROLLBACK that the application never sent."""

    sql: bytes
    tokens: tuple[Token, ...]
    literals: tuple[Literal, ...]
    kind: StatementKind
    shape: bytes
    thread: int
    transaction: int
    pause_ms: float
    line: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Flow(Raw):
    """One capture, flattened; `outcomes` is by transaction in order, autocommit ones included."""

    statements: tuple[Statement, ...]
    outcomes: tuple[Outcome, ...]
    left_out: int
    sql_modes: frozenset[str]


def flatten(capture: RawCapture) -> Flow:
    """The statements of a capture without session set-up. Raises SqlError for broken SQL."""
    statements: list[Statement] = []
    outcomes: list[Outcome] = []
    working: set[int] = set()  # threads whose set-up is over
    chained: set[int] = set()
    number, left_out = 0, 0
    for transaction in capture.transactions:
        kept = _without_setup(transaction, working)
        left_out += len(transaction.statements) - len(kept)
        settings, kept = _leading_settings(kept)
        statements += settings
        outcomes += [Outcome.AUTOCOMMIT] * len(settings)
        if not kept:
            continue
        if transaction.outcome is not Outcome.AUTOCOMMIT:
            number += 1
            closed = _closed(transaction, kept, is_chained=transaction.thread_id in chained)
            kept = [replace(s, transaction=number) for s in closed]
        is_chain = chains(kept[-1].sql, kept[-1].tokens)
        (chained.add if is_chain else chained.discard)(transaction.thread_id)
        statements += kept
        outcomes.append(transaction.outcome)
    modes = frozenset(m for t in capture.transactions for m in t.sql_mode.split(",") if m)
    return Flow(tuple(statements), tuple(outcomes), left_out, modes)


def _statement(transaction: RawTransaction, raw: RawStatement) -> Statement:
    """Read as the session's sql_mode reads it; outside any transaction so far."""
    modes = transaction.sql_mode.split(",")
    plain = "NO_BACKSLASH_ESCAPES" in modes
    is_ansi = "ANSI_QUOTES" in modes or "ANSI" in modes
    tokens = lex(raw.sql, ansi_quotes=is_ansi, no_backslash_escapes=plain)
    return Statement(
        raw.sql,
        tuple(tokens),
        tuple(literals_of(raw.sql, tokens, no_backslash_escapes=plain)),
        statement_kind(raw.sql, tokens),
        shape(raw.sql, tokens),
        transaction.thread_id,
        0,
        raw.gap_ns / 1e6 if raw.gap_ns else 0.0,
        raw.line,
    )


def _control(statement: Statement) -> Control:
    return transaction_control(statement.sql, statement.tokens)


def _without_setup(transaction: RawTransaction, working: set[int]) -> list[Statement]:
    kept = []
    for raw in transaction.statements:
        statement = _statement(transaction, raw)
        if _is_setup(statement, is_first=transaction.thread_id not in working):
            continue
        if _control(statement) is Control.NONE and not _is_setting(statement):
            working.add(transaction.thread_id)
        kept.append(statement)
    only_control = all(_control(s) is not Control.NONE for s in kept)
    return [] if only_control and transaction.thread_id not in working else kept


def _is_setting(statement: Statement) -> bool:
    """A SET of the session, not of the application's own variables."""
    return statement.kind is StatementKind.SET and not _sets_own(statement.tokens)


def _leading_settings(kept: Sequence[Statement]) -> tuple[list[Statement], list[Statement]]:
    """Session settings before the first work: SET TRANSACTION fails inside a transaction."""
    at = 0
    while at < len(kept) and _is_setting(kept[at]):
        at += 1
    return list(kept[:at]), list(kept[at:])


def _closed(
    transaction: RawTransaction, kept: Sequence[Statement], *, is_chained: bool
) -> list[Statement]:
    """The transaction with an explicit begin and end."""
    closed = list(kept)
    if _control(closed[0]) is not Control.BEGIN and not is_chained:
        begin = replace(
            _statement(transaction, RawStatement(b"BEGIN", 0)), pause_ms=kept[0].pause_ms
        )
        closed[:1] = [begin, replace(kept[0], pause_ms=0.0)]
    if _control(closed[-1]) not in (Control.COMMIT, Control.ROLLBACK, Control.IMPLICIT_COMMIT):
        end = b"COMMIT" if transaction.outcome is Outcome.COMMIT else b"ROLLBACK"
        closed.append(_statement(transaction, RawStatement(end, 0)))
    return closed


def _is_setup(statement: Statement, *, is_first: bool) -> bool:
    """Session set-up: autocommit anywhere; before the first work also SET, SHOW, SELECT @@…, USE.

    An isolation level and the application's own user variables are work: they change what the
    statements after them do."""
    if _control(statement) in (Control.AUTOCOMMIT_ON, Control.AUTOCOMMIT_OFF):
        return True
    words = leading_words(statement.sql, statement.tokens)
    if not words:
        return True
    if words[0] == b"SET":
        is_isolation = b"ISOLATION" in words or b"TRANSACTION" in words[:3]
        is_names = words[1:2] == [b"NAMES"]
        return not is_isolation and (is_names or (is_first and not _sets_own(statement.tokens)))
    if not is_first:
        return False
    return words[0] in (b"SHOW", b"USE") or (words[0] == b"SELECT" and _asks_nothing(statement))


def _asks_nothing(statement: Statement) -> bool:
    """SELECT 1, SELECT @@version, SELECT DATABASE()."""
    return any(t.kind is TokenKind.SYSTEM_VARIABLE for t in statement.tokens) or not any(
        t.kind is TokenKind.WORD and statement.sql[t.start : t.end].upper() == b"FROM"
        for t in statement.tokens
    )


def _sets_own(tokens: Sequence[Token]) -> bool:
    """`SET @x = …`: the first thing assigned is a user variable."""
    work = [t for t in tokens if t.kind not in (TokenKind.COMMENT, TokenKind.HINT)]
    return len(work) > 1 and work[1].kind is TokenKind.USER_VARIABLE

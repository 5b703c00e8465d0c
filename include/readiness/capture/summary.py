"""What a capture holds, in numbers and names that are safe to show: no SQL, no values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from readiness.capture.sql_mode import ANSI_QUOTES, NO_BACKSLASH_ESCAPES
from readiness.errors import SqlError
from readiness.model.transactions import RawCapture, RawTransaction
from readiness.model.workload import StatementKind
from readiness.sql.kind import statement_kind
from readiness.sql.lexer import lex


@dataclass(frozen=True, slots=True)
class CaptureSummary:
    """`lines`, `events`, `commands` and `users` count the whole log: records by command,
    statements by user. The rest counts what was kept. Times are the server's clock, ISO."""

    source: str
    dialect: str
    lines: int
    events: int
    commands: dict[str, int]
    users: dict[str, int]
    sessions: int
    transactions: int
    outcomes: dict[str, int]
    statements: int
    kinds: dict[str, int]
    began_at: str
    ended_at: str
    warnings: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """Plain values, for --json."""
        return {name: _plain(getattr(self, name)) for name in self.__slots__}


def summarize(capture: RawCapture) -> CaptureSummary:
    """Counts a capture; the largest counts first."""
    transactions = capture.transactions
    return CaptureSummary(
        source=capture.source,
        dialect=capture.dialect,
        lines=capture.lines,
        events=capture.events,
        commands=_largest_first(dict(capture.commands)),
        users=_largest_first(dict(capture.users)),
        sessions=capture.sessions,
        transactions=len(transactions),
        outcomes=_largest_first(Counter(t.outcome.value for t in transactions)),
        statements=sum(len(t.statements) for t in transactions),
        kinds=_largest_first(Counter(_kinds(transactions))),
        began_at=capture.began_at,
        ended_at=capture.ended_at,
        warnings=capture.warnings,
    )


def _kinds(transactions: Iterable[RawTransaction]) -> Iterable[str]:
    for transaction in transactions:
        modes = transaction.sql_mode.split(",")
        for statement in transaction.statements:
            try:
                tokens = lex(
                    statement.sql,
                    ansi_quotes=ANSI_QUOTES in modes,
                    no_backslash_escapes=NO_BACKSLASH_ESCAPES in modes,
                )
            except SqlError:  # the mode changed within the transaction
                yield StatementKind.OTHER.value
            else:
                yield statement_kind(statement.sql, tokens).value


def _largest_first(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value

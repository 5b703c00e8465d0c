"""What a server log holds, in raw form: production's SQL, so it redacts itself.

Raw types have no codec in `artifacts`, refuse to pickle, and show counts instead of text.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NoReturn


class Raw:
    """Mixin of every type that holds captured values: no text in `repr`, no pickle."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: captured values, not shown>"

    __str__ = __repr__

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{type(self).__name__} holds captured values and is never pickled")


class Outcome(StrEnum):
    """How a transaction ended."""

    COMMIT = "commit"
    ROLLBACK = "rollback"
    AUTOCOMMIT = "autocommit"
    DISCONNECT = "disconnect"
    OPEN = "open"


# Freezing makes each of these five times as slow to make, and a log has millions of them: they are
# left as they are by agreement.
@dataclass(slots=True, repr=False)
class RawStatement(Raw):
    """One statement as the server logged it; `gap_ns` is the application's time since the statement
    before on the same connection: from its end where the log has latencies, else from its begin
    (None where the log has no finer clock than a second).

    `schema` is the default one it ran in, "" while the log has not said it. `latency_ns` is None
    where the log has none; `errno` is not 0 for a statement that failed."""

    sql: bytes
    line: int
    gap_ns: int | None = None
    schema: str = ""
    latency_ns: int | None = None
    errno: int = 0


@dataclass(slots=True, repr=False)
class RawTransaction(Raw):
    """What one session did between begin and end, in log order, control statements included:
    BEGIN, SAVEPOINT, COMMIT, ROLLBACK are statements. `schema` is the session's at its end.
    `sql_mode` is the session's, upper case, with all modes where it changes within the transaction.
    `began_ns` is when its first statement began, from the epoch as the server's clock showed it;
    None where the log has no time."""

    thread_id: int
    user: str
    schema: str
    statements: tuple[RawStatement, ...]
    outcome: Outcome
    sql_mode: str = ""
    began_ns: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class RawCapture(Raw):
    """One log: its transactions in the order they began, and what the reader noticed.

    `lines`, `events`, `commands` and `users` count the whole log, kept or not: records by
    command, statements by user ("" where the log began later than the session). Times are ISO,
    as the server's clock showed them, "" where the log has none."""

    source: str
    dialect: str
    transactions: tuple[RawTransaction, ...]
    lines: int = 0
    events: int = 0
    sessions: int = 0
    warnings: tuple[str, ...] = ()
    commands: tuple[tuple[str, int], ...] = ()
    users: tuple[tuple[str, int], ...] = ()
    began_at: str = ""
    ended_at: str = ""

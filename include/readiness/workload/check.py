"""Runs checkouts one after the other through plain sessions: does the workload fit the target?

Each failed checkout ends at its first error and is rolled back by closing its connections. Nothing
is retried; the report counts errors by statement and error code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from readiness.errors import StatementFailed
from readiness.ports import CheckoutFlow, Reply, ScriptSession

SessionFactory = Callable[[], ScriptSession]


@dataclass(frozen=True, slots=True)
class Rows:
    """The fewest and most rows that one statement sent and affected over all checkouts."""

    sent: tuple[int, int]
    affected: tuple[int, int]


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What N checkouts did. `errors` and `warnings` count (statement_id, MySQL code)."""

    checkouts: int
    failed: int
    statements: int
    errors: Mapping[tuple[str, int], int]
    warnings: Mapping[tuple[str, int], int]
    rows: Mapping[str, Rows]

    @property
    def is_clean(self) -> bool:
        """Every checkout ended without an error."""
        return self.failed == 0

    def errors_text(self) -> str:
        """The errors in words: `s017 with error 1062 (3 times)`."""
        return ", ".join(
            f"{statement_id} with error {code} ({count} times)"
            for (statement_id, code), count in sorted(self.errors.items())
        )

    def to_json(self) -> dict[str, object]:
        """Plain values, for --json."""
        return {
            "checkouts": self.checkouts,
            "failed": self.failed,
            "statements": self.statements,
            "errors": _counted(self.errors),
            "warnings": _counted(self.warnings),
            "rows": {
                name: {"sent": list(rows.sent), "affected": list(rows.affected)}
                for name, rows in self.rows.items()
            },
        }

    def to_text(self) -> str:
        """One line, and one more for what went wrong."""
        line = f"{self.checkouts} checkouts, {self.statements:,} statements, {self.failed} failed"
        return f"{line}\n  {self.errors_text()}" if self.errors else line


def _counted(counts: Mapping[tuple[str, int], int]) -> list[dict[str, object]]:
    return [
        {"statement_id": statement_id, "code": code, "count": count}
        for (statement_id, code), count in sorted(counts.items())
    ]


class _Tally:
    def __init__(self) -> None:
        self.errors: Counter[tuple[str, int]] = Counter()
        self.warnings: Counter[tuple[str, int]] = Counter()
        self.rows: dict[str, Rows] = {}
        self.statements = 0

    def add(self, statement_id: str, reply: Reply) -> None:
        """Counts one answered statement."""
        self.statements += 1
        self.warnings.update((statement_id, code) for code in reply.warnings)
        old = self.rows.get(statement_id)
        sent, affected = reply.rows, reply.affected_rows
        self.rows[statement_id] = Rows(
            (min(sent, old.sent[0]), max(sent, old.sent[1])) if old else (sent, sent),
            (min(affected, old.affected[0]), max(affected, old.affected[1]))
            if old
            else (affected, affected),
        )


def check(
    flow: CheckoutFlow, session_factory: SessionFactory, *, checkouts: int, first_number: int = 0
) -> CheckReport:
    """Runs `checkouts` checkouts with the numbers from `first_number` on.

    Raises TargetUnavailable when the target goes away; a statement's error is only counted."""
    tally = _Tally()
    sessions: dict[int, ScriptSession] = {}
    failed = 0
    try:
        for number in range(first_number, first_number + checkouts):
            if not _checkout(flow, number, sessions, session_factory, tally):
                failed += 1
                _close(sessions)
    finally:
        _close(sessions)
    return CheckReport(
        checkouts, failed, tally.statements, dict(tally.errors), dict(tally.warnings), tally.rows
    )


def _checkout(
    flow: CheckoutFlow,
    number: int,
    sessions: dict[int, ScriptSession],
    session_factory: SessionFactory,
    tally: _Tally,
) -> bool:
    """One checkout; False when a statement failed."""
    values = flow.new_values(number)
    for step, statement_id in enumerate(flow.statement_ids):
        connection = flow.connections[step]
        if connection not in sessions:
            sessions[connection] = session_factory()
        try:
            reply = sessions[connection].run(flow.render(step, values))
        except StatementFailed as error:
            tally.errors[statement_id, error.code] += 1
            return False
        tally.add(statement_id, reply)
        if flow.binds[step]:
            flow.bind(step, values, reply.insert_id)
    return True


def _close(sessions: dict[int, ScriptSession]) -> None:
    for session in sessions.values():
        session.close()
    sessions.clear()

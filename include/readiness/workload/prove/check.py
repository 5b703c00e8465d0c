"""Runs checkouts one after the other through plain sessions: does the workload fit the target?

Each failed checkout ends at its first error and is rolled back by closing its connections. Nothing
is retried; the report counts errors and warnings by statement and code. Deadlocks and lock waits are
counted and fail nothing by themselves: somebody else held the row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from readiness.errors import StatementFailed
from readiness.model.workload import Workload
from readiness.ports import CheckoutFlow, Reply, ScriptSession
from readiness.workload.prove.baskets import BasketReader
from readiness.workload.prove.comparing import Run
from readiness.workload.prove.drift import Drift
from readiness.workload.prove.fidelity import LEAST_FIDELITY, Fidelity
from readiness.workload.prove.observed import literals_in

SessionFactory = Callable[[], ScriptSession]
LOCKED = frozenset({1205, 1213})
"""Lock wait timeout, deadlock."""
WRONG_VALUES = frozenset({1062, 1265, 1292, 1452})
"""Duplicate key, truncated data, wrong value, no parent row: a variable is not what it was taken for.
They fail a check as warnings, too (INSERT IGNORE makes warnings of them)."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The fewest and most rows that one statement sent and affected over all checkouts."""

    sent: tuple[int, int]
    affected: tuple[int, int]


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What N checkouts did. `errors` and `warnings` count (statement_id, MySQL code); `failed`
    checkouts ended at an error, `locked` of them at a deadlock or lock wait.

    `fidelity` is None where no slow log was given, `drift` where the target was not looked at."""

    checkouts: int
    failed: int
    statements: int
    errors: Mapping[tuple[str, int], int]
    warnings: Mapping[tuple[str, int], int]
    rows: Mapping[str, Rows]
    fidelity: Fidelity | None = None
    drift: Drift | None = None
    least_fidelity: float = LEAST_FIDELITY
    is_strict: bool = False

    @property
    def locked(self) -> int:
        """Checkouts that ended at a deadlock or lock wait."""
        return sum(count for (_, code), count in self.errors.items() if code in LOCKED)

    @property
    def is_clean(self) -> bool:
        """Nothing fails the check; see `failures`."""
        return not self.failures()

    def failures(self) -> list[str]:
        """Why the check failed, in words; [] where it did not."""
        found = []
        if self.failed > self.locked:
            found.append(f"{self.failed - self.locked} of {self.checkouts} checkouts failed")
        elif self.checkouts and self.failed == self.checkouts:
            found.append("no checkout came to its end")
        if wrong := {k: n for k, n in self.warnings.items() if k[1] in WRONG_VALUES}:
            found.append(f"warnings of wrong values: {_in_words(wrong, 'warning')}")
        fidelity = self.fidelity
        if fidelity and not fidelity.compared:
            found.append("no statement could be compared with a slow log")
        elif fidelity and not fidelity.is_of_this_flow:
            found.append(
                f"the slow logs have only {fidelity.heard} of"
                f" {fidelity.heard + len(fidelity.unheard)} statements of this flow: give whole ones"
            )
        elif fidelity and fidelity.ratio < self.least_fidelity:
            found.append(f"fidelity {fidelity.ratio:.1%} is below {self.least_fidelity:.1%}")
        return found + (self._drifted() if self.is_strict else [])

    def _drifted(self) -> list[str]:
        """With --strict, what otherwise only warns."""
        found = ["statements or tables changed since capture"] if self.drift else []
        fidelity = self.fidelity
        if fidelity and (fidelity.unheard or fidelity.added):
            found.append("the slow log has other statements than the workload")
        if fidelity and fidelity.replayed and not fidelity.is_same_course:
            found.append("transactions are not as captured")
        return found

    def errors_text(self) -> str:
        """The errors in words: `s017 with error 1062 (3 times)`."""
        return _in_words(self.errors, "error")

    def to_json(self) -> dict[str, object]:
        """Plain values, for --json."""
        return {
            "checkouts": self.checkouts,
            "failed": self.failed,
            "locked": self.locked,
            "statements": self.statements,
            "errors": _counted(self.errors),
            "warnings": _counted(self.warnings),
            "rows": {
                name: {"sent": list(rows.sent), "affected": list(rows.affected)}
                for name, rows in self.rows.items()
            },
            "fidelity": self.fidelity.to_json() if self.fidelity else None,
            "drift": self.drift.to_json() if self.drift is not None else None,
            "failures": self.failures(),
        }

    def to_text(self) -> str:
        """What happened, what differs, and last why it failed; no value, no SQL."""
        lines = [
            f"{self.checkouts} checkouts, {self.statements:,} statements, {self.failed} failed"
        ]
        if self.errors:
            lines.append(f"  {self.errors_text()}")
        if self.warnings:
            lines.append(f"  {_in_words(self.warnings, 'warning')}")
        if self.fidelity:
            lines += self.fidelity.lines()
        if self.drift:
            lines.append(f"! {self.drift.to_text()}")
        lines += [f"failed: {why}" for why in self.failures()]
        return "\n".join(lines)


def _in_words(counts: Mapping[tuple[str, int], int], what: str) -> str:
    return ", ".join(
        f"{statement_id} with {what} {code} ({count} time{'s' * (count != 1)})"
        for (statement_id, code), count in sorted(counts.items())
    )


def _counted(counts: Mapping[tuple[str, int], int]) -> list[dict[str, object]]:
    return [
        {"statement_id": statement_id, "code": code, "count": count}
        for (statement_id, code), count in sorted(counts.items())
    ]


class Replay:
    """Checkouts as they are run. With a workload, `runs` keeps what each that ended well did."""

    def __init__(
        self, flow: CheckoutFlow, open_one: SessionFactory, workload: Workload | None = None
    ) -> None:
        self.runs: list[Run] = []
        self._flow = flow
        self._open_one = open_one
        self._baskets = BasketReader(workload) if workload else None
        self._listed = self._baskets.listed if self._baskets else frozenset[int]()
        self._sessions: dict[int, ScriptSession] = {}
        self._errors: Counter[tuple[str, int]] = Counter()
        self._warnings: Counter[tuple[str, int]] = Counter()
        self._rows: dict[str, Rows] = {}
        self._statements = 0

    def run(self, *, checkouts: int, first_number: int = 0) -> CheckReport:
        """Runs `checkouts` checkouts with the numbers from `first_number` on.

        Raises TargetUnavailable when the target goes away; a statement's error is only counted."""
        failed = 0
        try:
            for number in range(first_number, first_number + checkouts):
                if not self._checkout(number):
                    failed += 1
                    self._close()
        finally:
            self._close()
        counted = (self._statements, dict(self._errors), dict(self._warnings), self._rows)
        return CheckReport(checkouts, failed, *counted)

    def _checkout(self, number: int) -> bool:
        """One checkout; False when a statement failed."""
        flow = self._flow
        values = flow.new_values(number)
        rows: dict[int, tuple[int, int]] = {}
        literals: dict[int, int] = {}
        step = self._next(0, values)
        while step < len(flow.statement_ids):
            sql = flow.render(step, values)
            try:
                reply = self._session(flow.connections[step]).run(sql)
            except StatementFailed as error:
                self._errors[flow.statement_ids[step], error.code] += 1
                return False
            self._add(flow.statement_ids[step], reply)
            if flow.binds[step]:
                flow.bind(step, values, reply.insert_id)
            rows[step] = reply.rows, reply.affected_rows
            literals[step] = literals_in(sql) if step in self._listed else -1
            step = self._next(step + 1, values)
        if self._baskets:
            self.runs.append(Run(self._baskets.basket(literals), rows))
        return True

    def _next(self, step: int, values: list[bytes]) -> int:
        """The first step from this one on that the checkout runs."""
        may_skip = self._flow.may_skip
        is_asked = step < len(may_skip) and may_skip[step]
        return self._flow.following(step, values) if is_asked else step

    def _session(self, connection: int) -> ScriptSession:
        if connection not in self._sessions:
            self._sessions[connection] = self._open_one()
        return self._sessions[connection]

    def _add(self, statement_id: str, reply: Reply) -> None:
        """Counts one answered statement."""
        self._statements += 1
        self._warnings.update((statement_id, code) for code in reply.warnings)
        old = self._rows.get(statement_id)
        sent, affected = reply.rows, reply.affected_rows
        self._rows[statement_id] = Rows(
            (min(sent, old.sent[0]), max(sent, old.sent[1])) if old else (sent, sent),
            (min(affected, old.affected[0]), max(affected, old.affected[1]))
            if old
            else (affected, affected),
        )

    def _close(self) -> None:
        for session in self._sessions.values():
            session.close()
        self._sessions.clear()

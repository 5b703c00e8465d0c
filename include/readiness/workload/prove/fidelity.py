"""Fidelity: do the statements of a replay find and change as many rows as those of the capture did?

It is the proof that values were taken for what they are: a SELECT that finds nothing does not fail,
it only makes a load that is no longer the application's. `comparing.py` finds it."""

from __future__ import annotations

from dataclasses import dataclass

from readiness.workload.prove.drift import listed

LEAST_FIDELITY = 0.97


@dataclass(frozen=True, slots=True, order=True)
class Course:
    """What one run of the flow did, in counts; statements are those of work, without control."""

    transactions: int
    statements: int
    commits: int
    rollbacks: int

    def to_text(self) -> str:
        """In words."""
        each = self.statements / max(self.transactions, 1)
        return (
            f"{self.transactions} transactions, {each:.1f} statements in each,"
            f" {self.commits} commits, {self.rollbacks} rollbacks"
        )

    def to_json(self) -> dict[str, object]:
        """Plain values, for --json."""
        return {
            "transactions": self.transactions,
            "statements": self.statements,
            "commits": self.commits,
            "rollbacks": self.rollbacks,
        }


@dataclass(frozen=True, slots=True)
class Difference:
    """A statement whose rows are not the captured ones in `times` of `of` runs. The row counts of
    both sides are ascending, each once; `look_at` names the class of variable, and which."""

    statement_id: str
    captured: tuple[int, ...]
    replayed: tuple[int, ...]
    times: int
    of: int
    look_at: str


@dataclass(frozen=True, slots=True)
class Fidelity:
    """`equal` of `compared` replayed statements had the rows of the capture.

    Not compared are statements that no log has (`unheard`), whose rows no log says (`silent`), and
    `other_baskets` runs with a basket that no log has. `heard` counts the statements of work that some
    log has: together with the `unheard`, all that a log of the flow should have. `added` are the shapes of statements inside
    the flow that the workload lacks; `oftener` counts those it has, but not as often. `captured` and
    `replayed` are the courses of both sides, each once."""

    logs: int
    equal: int
    compared: int
    differences: tuple[Difference, ...] = ()
    unheard: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    other_baskets: int = 0
    added: tuple[str, ...] = ()
    oftener: int = 0
    captured: tuple[Course, ...] = ()
    replayed: tuple[Course, ...] = ()
    heard: int = 0

    @property
    def is_of_this_flow(self) -> bool:
        """Whether the logs have at least half of the workload's statements. A log of other work may
        share a few, and their rows prove nothing of the rest."""
        return self.heard >= len(self.unheard)

    @property
    def ratio(self) -> float:
        """equal ÷ compared; 0 where nothing could be compared."""
        return self.equal / self.compared if self.compared else 0.0

    @property
    def is_same_course(self) -> bool:
        """Whether transactions, commits and rollbacks are those of a captured run."""
        return set(self.replayed) <= set(self.captured)

    def to_json(self) -> dict[str, object]:
        """Plain values, for --json."""
        return {
            "ratio": self.ratio,
            "equal": self.equal,
            "compared": self.compared,
            "slow_logs": self.logs,
            "differences": [_json_of(d) for d in self.differences],
            "in_log": self.heard,
            "not_in_log": list(self.unheard),
            "rows_unknown": list(self.silent),
            "runs_with_other_baskets": self.other_baskets,
            "new_in_log": list(self.added),
            "more_often_in_log": self.oftener,
            "captured": [c.to_json() for c in self.captured],
            "replayed": [c.to_json() for c in self.replayed],
        }

    def lines(self) -> list[str]:
        """For people; no value, no SQL."""
        logs = f"{self.logs} slow log{'s' * (self.logs != 1)}"
        said = [
            f"fidelity {self.ratio:.1%}: {self.equal:,} of {self.compared:,} statements had the rows"
            f" of the capture ({logs})"
        ]
        said += [_line(d) for d in self.differences]
        return said + self._not_compared() + self._course()

    def _not_compared(self) -> list[str]:
        said = []
        if self.silent:
            said.append(
                f"  not compared: {len(self.silent)} writes, whose rows the slow log does not say"
                " (MariaDB's and Percona's do)"
            )
        if self.other_baskets:
            said.append(
                f"  not compared: {self.other_baskets} checkouts with a basket that no slow log has, or"
                " with counts that no capture had together; give the slow log of each capture"
            )
        if self.unheard:
            said.append(f"  in no slow log any more: {listed(self.unheard)}")
        if self.added:
            said.append(
                f"  new inside the flow: {len(self.added)} statements, shapes {listed(self.added)}"
            )
        if self.oftener:
            said.append(f"  {self.oftener} statements come more often than in any capture")
        return said

    def _course(self) -> list[str]:
        if not self.replayed:
            return []
        if self.is_same_course:
            return [f"  {self.replayed[-1].to_text()}: as captured"]
        return [
            f"  ! replayed {self.replayed[-1].to_text()}",
            f"  ! captured {self.captured[-1].to_text()}",
        ]


def _json_of(difference: Difference) -> dict[str, object]:
    return {
        "statement_id": difference.statement_id,
        "captured": list(difference.captured),
        "replayed": list(difference.replayed),
        "times": difference.times,
        "of": difference.of,
        "look_at": difference.look_at,
    }


def _line(d: Difference) -> str:
    captured = "/".join(map(str, d.captured))
    replayed = "/".join(map(str, d.replayed))
    return (
        f"  {d.statement_id}  captured {captured}, replayed {replayed} rows in {d.times} of {d.of}:"
        f" {d.look_at}"
    )

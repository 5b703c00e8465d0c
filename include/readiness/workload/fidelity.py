"""Fidelity: do the statements of a replay find and change as many rows as those of the capture did?

It is the proof that values were taken for what they are: a SELECT that finds nothing does not fail,
it only makes a load that is no longer the application's. A replayed statement is equal where its
rows are those of a captured run with the same basket; several slow logs give several such values."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from readiness.model.transactions import Outcome
from readiness.model.workload import StatementKind, Step, Workload
from readiness.workload.baskets import Basket
from readiness.workload.drift import listed
from readiness.workload.look_at import look_at
from readiness.workload.matching import Match
from readiness.workload.observed import CONTROL, Heard

LEAST_FIDELITY = 0.97
_READS = frozenset({StatementKind.SELECT, StatementKind.CALL})
_WRITES = frozenset({StatementKind.INSERT, StatementKind.UPDATE, StatementKind.DELETE})


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
class Run:
    """One checkout that ended well: by step, by index, its rows sent and affected."""

    basket: Basket
    rows: Mapping[int, tuple[int, int]]


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
    `other_baskets` runs with a basket that no log has. `added` are the shapes of statements inside
    the flow that the workload lacks, `courses` captured and replayed ones."""

    logs: int
    equal: int
    compared: int
    differences: tuple[Difference, ...] = ()
    unheard: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    other_baskets: int = 0
    added: tuple[str, ...] = ()
    captured: tuple[Course, ...] = ()
    replayed: tuple[Course, ...] = ()

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
            "not_in_log": list(self.unheard),
            "rows_unknown": list(self.silent),
            "runs_with_other_baskets": self.other_baskets,
            "new_in_log": list(self.added),
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
                f"  not compared: {self.other_baskets} checkouts with a basket that no slow log has;"
                " give the slow log of each capture"
            )
        if self.unheard:
            said.append(f"  in no slow log any more: {listed(self.unheard)}")
        if self.added:
            said.append(
                f"  new inside the flow: {len(self.added)} statements, shapes {listed(self.added)}"
            )
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


@dataclass(slots=True)
class _Sums:
    """What is counted for one step."""

    of: int = 0
    differ: int = 0
    captured: set[int] = field(default_factory=set)
    replayed: set[int] = field(default_factory=set)


def compare(workload: Workload, matches: Sequence[Match], runs: Iterable[Run]) -> Fidelity:
    """Rows and transactions of the runs beside those of the logs."""
    sums: defaultdict[int, _Sums] = defaultdict(_Sums)
    silent: set[int] = set()
    courses: Counter[Course] = Counter()
    others = 0
    for run in runs:
        same = [m for m in matches if _is_same(m.basket, run.basket)]
        if not same:
            others += 1
            continue
        courses[_course_of_run(workload, run)] += 1
        for index, rows in run.rows.items():
            _compare_one(workload.steps[index], index, rows, same, sums, silent)
    return Fidelity(
        len(matches),
        sum(s.of - s.differ for s in sums.values()),
        sum(s.of for s in sums.values()),
        tuple(_difference(workload, i, s) for i, s in sorted(sums.items()) if s.differ),
        tuple(workload.steps[i].statement_id for i in _unheard(workload, matches)),
        tuple(workload.steps[i].statement_id for i in sorted(silent - sums.keys())),
        others,
        tuple(sorted({shape for m in matches for shape in m.extra})),
        tuple(sorted({_course_of_log(m) for m in matches})),
        tuple(sorted(courses)),
    )


def _compare_one(
    step: Step,
    index: int,
    rows: tuple[int, int],
    same: Sequence[Match],
    sums: defaultdict[int, _Sums],
    silent: set[int],
) -> None:
    heard = [m.heard[index] for m in same if index in m.heard]
    if not heard or step.kind not in _READS | _WRITES:
        return
    reads = step.kind in _READS or any(h.sent for h in heard)  # INSERT … RETURNING sends rows
    captured = {v for h in heard if (v := _rows(h, reads=reads)) is not None}
    if not captured:
        silent.add(index)
        return
    value = rows[0] if reads else rows[1]
    one = sums[index]
    one.of += 1
    if value not in captured:
        one.differ += 1
        one.captured |= captured
        one.replayed.add(value)


def _rows(heard: Heard, *, reads: bool) -> int | None:
    return heard.sent if reads else heard.affected


def _is_same(one: Basket, other: Basket) -> bool:
    """Whether no repeat is known to have another count."""
    known = dict(one)
    return all(known.get(name, count) == count for name, count in other)


def _difference(workload: Workload, index: int, sums: _Sums) -> Difference:
    step = workload.steps[index]
    captured, replayed = tuple(sorted(sums.captured)), tuple(sorted(sums.replayed))
    hint = look_at(workload, step, captured, replayed)
    return Difference(step.statement_id, captured, replayed, sums.differ, sums.of, hint)


def _unheard(workload: Workload, matches: Sequence[Match]) -> list[int]:
    """Steps of work that no log has; turns beyond the largest basket of the logs are not missed."""
    heard = {i for m in matches for i in m.heard}
    most = {
        name: max(dict(m.basket).get(name, 0) for m in matches)
        for name in {n for m in matches for n, _ in m.basket}
    }
    return [
        i
        for i, step in enumerate(workload.steps)
        if i not in heard
        and step.kind not in CONTROL
        and not (step.turn and step.turn.number > most.get(step.turn.repeat, 0))
    ]


def _course_of_run(workload: Workload, run: Run) -> Course:
    steps = [workload.steps[i] for i in run.rows]
    work = [s for s in steps if s.kind not in CONTROL]
    inside = {s.transaction for s in work if s.transaction}
    ends = Counter(s.kind for s in steps if s.transaction in inside)
    alone = sum(not s.transaction for s in work)
    return Course(
        len(inside) + alone,
        len(work),
        ends[StatementKind.COMMIT],
        ends[StatementKind.ROLLBACK],
    )


def _course_of_log(match: Match) -> Course:
    outcomes = Counter(match.log.outcomes[t] for t in match.transactions)
    work = sum(h.kind not in CONTROL for h in match.heard.values()) + len(match.extra)
    undone = outcomes[Outcome.ROLLBACK] + outcomes[Outcome.DISCONNECT] + outcomes[Outcome.OPEN]
    return Course(len(match.transactions), work, outcomes[Outcome.COMMIT], undone)


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

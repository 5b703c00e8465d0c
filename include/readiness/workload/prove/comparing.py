"""Compares the rows of a replay with those of the captures' slow logs, statement by statement.

A replayed statement is equal where its rows are those of a captured run with the same basket; several
slow logs give several such values."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from readiness.model.transactions import Outcome
from readiness.model.workload import StatementKind, Step, Workload
from readiness.workload.prove.baskets import Basket
from readiness.workload.prove.captured_shapes import captured_shapes
from readiness.workload.prove.fidelity import Course, Difference, Fidelity
from readiness.workload.prove.look_at import look_at
from readiness.workload.prove.observed import CONTROL, Heard
from readiness.workload.prove.pairing import Match

_READS = frozenset({StatementKind.SELECT, StatementKind.CALL})
_WRITES = frozenset({StatementKind.INSERT, StatementKind.UPDATE, StatementKind.DELETE})


@dataclass(frozen=True, slots=True)
class Run:
    """One checkout that ended well: by step, by index, its rows sent and affected."""

    basket: Basket
    rows: Mapping[int, tuple[int, int]]


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
    known = set(captured_shapes(workload))
    extra = [shape for m in matches for shape in m.extra]
    heard, unheard = _heard_and_unheard(workload, matches)
    return Fidelity(
        logs=len(matches),
        equal=sum(s.of - s.differ for s in sums.values()),
        compared=sum(s.of for s in sums.values()),
        differences=tuple(_difference(workload, i, s) for i, s in sorted(sums.items()) if s.differ),
        unheard=_ids(workload, unheard),
        silent=_ids(workload, sorted(silent - sums.keys())),
        other_baskets=others,
        added=tuple(sorted(set(extra) - known)),
        oftener=sum(shape in known for shape in extra),
        captured=tuple(sorted({_course_of_log(m) for m in matches})),
        replayed=tuple(sorted(courses)),
        heard=len(heard),
    )


def _ids(workload: Workload, indexes: Iterable[int]) -> tuple[str, ...]:
    return tuple(workload.steps[i].statement_id for i in indexes)


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


def _heard_and_unheard(workload: Workload, matches: Sequence[Match]) -> tuple[list[int], list[int]]:
    """Steps of work that some log has, and those that none has; turns beyond the largest basket of
    the logs are not missed, nor are statements that were added by hand."""
    met = {i for m in matches for i in m.heard}
    has_shapes = any(step.shape for step in workload.steps)
    most = {
        name: max(dict(m.basket).get(name, 0) for m in matches)
        for name in {n for m in matches for n, _ in m.basket}
    }
    awaited = [
        i
        for i, step in enumerate(workload.steps)
        if step.kind not in CONTROL
        and (step.shape or not has_shapes)
        and not (step.turn and step.turn.number > most.get(step.turn.repeat, 0))
    ]
    return [i for i in awaited if i in met], [i for i in awaited if i not in met]


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

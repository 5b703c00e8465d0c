"""Tries that failed: a transaction rolled back, and then begun again with the same statements.

A deadlock ends the first try anywhere, so the try that failed is a beginning of the one that
follows. Captures that differ only in them are one flow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from readiness.model.workload import StatementKind
from readiness.workload.find.statements import Statement

_SHORTEST = 3  # BEGIN, one statement, ROLLBACK


@dataclass(frozen=True, slots=True)
class Tries:
    """`rest` are the statements (by number) that are no failed try; `failed` maps the number of the
    statement that begins a transaction to the tries before it, as ranges of statements."""

    rest: tuple[int, ...]
    failed: dict[int, list[range]] = field(default_factory=dict)


def failed_tries(statements: Sequence[Statement]) -> Tries:
    """The tries of one capture; a try belongs to the last one of its row."""
    spans = _transactions(statements)
    failed: dict[int, list[range]] = {}
    waiting: list[range] = []
    for span, following in zip(spans, [*spans[1:], range(0)], strict=False):
        if _is_try_of(statements, span, following):
            waiting.append(span)
        elif waiting:
            failed[span.start] = waiting
            waiting = []
    out = {i for tries in failed.values() for span in tries for i in span}
    return Tries(tuple(i for i in range(len(statements)) if i not in out), failed)


def _transactions(statements: Sequence[Statement]) -> list[range]:
    """Explicit transactions as ranges of statements, in order."""
    spans: list[range] = []
    for i, statement in enumerate(statements):
        if statement.transaction:
            is_same = spans and statements[spans[-1].start].transaction == statement.transaction
            start = spans.pop().start if is_same else i
            spans.append(range(start, i + 1))
    return spans


def _is_try_of(statements: Sequence[Statement], span: range, following: range) -> bool:
    if len(span) < _SHORTEST or len(following) < len(span):
        return False
    if statements[span[-1]].kind is not StatementKind.ROLLBACK:
        return False
    return all(
        statements[i].shape == statements[j].shape
        for i, j in zip(span[:-1], following, strict=False)
    )

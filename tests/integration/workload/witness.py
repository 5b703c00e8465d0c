"""An independent judge of a replay: the rows that the server's own slow log counted.

Shares no code with `readiness workload check`: a statement is found again in the log by its shape
and by how many of that shape came before it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.integration.workload.replaying import Ran, Replay

from readiness.capture.events import LogEvent
from readiness.capture.logs import open_log
from readiness.sql.shape import shape

Place = tuple[bytes, int]
"""A shape, and the how-manieth statement with it in its checkout."""


def captured_rows(log: Path, users: Iterable[str]) -> Mapping[Place, int]:
    """Rows sent by reads and affected by writes, of the statements of some users."""
    kept = set(users)
    seen: Counter[bytes] = Counter()
    rows: dict[Place, int] = {}
    for event in open_log(log):
        if event.user in kept and event.rows is not None:
            at = shape(event.argument)
            rows[at, seen[at]] = _counted(event)
            seen[at] += 1
    return rows


def _counted(event: LogEvent) -> int:
    sent, affected = event.rows or (0, 0)
    is_read = event.argument.lstrip(b"( \n").upper().startswith((b"SELECT", b"WITH", b"CALL"))
    return sent if is_read else affected


def fidelity(replay: Replay, captured: Mapping[Place, int]) -> tuple[float, dict[str, list[int]]]:
    """The share of compared statements with as many rows as captured, and of those that differ the
    rows as captured and as replayed."""
    compared = equal = 0
    other: dict[str, list[int]] = defaultdict(list)
    for checkout in replay.checkouts:
        for ran, place in zip(checkout, _places(checkout), strict=True):
            if place in captured:
                compared += 1
                equal += ran.rows == captured[place]
                if ran.rows != captured[place]:
                    other[ran.statement_id] = [captured[place], ran.rows]
    return equal / compared, dict(other)


def _places(checkout: Sequence[Ran]) -> list[Place]:
    seen: Counter[bytes] = Counter()
    places = []
    for ran in checkout:
        at = shape(ran.sql)
        places.append((at, seen[at]))
        seen[at] += 1
    return places

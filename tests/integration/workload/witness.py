"""An independent judge of a replay: the rows that the server's own slow log counted.

Shares no code with `readiness workload check`: a statement is found again in the log by its shape
and by how many of that shape came before it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.integration.workload.replaying import Ran, Replay

from readiness.sql.lexer import LITERALS, lex
from readiness.sql.shape import shape

_RECORD_BEGINS = re.compile(rb"^# User@Host: ", re.MULTILINE)
_SET_BY_SERVER = re.compile(rb"SET timestamp=\d+;\n")
_COUNTED = re.compile(rb"Rows_(sent|affected): (\d+)")
_READS = re.compile(rb"\s*\(?(SELECT|WITH|CALL)\b", re.IGNORECASE)

Place = tuple[bytes, int]
"""A shape, and the how-manieth statement with it in its checkout."""


class Seen(NamedTuple):
    """What the log says of one statement; `literals` tells baskets apart that have one shape."""

    literals: int
    rows: int | None


def captured_rows(log: Path, users: Iterable[str]) -> Mapping[Place, Seen]:
    """Rows sent by reads and affected by writes, of the statements of some users. MySQL's log does
    not count rows affected: there only reads are known."""
    kept = {user.encode() for user in users}
    seen: Counter[bytes] = Counter()
    rows: dict[Place, Seen] = {}
    for record in _RECORD_BEGINS.split(log.read_bytes())[1:]:
        head, sql = _SET_BY_SERVER.split(record, maxsplit=1)
        if head.partition(b"[")[0] not in kept:
            continue
        sql = sql.partition(b"\n# Time: ")[0]
        at = shape(sql)
        counted = dict(_COUNTED.findall(head))
        number = counted.get(b"sent" if _READS.match(sql) else b"affected")
        rows[at, seen[at]] = Seen(_literals(sql), int(number) if number else None)
        seen[at] += 1
    return rows


def fidelity(replay: Replay, captured: Mapping[Place, Seen]) -> tuple[float, dict[str, list[int]]]:
    """The share of compared statements with as many rows as captured, and of those that differ the
    rows as captured and as replayed. Only checkouts with the captured basket are compared."""
    compared = equal = 0
    other: dict[str, list[int]] = defaultdict(list)
    for checkout in replay.checkouts:
        pairs = [
            (ran, captured[place])
            for ran, place in zip(checkout, _places(checkout), strict=True)
            if place in captured
        ]
        if any(_literals(ran.sql) != seen.literals for ran, seen in pairs):
            continue
        for ran, seen in pairs:
            if seen.rows is not None:
                compared += 1
                equal += ran.rows == seen.rows
                if ran.rows != seen.rows:
                    other[ran.statement_id] = [seen.rows, ran.rows]
    assert compared, "no checkout has the basket of the log"
    return equal / compared, dict(other)


def _literals(sql: bytes) -> int:
    return sum(token.kind in LITERALS for token in lex(sql))


def _places(checkout: Sequence[Ran]) -> list[Place]:
    seen: Counter[bytes] = Counter()
    places = []
    for ran in checkout:
        at = shape(ran.sql)
        places.append((at, seen[at]))
        seen[at] += 1
    return places

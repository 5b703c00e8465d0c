"""Reads the transactions of a mixed log as parts of flows: which statements an example has, which
values join a part to others.

What the example does not have is lexed once for each form, since most of a mixed log is that.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from readiness.capture.example import Example, Read, read_statement
from readiness.capture.meetings import Column
from readiness.capture.sql_mode import ANSI_QUOTES, NO_BACKSLASH_ESCAPES
from readiness.model.transactions import Outcome, Raw, RawStatement, RawTransaction

UNKNOWN = "statements that the example does not have"
SETUP = "session set-up"

_LEAST_KNOWN = 0.5  # share of a transaction's statements that the example must have
_UNDONE = frozenset({Outcome.ROLLBACK, Outcome.DISCONNECT, Outcome.OPEN})
_MOST_SETUPS = 8  # of one connection in a row
_MOST_FORMS = 20_000
# Values and comments of a statement, in the default sql_mode. Names in backticks are group 1; so is
# what never ends, to the end: tried again at each quote, it would take the square of the time.
_VALUES = re.compile(
    rb"'[^'\\]*+(?:(?:\\.|'')[^'\\]*+)*+'|\"[^\"\\]*+(?:(?:\\.|\"\")[^\"\\]*+)*+\""
    rb"|/\*(?!M?!|\+)(?>.*?\*/)|(?:\#|--(?=\s|\Z))[^\n]*+"
    rb"|(`[^`]*+`|(?:['\"`]|/\*(?!M?!|\+)).*+)|(?<![\w$@.\x80-\xff])\d[\w.]*+",
    re.DOTALL,
)
Link: TypeAlias = tuple[Column | None, bytes]
_Placed: TypeAlias = tuple[int, RawTransaction]


@dataclass(slots=True, repr=False)
class Part(Raw):
    """One transaction that may belong to a flow, behind the session set-up that goes with it; each
    with the place where it began in its log.

    `shapes` counts its statements that the example has, `once` those of them that write and were
    not undone; `links` are values that join it to others, `hints` existing rows that it names."""

    placed: list[_Placed]
    shapes: Counter[bytes] = field(default_factory=Counter)
    once: Counter[bytes] = field(default_factory=Counter)
    links: list[Link] = field(default_factory=list)
    hints: list[Link] = field(default_factory=list)

    @property
    def place(self) -> int:
        """Where its transaction began."""
        return self.placed[-1][0]

    @property
    def transaction(self) -> RawTransaction:
        """The transaction that does the work."""
        return self.placed[-1][1]


def form_of(sql: bytes) -> bytes:
    """The statement without its values and comments, at the speed of C: equal forms are read alike,
    though one shape may have several. For the default sql_mode."""
    return _VALUES.sub(rb"?\1", sql)


class Parts:
    """Makes parts of transactions in the order in which each connection ended them.

    With an example, those that it does not know are counted in `left_out`. Session set-up (SET and
    transaction control alone) goes with the part behind it on its connection."""

    def __init__(self, example: Example | None, left_out: Counter[str]) -> None:
        self._example = example
        self._left_out = left_out
        self._setups: dict[int, list[_Placed]] = defaultdict(list)  # by connection
        self._strange: dict[bytes, Read] = {}  # by form: what the example does not have

    def of(self, place: int, transaction: RawTransaction) -> Part | None:
        """The transaction as a part; None where it is none by itself."""
        if self._example is None:
            return Part([(place, transaction)])
        read = [self._read(transaction, s, self._example) for s in transaction.statements]
        work = [r for r in read if r is not None and r.shape]
        if not work:
            self._hold(place, transaction, read)
            return None
        known = [r for r in work if r.shape in self._example.most]
        setups = self._setups.pop(transaction.thread_id, [])
        if len(known) < _LEAST_KNOWN * len(work):
            self._left_out[UNKNOWN] += 1
            self._left_out[SETUP] += len(setups)
            return None
        return _part([*setups, (place, transaction)], known, self._example)

    def _read(
        self, transaction: RawTransaction, statement: RawStatement, example: Example
    ) -> Read | None:
        """One statement; those that the example does not have are lexed once for each form."""
        if ANSI_QUOTES in transaction.sql_mode or NO_BACKSLASH_ESCAPES in transaction.sql_mode:
            return read_statement(transaction, statement)
        form = form_of(statement.sql)
        if form in self._strange:
            return self._strange[form]
        read = read_statement(transaction, statement)
        if read is not None and read.shape not in example.most:
            if len(self._strange) >= _MOST_FORMS:
                self._strange.clear()
            self._strange[form] = read
        return read

    def finish(self) -> None:
        """Counts the set-up behind which nothing came."""
        self._left_out[SETUP] += sum(map(len, self._setups.values()))

    def _hold(self, place: int, transaction: RawTransaction, read: Sequence[Read | None]) -> None:
        """Keeps set-up for the part behind it; a pool's pings would pile up, and are left out."""
        if any(r is None or not r.sets for r in read):
            self._left_out[SETUP] += 1
            return
        held = self._setups[transaction.thread_id]
        held.append((place, transaction))
        if len(held) > _MOST_SETUPS:
            del held[0]
            self._left_out[SETUP] += 1


def _part(placed: list[_Placed], known: Sequence[Read], example: Example) -> Part:
    met = [m for r in known for m in r.meetings]
    links = dict.fromkeys(link for m in met if (link := example.domain(m)))
    hints = dict.fromkeys(hint for m in met if (hint := example.hint(m)))
    part = Part(placed, Counter(r.shape for r in known), links=[*links], hints=[*hints])
    if part.transaction.outcome not in _UNDONE:
        part.once.update(r.shape for r in known if r.is_write)
    return part

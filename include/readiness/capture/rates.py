"""How often transactions and flows begin: the normal rate of a log, and its busiest minute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from readiness.model.transactions import RawTransaction

_SECOND_NS = 1_000_000_000
_MINUTE_NS = 60 * _SECOND_NS
_FEWEST_MINUTES = 3  # below, a median over minutes says nothing


@dataclass(frozen=True, slots=True)
class Rate:
    """`normal_per_s`: the median over whole minutes, or count ÷ time of a log below three minutes;
    `peak_minute_per_s`: the busiest minute's mean, None in such a log. `minutes` were whole."""

    normal_per_s: float
    peak_minute_per_s: float | None
    minutes: int
    seconds: float

    def to_json(self) -> dict[str, object]:
        """Plain values, for --json."""
        return {name: getattr(self, name) for name in self.__slots__}


class Clock:
    """From when to when transactions began, and how many in each minute."""

    def __init__(self) -> None:
        self._first_ns: int | None = None
        self._last_ns: int | None = None
        self._by_second: Counter[int] = Counter()

    def note(self, transaction: RawTransaction) -> RawTransaction:
        """The same transaction; when it began is noted."""
        began_ns = transaction.began_ns
        if began_ns is not None:
            first, last = self._first_ns, self._last_ns
            self._first_ns = began_ns if first is None else min(first, began_ns)
            self._last_ns = began_ns if last is None else max(last, began_ns)
            self._by_second[began_ns // _SECOND_NS] += 1
        return transaction

    def rate(self) -> Rate | None:
        """How often transactions began; None where the log has no second between its ends."""
        if self._first_ns is None or self._last_ns is None:
            return None
        return _rate(self._by_second, self._first_ns, self._last_ns)

    def rate_of(
        self, begins_ns: Sequence[int], *, from_ns: int | None = None, to_ns: int | None = None
    ) -> Rate | None:
        """How often something began within this time, or the part of it that is asked for."""
        if self._first_ns is None or self._last_ns is None:
            return None
        first = self._first_ns if from_ns is None else max(from_ns, self._first_ns)
        last = self._last_ns if to_ns is None else min(to_ns, self._last_ns)
        return _rate(Counter(at // _SECOND_NS for at in begins_ns), first, last)


def _rate(by_second: Mapping[int, int], first_ns: int, last_ns: int) -> Rate | None:
    """Over whole minutes from the first second on; the rest of a minute at the end is left out."""
    span_ns = last_ns - first_ns
    if span_ns < _SECOND_NS:
        return None
    minutes = span_ns // _MINUTE_NS
    if minutes < _FEWEST_MINUTES:
        return Rate(sum(by_second.values()) / (span_ns / 1e9), None, minutes, span_ns / 1e9)
    by_minute: Counter[int] = Counter()
    for second, count in by_second.items():
        by_minute[(second - first_ns // _SECOND_NS) // 60] += count
    counts = sorted(count for minute, count in by_minute.items() if 0 <= minute < minutes)
    busiest = max(counts, default=0)
    return Rate(_median(counts, minutes) / 60, busiest / 60, minutes, span_ns / 1e9)


def _median(counts: Sequence[int], minutes: int) -> float:
    """The median over all minutes; `counts` has those that are not empty, in order. A log whose
    clock was set years back has millions of empty ones, which are not written out."""
    empty = minutes - len(counts)
    lower, upper = (minutes - 1) // 2, minutes // 2
    return sum(counts[at - empty] if at >= empty else 0 for at in (lower, upper)) / 2

"""Cron expressions of five fields, checked without a scheduler: what is accepted here fires.

`0 6 * * 1` is minute, hour, day of month, month, day of week (0 or 7 is Sunday). When day of month
and day of week are both given, either is enough, as in every cron.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]


@dataclass(frozen=True, slots=True)
class _Field:
    """The name of a field, its range, and the words that may stand for numbers from `low` on."""

    name: str
    low: int
    high: int
    words: tuple[str, ...] = ()


_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of month", 1, 31),
    _Field("month", 1, 12, tuple(_MONTHS)),
    _Field("day of week", 0, 7, tuple(_DAYS)),
)


@dataclass(frozen=True, slots=True)
class Cron:
    """An expression as it was written, and the days on which it fires."""

    text: str
    days_of_month: frozenset[int] | None  # None: every day
    months: frozenset[int]
    days_of_week: frozenset[int] | None  # 0 is Sunday; None: every day

    def fires_on(self, day: date) -> bool:
        """Whether it fires at any time of that day."""
        if day.month not in self.months:
            return False
        by_month, by_week = self.days_of_month, self.days_of_week
        is_by_month = by_month is None or day.day in by_month
        is_by_week = by_week is None or day.isoweekday() % 7 in by_week
        if by_month is not None and by_week is not None:
            return is_by_month or is_by_week
        return is_by_month and is_by_week


def parse_cron(text: object) -> Cron:
    """The expression in `text`. Raises ValueError that says which field is wrong."""
    fields = text.split() if isinstance(text, str) else []
    if len(fields) != len(_FIELDS):
        raise ValueError('write five fields: minute hour day month weekday, such as "0 6 * * 1"')
    _, _, days, months, week = (
        _numbers(part, field) for part, field in zip(fields, _FIELDS, strict=True)
    )
    return Cron(
        text=" ".join(fields),
        days_of_month=None if fields[2] == "*" else days,
        months=months,
        days_of_week=None if fields[4] == "*" else frozenset(day % 7 for day in week),
    )


def _numbers(part: str, field: _Field) -> frozenset[int]:
    """All numbers of one field: lists of `*`, `n`, `a-b`, each with `/step`."""
    found: set[int] = set()
    for item in part.split(","):
        span, has_step, step = item.partition("/")
        low, high = _span(span, field, is_open=bool(has_step))
        if has_step and not (step.isdecimal() and 0 < int(step) <= field.high):
            raise _wrong(item, field)
        found.update(range(low, high + 1, int(step) if has_step else 1))
    return frozenset(found)


def _span(span: str, field: _Field, *, is_open: bool) -> tuple[int, int]:
    if span == "*":
        return field.low, field.high
    first, has_last, last = span.partition("-")
    low = _number(first, field, span)
    if has_last:
        high = _number(last, field, span)
        if high < low:
            raise _wrong(span, field)
        return low, high
    return low, field.high if is_open else low


def _number(text: str, field: _Field, span: str) -> int:
    if text.lower() in field.words:
        return field.low + field.words.index(text.lower())
    if not text.isdecimal() or not field.low <= int(text) <= field.high:
        raise _wrong(span, field)
    return int(text)


def _wrong(part: str, field: _Field) -> ValueError:
    return ValueError(f"{part!r} is no {field.name}: {field.low} to {field.high}, * , - or /")

"""When a plan runs by itself, and when it must not run at all.

A freeze is whole days in the plan's timezone, the last one included: `2026-11-23` for once, `12-18`
for each year. Days go by the calendar of that timezone, so a freeze ends at local midnight.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from readiness.config.cron import Cron, parse_cron
from readiness.errors import ConfigError

_ONCE = re.compile(r"\d{4}-\d\d-\d\d")
_YEARLY = re.compile(r"\d\d-\d\d")
_LEAP_YEAR = 2028
_FORM = "write 2026-11-23 for once, or 12-18 for each year"


@dataclass(frozen=True, slots=True)
class Freeze:
    """Days without load, `first` to `last` as they were written, and why."""

    first: str
    last: str
    because: str

    def holds(self, day: date) -> bool:
        """Whether that day is frozen; a yearly freeze may go over the end of the year."""
        if _ONCE.fullmatch(self.first):
            return self.first <= day.isoformat() <= self.last
        written = f"{day:%m-%d}"
        if self.first <= self.last:
            return self.first <= written <= self.last
        return written >= self.first or written <= self.last


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a plan runs. Without `cron` only people start it; freezes hold for them, too.

    An automatic run that cannot start within `start_within_min` minutes of its time is not made up
    for: a load test at another hour measures another thing."""

    cron: Cron | None
    timezone: str
    freeze: tuple[Freeze, ...]
    start_within_min: float

    @property
    def zone(self) -> ZoneInfo:
        """The timezone of cron and freezes."""
        return ZoneInfo(self.timezone)

    def freeze_at(self, moment: datetime) -> Freeze | None:
        """The freeze that holds at an aware `moment`."""
        day = moment.astimezone(self.zone).date()
        return next((f for f in self.freeze if f.holds(day)), None)

    def thaw_after(self, moment: datetime) -> datetime:
        """The local midnight (as UTC) after the frozen day of `moment`."""
        day = moment.astimezone(self.zone).date() + timedelta(days=1)
        return datetime(day.year, day.month, day.day, tzinfo=self.zone).astimezone(UTC)

    def ever_runs(self) -> bool:
        """Whether any day of four years is free and has a run; freezes of single years aside."""
        yearly = [f for f in self.freeze if not _ONCE.fullmatch(f.first)]
        days = (date(_LEAP_YEAR, 1, 1) + timedelta(days=n) for n in range(4 * 365 + 1))
        return any(
            (self.cron is None or self.cron.fires_on(day)) and not any(f.holds(day) for f in yearly)
            for day in days
        )


def schedule_of(
    *, cron: str | None, timezone: str, freeze: tuple[Freeze, ...], start_within_min: float
) -> Schedule:
    """The schedule of what a plan has written. Raises ValueError when it could never run."""
    made = Schedule(parse_cron(cron) if cron else None, timezone, freeze, start_within_min)
    if not made.ever_runs():
        raise ValueError("this schedule never runs: every day that it names is frozen, or none is")
    return made


def day_of(text: object) -> str:
    """A day as it is written in a freeze. Raises ValueError that says how."""
    written = text if isinstance(text, str) else ""
    if _ONCE.fullmatch(written):
        _require_date(written)
    elif _YEARLY.fullmatch(written):
        _require_date(f"{_LEAP_YEAR}-{written}")
    else:
        raise ValueError(_FORM)
    return written


def freeze_of(first: str, last: str, because: str) -> Freeze:
    """A freeze from `first` to `last`. Raises ValueError when the two do not fit together."""
    if len(first) != len(last):
        raise ValueError("from and to are both dates with a year, or both without one")
    if _ONCE.fullmatch(first) and last < first:
        raise ValueError(f"{last} is before {first}")
    return Freeze(first, last, because)


@dataclass(frozen=True, slots=True)
class Start:
    """A run that wants to begin: when it was due (aware), whether nobody asked for it (scheduled or
    backfilled), and whether the person who did said to start in spite of a freeze."""

    due: datetime
    is_automatic: bool
    despite_freeze: bool = False


def require_may_start(schedule: Schedule | None, start: Start, *, now: datetime) -> None:
    """Asked before a run begins; `now` is aware.

    Raises ConfigError when the plan is frozen now, and when a run that nobody asked for comes so
    late that it would be the first thing after an un-pause."""
    if schedule is None:
        return
    frozen = schedule.freeze_at(now)
    if frozen is not None and (start.is_automatic or not start.despite_freeze):
        raise ConfigError(
            f"No load now: {frozen.first} to {frozen.last} is frozen ({frozen.because}).",
            hint="Wait; or trigger it by hand with despite_freeze, if you mean it.",
        )
    late_min = (now - start.due).total_seconds() / 60
    if start.is_automatic and late_min > schedule.start_within_min:
        raise ConfigError(
            f"This run was due {start.due.astimezone(schedule.zone):%Y-%m-%d %H:%M %Z} and is"
            f" {late_min:,.0f} min late; {schedule.start_within_min:g} min are allowed.",
            hint="Trigger the plan by hand if a run is wanted now.",
        )


def _require_date(text: str) -> None:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"there is no such day; {_FORM}") from None

"""A cron timetable that leaves out frozen days, and never makes up for a run that is late.

Airflow starts the latest missed run as soon as a DAG is un-paused, also with `catchup=False`; here
that would be an unasked load test. So a time that is longer past than `start_within_min` is skipped.
The first task of a run asks the same again (`schedule.require_may_start`).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pendulum
from airflow.timetables.base import DagRunInfo, DataInterval, TimeRestriction
from airflow.timetables.trigger import CronTriggerTimetable

from readiness.config.plan import Plan
from readiness.config.schedule import Freeze, Schedule, schedule_of
from readiness.errors import ConfigError

HORIZON = timedelta(days=5 * 366)


class FreezeTimetable(CronTriggerTimetable):
    """Fires by a plan's cron in its timezone, outside its freezes."""

    def __init__(self, schedule: Schedule) -> None:
        if schedule.cron is None:
            raise ConfigError("A timetable needs a schedule with a cron expression.")
        super().__init__(schedule.cron.text, timezone=schedule.timezone)
        self._schedule = schedule
        self.description = f"{self.description}, {schedule.timezone}{_except(schedule)}"

    def next_dagrun_info(
        self,
        *,
        last_automated_data_interval: DataInterval | None,
        restriction: TimeRestriction,
    ) -> DagRunInfo | None:
        """The next run that is neither frozen nor late; None when five years hold none."""
        info = super().next_dagrun_info(
            last_automated_data_interval=last_automated_data_interval, restriction=restriction
        )
        if info is None:
            return None
        due = self._unfrozen(self._in_time(info.run_after, restriction))
        if due is None or (restriction.latest is not None and due > restriction.latest):
            return None
        return DagRunInfo.exact(due)

    def serialize(self) -> dict[str, Any]:
        """The schedule as it was written, in JSON."""
        schedule = self._schedule
        return {
            "cron": self._expression,
            "timezone": schedule.timezone,
            "freeze": [[f.first, f.last, f.because] for f in schedule.freeze],
            "start_within_min": schedule.start_within_min,
        }

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> FreezeTimetable:
        """The timetable that `serialize` wrote."""
        schedule = schedule_of(
            cron=data["cron"],
            timezone=data["timezone"],
            freeze=tuple(Freeze(*written) for written in data["freeze"]),
            start_within_min=data["start_within_min"],
        )
        return cls(schedule)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FreezeTimetable):
            return NotImplemented
        return self._schedule == other._schedule

    def __hash__(self) -> int:
        return hash(self._schedule)

    def _in_time(self, due: pendulum.DateTime, restriction: TimeRestriction) -> pendulum.DateTime:
        """`due`, or the next time from now on when `due` is too long past. A backfill names its
        past times itself; its runs are refused by their first task."""
        now = pendulum.instance(datetime.now(UTC))
        late = timedelta(minutes=self._schedule.start_within_min)
        if restriction.catchup or now - due <= late:
            return due
        return self._align_to_next(now)

    def _unfrozen(self, due: pendulum.DateTime) -> pendulum.DateTime | None:
        """The first time from `due` on that is not frozen. Each step goes on by a day at least."""
        last = due + HORIZON
        while due <= last:
            if self._schedule.freeze_at(due) is None:
                return due
            due = self._align_to_next(pendulum.instance(self._schedule.thaw_after(due)))
        return None


def timetable_of(plan: Plan) -> FreezeTimetable | None:
    """The timetable of a plan, for `DAG(schedule=…)`; None when only people start it."""
    schedule = plan.schedule
    return None if schedule is None or schedule.cron is None else FreezeTimetable(schedule)


def _except(schedule: Schedule) -> str:
    count = len(schedule.freeze)
    return f", except {count} freeze{'s' * (count != 1)}" if count else ""

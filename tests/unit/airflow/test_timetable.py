"""The weekly run comes at its hour, in its timezone, never in a freeze, and never late."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pendulum
import pytest
from airflow.timetables.base import DataInterval, TimeRestriction
from hypothesis import given
from hypothesis import strategies as st

from readiness.airflow.timetable import FreezeTimetable, timetable_of
from readiness.config.plan import load_plan
from readiness.config.schedule import Freeze, Schedule, freeze_of, schedule_of
from readiness.errors import ConfigError

BERLIN = ZoneInfo("Europe/Berlin")
NEVER_TWICE = TimeRestriction(earliest=None, latest=None, catchup=False)
ALL = TimeRestriction(earliest=None, latest=None, catchup=True)

DAYS = st.dates(datetime(2026, 1, 1).date(), datetime(2028, 12, 31).date())  # noqa: DTZ001
MOMENTS = st.datetimes(datetime(2026, 1, 1), datetime(2028, 12, 31)).map(  # noqa: DTZ001
    lambda naive: pendulum.instance(naive.replace(tzinfo=UTC))
)
CRONS = st.sampled_from(["0 6 * * 1", "30 2 * * *", "15 * * * *", "0 0 1 * *", "*/20 5-7 * * 1-5"])
ZONES = st.sampled_from(["Europe/Berlin", "UTC", "America/New_York", "Australia/Lord_Howe"])


@st.composite
def freezes(draw: st.DrawFn) -> Freeze:
    first, last = sorted([draw(DAYS), draw(DAYS)])
    if draw(st.booleans()):
        return freeze_of(first.isoformat(), last.isoformat(), "drawn")
    last = first + timedelta(days=draw(st.integers(0, 60)))
    return freeze_of(f"{first:%m-%d}", f"{last:%m-%d}", "drawn")


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    made = draw(st.lists(freezes(), max_size=4))
    try:
        return schedule_of(
            cron=draw(CRONS), timezone=draw(ZONES), freeze=tuple(made), start_within_min=10
        )
    except ValueError:  # frozen for good
        return schedule_of(
            cron="0 6 * * 1", timezone="UTC", freeze=tuple(made[:1]), start_within_min=10
        )


def weekly(*freeze: Freeze) -> FreezeTimetable:
    return FreezeTimetable(
        schedule_of(cron="0 6 * * 1", timezone="Europe/Berlin", freeze=freeze, start_within_min=10)
    )


def next_after(
    timetable: FreezeTimetable, last: datetime, restriction: TimeRestriction = ALL
) -> pendulum.DateTime | None:
    info = timetable.next_dagrun_info(
        last_automated_data_interval=DataInterval.exact(pendulum.instance(last)),
        restriction=restriction,
    )
    return info.run_after if info else None


@given(schedules(), MOMENTS)
def test_no_run_falls_into_a_freeze(schedule: Schedule, last: pendulum.DateTime) -> None:
    due = next_after(FreezeTimetable(schedule), last)
    if due is not None:
        assert due > last
        assert schedule.freeze_at(due) is None


@given(schedules(), MOMENTS)
def test_the_next_run_is_the_first_that_is_free(
    schedule: Schedule, last: pendulum.DateTime
) -> None:
    due = next_after(FreezeTimetable(schedule), last)
    bare = Schedule(schedule.cron, schedule.timezone, (), schedule.start_within_min)
    between = next_after(FreezeTimetable(bare), last)
    for _ in range(20):
        if between is None or between == due:
            break
        assert schedule.freeze_at(between) is not None
        between = next_after(FreezeTimetable(bare), between)


@given(MOMENTS)
def test_the_run_stays_at_six_whatever_the_clocks_do(last: pendulum.DateTime) -> None:
    due = next_after(weekly(), last)
    assert due is not None
    local = due.astimezone(BERLIN)
    assert (local.isoweekday(), local.hour, local.minute) == (1, 6, 0)
    assert due - last <= timedelta(days=7, hours=1)


@pytest.mark.parametrize(
    ("last", "due"),
    [
        ("2026-03-23T05:00", "2026-03-30T04:00"),  # summer time begins on the 29th
        ("2026-10-19T04:00", "2026-10-26T05:00"),  # and ends on the 25th
    ],
)
def test_a_change_of_clocks_moves_the_run_in_utc(last: str, due: str) -> None:
    assert next_after(weekly(), pendulum.parse(last)) == pendulum.parse(due)  # type: ignore[arg-type]


def test_a_freeze_ends_at_local_midnight() -> None:
    hourly = FreezeTimetable(
        schedule_of(
            cron="0 * * * *",
            timezone="Europe/Berlin",
            freeze=(freeze_of("2026-07-01", "2026-07-02", "x"),),
            start_within_min=10,
        )
    )
    last = datetime(2026, 6, 30, 21, tzinfo=UTC)  # 23:00 in Berlin
    assert next_after(hourly, last) == datetime(2026, 7, 2, 22, tzinfo=UTC)


def test_a_yearly_freeze_goes_over_the_end_of_the_year() -> None:
    timetable = weekly(freeze_of("12-18", "01-06", "Christmas"))
    last = datetime(2026, 12, 14, 5, tzinfo=UTC)
    assert next_after(timetable, last) == datetime(2027, 1, 11, 5, tzinfo=UTC)


def test_a_freeze_of_decades_ends_the_search() -> None:
    frozen = weekly(freeze_of("2026-01-01", "2099-12-31", "for good"))
    assert next_after(frozen, datetime(2026, 1, 5, tzinfo=UTC)) is None


@given(schedules())
def test_an_unpause_starts_nothing_that_is_late(schedule: Schedule) -> None:
    timetable = FreezeTimetable(schedule)
    info = timetable.next_dagrun_info(last_automated_data_interval=None, restriction=NEVER_TWICE)
    late = timedelta(minutes=schedule.start_within_min)
    assert info is None or datetime.now(UTC) - info.run_after <= late


def test_after_months_of_pause_the_next_run_lies_ahead() -> None:
    timetable, long_ago = weekly(), datetime(2024, 1, 1, 5, tzinfo=UTC)
    due = next_after(timetable, long_ago, NEVER_TWICE)
    assert due is not None
    assert due > datetime.now(UTC) - timedelta(minutes=10)


def test_no_run_comes_after_the_end_date() -> None:
    end = pendulum.datetime(2026, 2, 1)
    until = TimeRestriction(earliest=None, latest=end, catchup=True)
    assert next_after(weekly(), datetime(2026, 1, 12, 5, tzinfo=UTC), until) is not None
    assert next_after(weekly(), datetime(2026, 1, 26, 5, tzinfo=UTC), until) is None


@given(schedules())
def test_a_timetable_is_read_as_it_was_written(schedule: Schedule) -> None:
    timetable = FreezeTimetable(schedule)
    again = FreezeTimetable.deserialize(timetable.serialize())
    assert again == timetable
    assert again.description == timetable.description


def test_the_weekly_plan_says_when_it_runs() -> None:
    timetable = timetable_of(load_plan("weekly"))
    assert timetable is not None
    timetable.validate()
    assert timetable.description == "At 06:00, only on Monday, Europe/Berlin, except 2 freezes"


@pytest.mark.parametrize("name", ["demo", "peak", "spike"])
def test_other_plans_are_started_by_people(name: str) -> None:
    assert timetable_of(load_plan(name)) is None


def test_a_timetable_needs_a_cron() -> None:
    schedule = schedule_of(cron=None, timezone="UTC", freeze=(), start_within_min=10)
    with pytest.raises(ConfigError, match="cron"):
        FreezeTimetable(schedule)

"""A schedule says when a plan runs and when it must not; one that never runs is refused."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readiness.config.cron import parse_cron
from readiness.config.schedule import (
    Freeze,
    Schedule,
    Start,
    freeze_of,
    require_may_start,
    schedule_of,
)
from readiness.errors import ConfigError

NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)
BLACK_FRIDAY = freeze_of("2026-11-23", "2026-11-30", "Black Friday")


def schedule(*freeze: Freeze, cron: str | None = "0 6 * * 1") -> Schedule:
    return schedule_of(cron=cron, timezone="Europe/Berlin", freeze=freeze, start_within_min=10)


@pytest.mark.parametrize(
    ("text", "fires", "rests"),
    [
        ("0 6 * * 1", "2026-11-30", "2026-12-01"),
        ("0 6 * * mon-fri", "2026-12-04", "2026-12-05"),
        ("0 6 * * 7", "2026-12-06", "2026-12-07"),
        ("0 6 1,15 * *", "2026-12-15", "2026-12-16"),
        ("0 6 */10 * *", "2026-12-11", "2026-12-12"),
        ("0 6 * JAN,jun *", "2026-06-03", "2026-07-03"),
        ("0 6 13 * 5", "2026-12-13", "2026-12-14"),
    ],
)
def test_an_expression_fires_on_its_days(text: str, fires: str, rests: str) -> None:
    cron = parse_cron(text)
    assert cron.fires_on(date.fromisoformat(fires))
    assert not cron.fires_on(date.fromisoformat(rests))


def test_day_of_month_or_day_of_week_is_enough() -> None:
    assert parse_cron("0 6 13 * 5").fires_on(date(2026, 12, 4))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("weekly", "write five fields"),
        ("@weekly", "write five fields"),
        ("0 6 * * 1 2026", "write five fields"),
        (6, "write five fields"),
        ("60 6 * * 1", "'60' is no minute: 0 to 59"),
        ("0 24 * * 1", "'24' is no hour"),
        ("0 6 0 * 1", "'0' is no day of month"),
        ("0 6 * 13 1", "'13' is no month"),
        ("0 6 * * 8", "'8' is no day of week"),
        ("0 6 * * mom", "'mom' is no day of week"),
        ("0 6-4 * * 1", "'6-4' is no hour"),
        ("*/0 6 * * 1", "'*/0' is no minute"),
        ("0 6 * * 1,", "'' is no day of week"),
    ],
)
def test_a_wrong_expression_is_told_by_its_field(text: object, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_cron(text)


@given(st.dates(date(2026, 1, 1), date(2030, 12, 31)), st.integers(0, 40))
def test_a_freeze_holds_from_its_first_to_its_last_day(first: date, more: int) -> None:
    last = first + timedelta(days=more)
    for freeze in (
        freeze_of(first.isoformat(), last.isoformat(), "x"),
        freeze_of(f"{first:%m-%d}", f"{last:%m-%d}", "x"),
    ):
        assert freeze.holds(first)
        assert freeze.holds(last)
        assert not freeze.holds(last + timedelta(days=1))
        assert not freeze.holds(first - timedelta(days=1))


def test_the_days_of_a_freeze_are_those_of_the_timezone() -> None:
    frozen = schedule(BLACK_FRIDAY)
    assert frozen.freeze_at(datetime(2026, 11, 22, 23, 0, tzinfo=UTC)) == BLACK_FRIDAY
    assert frozen.freeze_at(datetime(2026, 11, 30, 23, 0, tzinfo=UTC)) is None
    assert frozen.thaw_after(NOW) == datetime(2026, 11, 30, 23, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("cron", "freeze"),
    [
        ("0 6 30 2 *", ()),
        ("0 6 * * 1", (freeze_of("01-01", "12-31", "x"),)),
        ("0 6 24 12 *", (freeze_of("12-18", "01-06", "x"),)),
        (None, (freeze_of("07-01", "06-30", "x"),)),
    ],
)
def test_a_schedule_that_never_runs_is_refused(
    cron: str | None, freeze: tuple[Freeze, ...]
) -> None:
    with pytest.raises(ValueError, match="never runs"):
        schedule(*freeze, cron=cron)


def test_a_plan_without_schedule_may_always_start() -> None:
    require_may_start(None, Start(NOW - timedelta(days=1), is_automatic=True), now=NOW)


def test_nobody_starts_in_a_freeze_without_meaning_it() -> None:
    frozen = schedule(BLACK_FRIDAY)
    with pytest.raises(ConfigError, match="is frozen \\(Black Friday\\)") as refused:
        require_may_start(frozen, Start(NOW, is_automatic=False), now=NOW)
    assert "despite_freeze" in refused.value.hint
    require_may_start(frozen, Start(NOW, is_automatic=False, despite_freeze=True), now=NOW)


def test_a_scheduled_run_is_frozen_whatever_its_form_says() -> None:
    start = Start(NOW, is_automatic=True, despite_freeze=True)
    with pytest.raises(ConfigError, match="frozen"):
        require_may_start(schedule(BLACK_FRIDAY), start, now=NOW)


@pytest.mark.parametrize("late_min", [11, 60 * 24 * 7])
def test_a_run_that_an_unpause_started_is_refused(late_min: int) -> None:
    start = Start(NOW - timedelta(minutes=late_min), is_automatic=True)
    with pytest.raises(ConfigError, match="10 min are allowed"):
        require_may_start(schedule(), start, now=NOW)


def test_a_run_in_time_and_one_that_a_person_queued_long_ago_may_start() -> None:
    require_may_start(schedule(), Start(NOW - timedelta(minutes=9), is_automatic=True), now=NOW)
    require_may_start(schedule(), Start(NOW - timedelta(days=1), is_automatic=False), now=NOW)

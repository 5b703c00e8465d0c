"""After a spike: back after so many seconds, not back, or metastable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.fakes.stages import histogram, stage_result, tick

from readiness.analysis.recovery import Recovery, recoveries
from readiness.model.histogram import Histogram
from readiness.model.load import StageResult, Tick

SILENT = {"checkout": Histogram(), "finished": 0}


def stage_of(name: str, rate: float, ticks: Sequence[Tick]) -> StageResult:
    made = stage_result(name, rate_per_s=rate, seconds=1, measured_from_s=0)
    return replace(made, ticks=tuple(ticks))


def seconds_of(ms: Sequence[float], in_flight: Sequence[int] = ()) -> list[Tick]:
    """A second for each response time; those in flight 2 unless given."""
    flying = in_flight or [2] * len(ms)
    return [tick(s, checkout=histogram(m, 10), in_flight=flying[s]) for s, m in enumerate(ms)]


def recovered(after: Sequence[Tick]) -> Recovery:
    """How a stage of these seconds recovers from ten times its rate; 80 ms were normal."""
    normal = stage_of("1x", 10.0, seconds_of([80.0] * 60))
    spike = stage_of("spike", 100.0, seconds_of([900.0] * 10))
    (found,) = recoveries([normal, spike, stage_of("recover", 10.0, after)])
    return found


def test_one_that_is_back_at_once_took_no_time() -> None:
    assert recovered(seconds_of([80.0] * 30)).after_s == 0


def test_it_is_told_when_the_responses_came_back_and_stayed() -> None:
    found = recovered(seconds_of([900.0] * 12 + [90.0] * 20))
    assert found.after_s == 12
    assert found.limit_ms == pytest.approx(100.0, rel=0.01)
    assert found.figure.series == (12.0,)
    assert found.words.startswith("back to normal 12 s after spike")


def test_a_moment_of_quiet_is_no_recovery() -> None:
    assert recovered(seconds_of([900.0] * 6 + [80.0] * 3 + [900.0] * 6 + [80.0] * 15)).after_s == 15


def test_what_stays_slow_with_a_line_that_stays_is_metastable() -> None:
    found = recovered(seconds_of([900.0] * 30, in_flight=[200] * 30))
    assert found.after_s is None
    assert found.is_metastable
    assert "metastable" in found.words
    assert found.figure.series == (31.0,)


def test_what_stays_slow_while_the_line_gets_shorter_is_only_not_back_yet() -> None:
    found = recovered(seconds_of([900.0] * 30, in_flight=list(range(300, 0, -10))))
    assert found.after_s is None
    assert not found.is_metastable
    assert "not back to normal within 30 s" in found.words


def test_seconds_in_which_nobody_got_through_are_not_back() -> None:
    stuck = [tick(s, **SILENT, in_flight=50) for s in range(9)]
    later = [replace(t, second=t.second + 9) for t in seconds_of([80.0] * 15)]
    assert recovered([*stuck, *later]).after_s == 9


def test_seconds_in_which_nobody_came_hold_nothing_against_it() -> None:
    empty = [tick(s, **SILENT, offered=0, started=0, in_flight=0) for s in range(3)]
    later = [replace(t, second=t.second + 3) for t in seconds_of([80.0] * 15)]
    assert recovered([*empty, *later]).after_s == 0


def test_a_ramp_up_has_nothing_to_recover_from() -> None:
    results = [
        stage_of(n, r, seconds_of([80.0] * 20)) for n, r in (("1x", 1.0), ("2x", 2.0), ("5x", 5.0))
    ]
    assert recoveries(results) == []


def test_without_an_earlier_stage_there_is_nothing_to_be_measured_by() -> None:
    spike = stage_of("spike", 100.0, seconds_of([900.0] * 10))
    assert recoveries([spike, stage_of("recover", 10.0, seconds_of([80.0] * 20))]) == []

"""After a spike: back when the p99 is, for good; metastable when waiting will not help."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.stages import histogram, stage_result, tick

from readiness.analysis.recovery import Recovery, recoveries
from readiness.model.load import StageResult, Tick


def calm(name: str, rate_per_s: float) -> StageResult:
    ticks = tuple(replace(tick(s), checkout=histogram(20.0, 50)) for s in range(10))
    return replace(stage_result(name, rate_per_s=rate_per_s), ticks=ticks)


def after(responses_ms: list[float | None], in_flight: list[int] | None = None) -> StageResult:
    flights = in_flight or [5] * len(responses_ms)
    ticks = tuple(
        _second(s, response, flight)
        for s, (response, flight) in enumerate(zip(responses_ms, flights, strict=True))
    )
    return replace(stage_result("recover", rate_per_s=10.0), ticks=ticks)


def _second(second: int, response_ms: float | None, in_flight: int) -> Tick:
    ended = histogram(response_ms, 50) if response_ms else histogram(1.0, 0)
    return replace(tick(second), checkout=ended, in_flight=in_flight)


def recovery_of(stage: StageResult) -> Recovery:
    (found,) = recoveries([calm("1x", 10.0), calm("spike", 80.0), stage])
    return found


def test_it_is_back_at_the_first_window_from_which_on_all_are_fast() -> None:
    found = recovery_of(after([900.0] * 6 + [22.0] * 20))
    assert (found.after_s, found.figure.series) == (6, (6.0,))
    assert found.words == "back to normal 6 s after spike (p99 at most 25 ms)"


def test_a_short_calm_before_the_next_wave_is_no_recovery() -> None:
    found = recovery_of(after([900.0] * 3 + [20.0] * 6 + [900.0] * 3 + [20.0] * 18))
    assert found.after_s == 12


def test_seconds_in_which_nobody_gets_through_are_not_back() -> None:
    assert recovery_of(after([None] * 6 + [20.0] * 15)).after_s == 6


def test_seconds_in_which_nobody_came_are_no_trouble() -> None:
    assert recovery_of(after([None] * 6 + [20.0] * 15, [0] * 21)).after_s == 0


def test_never_back_counts_as_longer_than_it_was_watched() -> None:
    found = recovery_of(after([900.0] * 30, list(range(60, 30, -1))))
    assert (found.after_s, found.is_metastable) == (None, False)
    assert found.figure.series == (31.0,)
    assert found.words.startswith("not back to normal within 30 s after spike")


def test_a_backlog_that_does_not_shrink_is_metastable() -> None:
    found = recovery_of(after([900.0] * 30, [200] * 30))
    assert found.is_metastable
    assert found.words.startswith("metastable: not back")


def test_a_stage_after_a_lower_rate_recovers_from_nothing() -> None:
    assert recoveries([calm("1x", 10.0), calm("2x", 20.0), calm("4x", 40.0)]) == []


def test_without_an_earlier_stage_at_its_rate_there_is_no_yardstick() -> None:
    assert recoveries([calm("spike", 80.0), calm("recover", 10.0)]) == []

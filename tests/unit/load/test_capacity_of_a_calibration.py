"""The capacity: what ended well per second, after the seconds in which all settles."""

from __future__ import annotations

import pytest
from tests.fakes.workers import second

from readiness.errors import LoadError
from readiness.load.calibrate import capacity
from readiness.load.messages import tick_from_json
from readiness.model.load import Stage, StageResult


def result(*counts: tuple[int, int]) -> StageResult:
    ticks = tuple(
        tick_from_json(second(k, finished=finished, failed=failed)["tick"])
        for k, (finished, failed) in enumerate(counts)
    )
    stage = Stage("calibration", rate_per_s=0, hold_s=len(counts))
    return StageResult(stage, 0.0, 0.0, ticks, 0, {}, {}, 0, 0)


def test_the_first_two_seconds_and_failures_do_not_count() -> None:
    assert capacity(result((1, 0), (500, 0), (40, 0), (50, 10), (50, 0))) == pytest.approx(130 / 3)


def test_nothing_that_ended_well_is_no_capacity() -> None:
    with pytest.raises(LoadError, match="no checkout"):
        capacity(result((9, 0), (9, 0), (9, 9)))


def test_a_calibration_of_two_seconds_is_too_short() -> None:
    with pytest.raises(LoadError):
        capacity(result((9, 0), (9, 0)))

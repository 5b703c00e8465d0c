"""A person changes the rate of a stage while it runs, or ends it: the loop's arrivals follow."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from tests.fakes.flows import TextFlow
from tests.fakes.playing import Commands, Played, play, steady
from tests.fakes.wire import WireServer


def played(rate: float, hold_s: float, *lines: bytes) -> Played:
    """A stage of one statement; the worker is told the lines at once."""
    return play(
        TextFlow(["SELECT 1"]), WireServer().connect, steady(rate, hold_s), later=tell(lines)
    )


def tell(lines: tuple[bytes, ...]) -> Callable[[Commands], None]:
    def later(commands: Commands) -> None:
        for line in lines:
            commands.say(line)

    return later


def offered(run: Played) -> list[int]:
    return [tick.offered for tick in run.ticks]


def test_another_rate_holds_from_its_second_on() -> None:
    assert offered(played(10, 1.5, b'{"rate": 30, "from_s": 1}')) == [10, 15]


@pytest.mark.long
def test_a_rate_goes_down_as_well_and_what_is_due_already_stays() -> None:
    assert offered(played(30, 1.4, b'{"rate": 5, "from_s": 1}')) == [30, 2]


@pytest.mark.long
def test_a_stage_that_would_have_rested_for_long_does_what_it_is_told() -> None:
    assert offered(played(0.01, 1.5, b'{"rate": 20, "from_s": 1}')) == [0, 10]


def test_the_end_by_hand_is_an_end_like_any_other() -> None:
    began = time.monotonic()
    run = played(20, 30, b'{"rate": 0, "from_s": 1}')
    assert time.monotonic() - began < 3
    assert (offered(run), run.report.ok, run.report.stopped_by) == ([20], 20, "")

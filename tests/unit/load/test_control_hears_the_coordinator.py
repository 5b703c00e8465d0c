"""The worker's ear: commands in pieces, silence, and the coordinator's end."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest
from tests.fakes.playing import Commands

from readiness.errors import LoadError
from readiness.load.control import Control


@pytest.fixture
def pipe() -> Iterator[tuple[Control, Commands]]:
    read, write = os.pipe()
    commands = Commands(write)
    yield Control(read), commands
    commands.hang_up()
    os.close(read)


def test_the_first_line_is_the_job_and_the_rest_are_commands(
    pipe: tuple[Control, Commands],
) -> None:
    control, commands = pipe
    commands.say(b'{"job": 1}\n{"go": 42}')
    assert control.first_line(1) == b'{"job": 1}'
    assert control.wait_go() == 42


def test_a_large_job_arrives_in_pieces(pipe: tuple[Control, Commands]) -> None:
    control, commands = pipe
    commands.say(b"x" * 50_000)
    assert control.first_line(1) == b"x" * 50_000


def test_no_job_in_time_is_none(pipe: tuple[Control, Commands]) -> None:
    assert pipe[0].first_line(0.05) is None


def test_a_coordinator_that_hangs_up_before_the_start_means_no_start(
    pipe: tuple[Control, Commands],
) -> None:
    control, commands = pipe
    commands.hang_up()
    assert control.wait_go() is None
    assert control.stop_reason == "the coordinator is gone"


def test_the_first_reason_to_stop_stays(pipe: tuple[Control, Commands]) -> None:
    control, commands = pipe
    commands.say(b'{"stop": "too slow"}')
    assert control.check() == "too slow"
    commands.hang_up()
    assert control.check() == "too slow"


def test_a_heartbeat_that_waited_counts_before_the_silence_does(
    pipe: tuple[Control, Commands],
) -> None:
    control, commands = pipe
    commands.say(b'{"beat": 1}')
    time.sleep(3.1)  # as a worker does that was frozen
    assert control.check() == ""


def test_what_is_no_command_is_an_error(pipe: tuple[Control, Commands]) -> None:
    control, commands = pipe
    commands.say(b"hello")
    with pytest.raises(LoadError, match="misunderstood"):
        control.check()

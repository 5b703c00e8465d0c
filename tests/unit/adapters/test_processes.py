"""A pid alone is not a process: the start time belongs to it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

from readiness.adapters.processes import command_line, end, identify, is_alive, wait_gone


def test_this_process_is_alive_and_knows_its_arguments() -> None:
    me = identify(os.getpid())
    assert me
    assert is_alive(me)
    assert command_line(me.pid)[0].endswith(sys.argv[0]) or "python" in command_line(me.pid)[0]


def test_a_reused_pid_is_another_process_and_is_not_ended() -> None:
    with subprocess.Popen(["sleep", "30"]) as sleeper:
        now = identify(sleeper.pid)
        assert now
        before = replace(now, started_ticks=now.started_ticks - 1)
        assert not is_alive(before)
        assert not end(before, grace_s=0)
        assert sleeper.poll() is None
        assert end(now, grace_s=0)


def test_a_process_that_heeds_sigterm_ends_within_its_grace() -> None:
    with subprocess.Popen(["sleep", "30"]) as sleeper:
        now = identify(sleeper.pid)
        assert now
        assert end(now, grace_s=10)
        assert sleeper.wait() == -15


def test_an_ended_process_is_gone_though_nobody_reaped_it() -> None:
    with subprocess.Popen(["true"]) as done:
        seen = identify(done.pid)
        assert seen is None or wait_gone(seen, timeout_s=5)


def test_nobody_has_an_impossible_pid() -> None:
    assert identify(2**31 - 1) is None
    assert command_line(2**31 - 1) == []

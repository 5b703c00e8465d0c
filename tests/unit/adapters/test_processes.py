"""A pid alone is not a process: the start time belongs to it."""

from __future__ import annotations

import subprocess
from dataclasses import replace

from readiness.adapters.processes import command_line, end, identify, is_alive, wait_gone


def test_a_running_process_is_alive_and_its_arguments_are_known() -> None:
    # It says something first: the kernel shows a new program before it shows its arguments.
    script = ["sh", "-c", "echo up; read -r line"]
    with subprocess.Popen(script, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as talker:
        assert talker.stdout
        talker.stdout.readline()
        now = identify(talker.pid)
        assert now
        assert is_alive(now)
        assert list(command_line(talker.pid)) == script
        talker.kill()


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

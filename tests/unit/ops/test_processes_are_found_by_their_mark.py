"""However Airflow's processes fork, rename or detach themselves: the mark finds and ends them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from readiness.demo.ui_environment import MARK
from readiness.demo.ui_processes import address_of, beyond_loopback, end_marked, marked

# Detaches a child that hears no SIGTERM, and goes first.
DETACHING = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    print(os.getpid(), flush=True)
    time.sleep(60)
"""
LISTENING = """
import socket, sys, time
with socket.socket() as server:
    server.bind((sys.argv[1], 0))
    server.listen()
    print(server.getsockname()[1], flush=True)
    time.sleep(60)
"""


class Starter:
    """Starts Python programs that carry the mark of one state folder."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.children: list[subprocess.Popen[bytes]] = []

    def start(self, program: str, *arguments: str) -> int:
        """The number that the program says first."""
        started = subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            env={**os.environ, MARK: str(self.state)},
            stdout=subprocess.PIPE,
        )
        assert started.stdout is not None
        with started.stdout as said:
            number = int(said.readline())
        if program == DETACHING:
            started.wait(10)
        else:
            self.children.append(started)
        return number


@pytest.fixture
def starter(tmp_path: Path) -> Iterator[Starter]:
    made = Starter(tmp_path / "ui")
    yield made
    end_marked(made.state, grace_s=0)
    for child in made.children:
        child.wait(10)


def test_a_detached_process_that_hears_nothing_is_ended(starter: Starter) -> None:
    pid = starter.start(DETACHING)
    assert [p.pid for p in marked(starter.state)] == [pid]
    assert end_marked(starter.state, grace_s=0.2) == 1
    assert marked(starter.state) == []


def test_processes_of_another_state_folder_are_left_alone(starter: Starter, tmp_path: Path) -> None:
    pid = starter.start(DETACHING)
    assert end_marked(tmp_path / "other", grace_s=0) == 0
    assert end_marked(tmp_path, grace_s=0) == 0
    assert [p.pid for p in marked(starter.state)] == [pid]


@pytest.mark.parametrize(("host", "is_said"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_what_other_machines_can_reach_is_said(starter: Starter, host: str, is_said: bool) -> None:
    port = starter.start(LISTENING, host)
    assert beyond_loopback(marked(starter.state)) == ([f"{host}:{port}"] if is_said else [])


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("0100007F", "127.0.0.1"),
        ("00000000", "0.0.0.0"),
        ("00000000000000000000000001000000", "::1"),
        ("B80D0120000000000000000001000000", "2001:db8::1"),
    ],
)
def test_addresses_are_read_as_the_kernel_writes_them(text: str, address: str) -> None:
    assert address_of(text) == address

"""A private server starts, answers, stops and is gone, whatever happens to whoever started it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_session import open_session
from readiness.adapters.processes import identify, wait_gone
from readiness.adapters.server_binary import ServerBinary
from readiness.adapters.server_command import ServerOptions
from readiness.errors import Busy, ServerError, TargetError

pytestmark = pytest.mark.mysql
Said = dict[str, Any]
OWNER = Path(__file__).with_name("owner.py")


@contextlib.contextmanager
def owned_server(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], Said]]:
    """A server started by another process, and what that process said of it."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command = [sys.executable, str(OWNER), str(folder), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as owner:
        assert owner.stdout
        said = json.loads(owner.stdout.readline())
        try:
            yield owner, said
        finally:
            owner.kill()
            if said["child"]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(said["child"], signal.SIGKILL)


def is_gone_within(seconds: float, said: Said) -> bool:
    """True when server and temporary folder are gone in time."""
    server, deadline = identify(said["pid"]), time.monotonic() + seconds
    if server and not wait_gone(server, timeout_s=seconds):
        return False
    while Path(said["folder"]).exists():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_a_started_server_answers_and_a_stopped_one_leaves_only_its_folder(
    server_binary: ServerBinary, tmp_path: Path
) -> None:
    server = LocalServer(tmp_path / "one", binary=server_binary)
    endpoint = server.start()
    state = server.running_state()
    session = server.root_session()
    assert session.query("SELECT @@port") == [(endpoint.port,)]
    session.close()
    assert Path(state.socket).exists()
    assert server.stop()
    assert identify(state.pid) is None
    assert not Path(state.temporary_folder).exists()
    assert server.status() is None
    assert not server.stop()


def test_data_survives_a_stop_and_a_kill(server_binary: ServerBinary, tmp_path: Path) -> None:
    server, rows = LocalServer(tmp_path / "one", binary=server_binary), []
    for end in (server.stop, server.kill, server.stop):
        server.start()
        session = server.root_session()
        session.query("CREATE DATABASE IF NOT EXISTS shop")
        session.query("CREATE TABLE IF NOT EXISTS shop.t (id INT AUTO_INCREMENT PRIMARY KEY)")
        session.query("INSERT INTO shop.t VALUES ()")
        rows += session.query("SELECT COUNT(*) FROM shop.t")
        session.close()
        assert end()
    assert rows == [(1,), (2,), (3,)]


def test_root_gets_no_answer_over_tcp(private_server: LocalServer) -> None:
    endpoint = private_server.running_state().endpoint
    with pytest.raises(TargetError, match="no account that may log in"):
        open_session(host=endpoint.host, port=endpoint.port, user="root")


def test_a_taken_port_is_named_and_nothing_is_left(
    private_server: LocalServer, server_binary: ServerBinary, tmp_path: Path
) -> None:
    port = private_server.running_state().port
    second = LocalServer(tmp_path, binary=server_binary, options=ServerOptions(port=port))
    with pytest.raises(ServerError, match=f"Port {port} "):
        second.start()
    assert second.status() is None


def test_a_second_start_in_the_same_folder_is_refused_with_the_pid(
    private_server: LocalServer, server_binary: ServerBinary
) -> None:
    pid = private_server.running_state().pid
    with pytest.raises(Busy, match=f"process {pid}"):
        LocalServer(private_server.directory, binary=server_binary).start()


def test_a_server_that_cannot_start_says_why_and_leaves_nothing(
    server_binary: ServerBinary, tmp_path: Path
) -> None:
    options = ServerOptions(extra=("--no-such-option=1",))
    server = LocalServer(tmp_path, binary=server_binary, options=options)
    with pytest.raises(ServerError, match="no-such-option") as died:
        server.start()
    assert "error.log" in died.value.hint
    assert server.status() is None


def test_data_of_the_other_engine_is_not_opened(
    server_binary: ServerBinary, tmp_path: Path
) -> None:
    with LocalServer(tmp_path, binary=server_binary):
        pass
    other = replace(server_binary, engine="other", version="1.2.3")
    with pytest.raises(ServerError, match=r"the server found here is other 1\.2\.3"):
        LocalServer(tmp_path, binary=other).start()


def test_too_small_a_disk_is_refused_before_anything_is_made(
    server_binary: ServerBinary, tmp_path: Path
) -> None:
    server = LocalServer(tmp_path / "one", binary=server_binary)
    with pytest.raises(ServerError, match="too full"):
        server.initialise(needed_bytes=10**15)
    assert not server.is_initialised


def test_a_detached_server_is_stopped_by_another_hand(
    server_binary: ServerBinary, tmp_path: Path
) -> None:
    starter = LocalServer(tmp_path, binary=server_binary, options=ServerOptions(is_attached=False))
    starter.start()
    state = starter.running_state()
    assert not state.has_living_owner
    try:
        assert LocalServer(tmp_path).stop()
        assert not Path(state.temporary_folder).exists()
    finally:
        starter.kill()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_server_dies_with_its_owner(tmp_path: Path, number: signal.Signals) -> None:
    with owned_server(tmp_path) as (owner, said):
        owner.send_signal(number)
        owner.wait()
        assert is_gone_within(3, said)


def test_the_server_dies_though_a_child_of_the_owner_holds_the_pipe(tmp_path: Path) -> None:
    with owned_server(tmp_path, "forks") as (owner, said):
        owner.kill()
        owner.wait()
        assert is_gone_within(3, said)
        assert identify(said["child"])

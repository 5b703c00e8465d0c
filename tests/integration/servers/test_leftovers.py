"""What a killed run left behind is found, named and removed; what is in use is let be."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from readiness.adapters import leftovers
from readiness.adapters.local_clones import LocalClones
from readiness.adapters.local_server import LocalServer
from readiness.adapters.processes import identify
from readiness.adapters.server_binary import ServerBinary
from readiness.adapters.server_command import ServerOptions
from readiness.adapters.server_state import (
    STATE_FILE,
    server_processes_of,
    temporary_folders_of,
)
from readiness.model.clone import Snapshot

pytestmark = pytest.mark.mysql
RESTORER = Path(__file__).with_name("restorer.py")
DETACHED = ServerOptions(is_attached=False)


def test_a_run_that_cleaned_up_left_nothing(clones: LocalClones, snapshot: Snapshot) -> None:
    clone = clones.restore(snapshot, run_id="run-1", variant="base", lease_s=60)
    assert len(leftovers.find(clones.root)) == 3
    clones.destroy(clone.name)
    assert leftovers.find(clones.root) == []


def test_servers_clones_folders_and_half_copies_are_removed(
    tmp_path: Path, snapshot: Snapshot
) -> None:
    clones = LocalClones(tmp_path, options=DETACHED)
    clone = clones.restore(snapshot, run_id="run-1", variant="base", lease_s=60)
    folder = Path(clones.server(clone.name).running_state().temporary_folder)
    (tmp_path / "snapshots" / "gold.partial").mkdir(parents=True)
    lines = leftovers.clean(tmp_path)
    clones.server(clone.name).kill()
    assert [line.partition(" ")[0] for line in lines] == ["server", "temporary", "clone", "half"]
    assert identify(clone.pid) is None
    assert not folder.exists()
    assert clones.list() == []
    assert leftovers.clean(tmp_path) == []


def test_a_server_whose_state_file_is_lost_is_found_all_the_same(
    server_binary: ServerBinary, tmp_path: Path
) -> None:
    server = LocalServer(tmp_path / "production", binary=server_binary, options=DETACHED)
    server.start()
    pid = server.running_state().pid
    (server.directory / STATE_FILE).unlink()
    found = leftovers.clean(tmp_path)
    server.kill()
    assert found[0].startswith(f"server process {pid} of ")
    assert found[1].startswith("temporary folder ")
    assert leftovers.find(tmp_path) == []
    assert server.is_initialised


@pytest.mark.parametrize("after_s", [0.1, 0.4, 0.9])
def test_a_restore_killed_anywhere_leaves_no_process_and_is_cleaned_up(
    tmp_path: Path, snapshot: Snapshot, after_s: float
) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command = [sys.executable, str(RESTORER), str(tmp_path), snapshot.path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as restorer:
        assert restorer.stdout
        assert restorer.stdout.readline() == b"going\n"
        time.sleep(after_s)
        restorer.kill()
    assert nothing_runs_within(3, tmp_path)
    leftovers.clean(tmp_path)
    assert leftovers.find(tmp_path) == []
    LocalClones(tmp_path).snapshots.verify(snapshot)


def nothing_runs_within(seconds: float, folder: Path) -> bool:
    """True when servers and socket folders of `folder` are gone in time, with nobody's help."""
    deadline = time.monotonic() + seconds
    while [*server_processes_of(folder), *temporary_folders_of(folder)]:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_servers_of_another_folder_are_let_be(private_server: LocalServer, tmp_path: Path) -> None:
    assert leftovers.clean(tmp_path) == []
    assert private_server.status()


def test_complete_snapshots_stay(tmp_path: Path, snapshot: Snapshot) -> None:
    shutil.copytree(snapshot.path, tmp_path / "snapshots" / snapshot.name)
    leftovers.clean(tmp_path)
    assert [s.sha256 for s in LocalClones(tmp_path).snapshots.all()] == [snapshot.sha256]

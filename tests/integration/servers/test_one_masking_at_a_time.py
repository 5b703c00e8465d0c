"""Two maskings of one target at once would take each other's values for new ones: the second waits."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from tests.fakes.engines import binary_of

from readiness import interlock
from readiness.adapters.local_clones import LocalClones
from readiness.adapters.local_server import LocalServer
from readiness.adapters.server_binary import ServerBinary
from readiness.cli.main import main
from readiness.masking.journal import Journal
from readiness.model.clone import Snapshot

pytestmark = pytest.mark.mysql


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READINESS_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("READINESS_KEY_FILE", str(tmp_path / "key"))


def mask(dsn: str) -> int:
    return main(["mask", "--target", dsn, "--not-needed", "an invented shop"])


def masked(server: LocalServer) -> str:
    with closing(server.root_session()) as session:
        marker = interlock.read_marker(session)
    assert marker
    return marker.masked


def test_a_clone_of_ours_is_held_on_this_machine(
    clones: LocalClones, snapshot: Snapshot, capsys: pytest.CaptureFixture[str]
) -> None:
    clone = clones.restore(snapshot, run_id="r", variant="a", lease_s=600)
    dsn = clones.admin_dsn(clone)
    with clones.alone(clone.name):
        assert mask(dsn) == 2
    assert f"Another command works on the clone {clone.name}." in capsys.readouterr().err
    assert masked(clones.server(clone.name)) == ""
    assert mask(dsn) == 0
    assert masked(clones.server(clone.name)) == "waived: an invented shop"
    assert main(["clone", "adopt", dsn, "--yes"]) == 2  # its marker would say other than its record
    assert f"{clone.name} is a clone of ours: it needs no adoption." in capsys.readouterr().err


@pytest.mark.parametrize("engine", ["mariadb", "mysql"])
def test_an_adopted_server_is_held_by_a_lock_of_its_own(
    engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    binary: ServerBinary = binary_of(engine)
    with LocalServer(tmp_path / "server", binary=binary) as server:
        with closing(server.root_session()) as admin:
            admin.query("CREATE DATABASE shop")
        dsn = f"mysql://root@localhost/shop?socket={server.running_state().socket}"
        assert main(["clone", "adopt", dsn, "--yes"]) == 0
        with closing(server.root_session()) as other:
            other.query("SELECT GET_LOCK('readiness_mask', 0)")
            assert mask(dsn) == 2
            assert "Another masking is at work on this server" in capsys.readouterr().err
            assert masked(server) == ""
        assert mask(dsn) == 0
        assert masked(server) == "waived: an invented shop"


def test_what_is_half_masked_is_not_let_in_by_a_word(
    clones: LocalClones, snapshot: Snapshot, capsys: pytest.CaptureFixture[str]
) -> None:
    clone = clones.restore(snapshot, run_id="r", variant="a", lease_s=600)
    with closing(clones.admin_session(clone.name)) as session:
        journal = Journal(session)
        journal.open()
        journal.write("before", "{}")
    assert mask(clones.admin_dsn(clone)) == 3
    told = capsys.readouterr().err
    assert "is half masked" in told
    assert f"readiness clone reset {clone.name}" in told
    assert masked(clones.server(clone.name)) == ""
    with closing(clones.admin_session(clone.name)) as session:
        Journal(session).clear()  # as it is once a masking has ended
    assert mask(clones.admin_dsn(clone)) == 0

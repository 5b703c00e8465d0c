"""Full disks, dead servers, foreign folders, two hands at once: an error that says so, and no rest."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes.engines import binary_of
from tests.integration.clones.backends import filled

from readiness.adapters import clone_folder, leftovers
from readiness.adapters.local_clones import LocalClones
from readiness.adapters.local_server import LocalServer
from readiness.adapters.processes import ProcessIdentity, end, identify
from readiness.adapters.server_state import write_state
from readiness.artifacts.lock import RunLock
from readiness.cli.main import main
from readiness.clones import lifecycle, manifest
from readiness.clones.usage import usage_of
from readiness.errors import Busy, CloneError, ReadinessError
from readiness.flow.janitor import Beat, make_round
from readiness.model.clone import Clone, Endpoint, Snapshot

pytestmark = pytest.mark.mysql
NAME = "readiness-r-a"
NOBODY = 65534


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def gold(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[LocalClones, Snapshot]]:
    binary, folder = binary_of(request.param), tmp_path_factory.mktemp("g")
    production = LocalServer(folder / "production", binary=binary)
    with production:
        filled(production)
    clones = LocalClones(folder / "state", binary=binary)
    yield clones, clones.snapshot(str(production.directory), "gold")
    for clone in clones.list():
        clones.destroy(clone.name)


def restored(clones: LocalClones, snapshot: Snapshot) -> Clone:
    return clones.restore(snapshot, run_id="r", variant="a", lease_s=60)


def test_a_disk_that_fills_while_it_is_copied_leaves_nothing(
    gold: tuple[LocalClones, Snapshot], monkeypatch: pytest.MonkeyPatch
) -> None:
    clones, snapshot = gold

    def full(_source: Path, destination: Path, *, log: Path) -> None:
        destination.mkdir()
        (destination / "ibdata1").write_bytes(b"half")
        raise CloneError(f"The copy to {destination} failed: No space left on device, see {log}.")

    monkeypatch.setattr(clone_folder, "copy_tree", full)
    with pytest.raises(CloneError, match="No space left"):
        restored(clones, snapshot)
    assert (clones.list(), leftovers.find(clones.root)) == ([], [])


@pytest.mark.parametrize("verb", ["restore", "admit", "reset"])
def test_a_server_that_dies_in_the_middle_is_told_and_a_retry_goes_on(
    gold: tuple[LocalClones, Snapshot], monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    clones, snapshot = gold
    if verb != "restore":
        restored(clones, snapshot)

    def dies(*_: object) -> None:
        state = clones.server(NAME).running_state()
        end(ProcessIdentity(state.pid, state.started_ticks), grace_s=0)
        clones.admin_session(NAME).query("SELECT 1")

    broken = "drop_load_users" if verb == "admit" else "forget_source"
    with monkeypatch.context() as patch:
        patch.setattr(f"readiness.adapters.clone_server.{broken}", dies)
        work = {
            "restore": lambda: restored(clones, snapshot),
            "admit": lambda: clones.admit(NAME, masked="waived: made up"),
            "reset": lambda: clones.reset(NAME),
        }[verb]
        with pytest.raises(ReadinessError):
            work()
    with pytest.raises(CloneError):
        clones.load_password_file(NAME)
    assert restored(clones, snapshot).pid
    clones.admit(NAME, masked="waived: made up")
    assert clones.load_password_file(NAME).exists()
    clones.destroy(NAME)
    assert leftovers.find(clones.root) == []


def test_a_copy_of_a_source_that_crashed_is_refused_and_nothing_stays(
    tmp_path: Path, gold: tuple[LocalClones, Snapshot]
) -> None:
    clones, _ = gold
    crashed = LocalServer(tmp_path / "crashed", binary=clones.binary)
    crashed.start()
    filled(crashed)
    crashed.kill()
    try:
        snapshot = clones.snapshot(str(crashed.directory), "crashed")
    except CloneError:
        return  # it is known to be no good before anything is copied
    with pytest.raises(CloneError, match=r"not stopped in order|torn"):
        restored(clones, snapshot)
    assert clones.list() == []


def test_a_server_that_ends_with_its_dead_starter_is_started_anew(
    gold: tuple[LocalClones, Snapshot],
) -> None:
    clones, snapshot = gold
    first = restored(clones, snapshot)
    state = clones.server(NAME).running_state()
    write_state(Path(first.directory), replace(state, owner_pid=state.pid, owner_ticks=1))
    others = LocalClones(clones.root, binary=clones.binary)
    second = restored(others, snapshot)
    assert second.pid != first.pid
    assert identify(first.pid) is None
    others.destroy(NAME)
    clones.destroy(NAME)


def test_hands_that_destroy_at_once_do_not_hinder_each_other(
    gold: tuple[LocalClones, Snapshot],
) -> None:
    clones, snapshot = gold
    restored(clones, snapshot)
    with ThreadPoolExecutor(4) as hands:
        others = [LocalClones(clones.root, binary=clones.binary) for _ in range(4)]
        done = list(hands.map(lambda other: other.destroy(NAME), others))
    clones.destroy(NAME)
    assert any(done)
    assert (clones.list(), leftovers.find(clones.root)) == ([], [])


def test_a_full_disk_keeps_neither_destroy_nor_the_janitor_from_freeing_it(
    gold: tuple[LocalClones, Snapshot], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    clones, snapshot = gold
    restored(clones, snapshot)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("readiness.adapters.local_server.write_state", full)
        patch.setattr("readiness.artifacts.lock.os.pwrite", full)
        with RunLock(tmp_path / "janitor.lock"), pytest.raises(Busy):
            RunLock(tmp_path / "janitor.lock").acquire()
        beat = Beat(clones, list, tmp_path / "diary.json")
        made = make_round(beat, now_s=time.time() + 3600)
    assert [clone.name for clone in made.destroyed] == [NAME]
    assert (clones.list(), leftovers.find(clones.root)) == ([], [])


def test_of_two_hands_on_one_clone_one_is_told_to_wait_and_harms_nothing(
    gold: tuple[LocalClones, Snapshot],
) -> None:
    """Each used to remove the half copy of the other, and both failed."""
    clones, snapshot = gold
    others = [LocalClones(clones.root, binary=clones.binary) for _ in range(3)]

    def hand(other: LocalClones) -> Clone | Busy:
        try:
            return restored(other, snapshot)
        except Busy as busy:
            return busy

    with ThreadPoolExecutor(3) as hands:
        done = list(hands.map(hand, others))
    assert any(isinstance(made, Clone) for made in done)
    assert all(NAME in made.message for made in done if isinstance(made, Busy))
    assert clones.named(NAME).pid
    with clones.alone(NAME):
        for work in (
            lambda: restored(clones, snapshot),
            lambda: clones.reset(NAME),
            lambda: clones.freeze(NAME, "golden-master"),
        ):
            with pytest.raises(Busy, match=f"Another command works on the clone {NAME}"):
                work()
        removed = [other.destroy(NAME) for other in others]  # whoever ends it need not wait
    assert any(removed)
    assert leftovers.find(clones.root) == []


def test_a_clone_is_not_given_up_for_another_snapshot_without_a_word(
    gold: tuple[LocalClones, Snapshot],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    clones, snapshot = gold
    clone = restored(clones, snapshot)
    clones.admit(NAME, masked="waived: made up")
    other = clones.root / "snapshots" / "other"
    shutil.copytree(snapshot.path, other)
    manifest.write_manifest(other, replace(manifest.read_manifest(other), name="other"))
    monkeypatch.setenv("READINESS_STATE", str(clones.root))
    monkeypatch.setenv("READINESS_MYSQLD", str(clones.binary.path))
    create = ["clone", "create", "--run-id", "r", "--variant", "a", "--snapshot"]
    try:
        assert main([*create, "other"]) == 3
        said = capsys.readouterr().err
        assert f"There is a clone {NAME} of snapshot gold, asked for by {clone.owner}." in said
        assert f"readiness clone destroy {NAME}" in said
        assert clones.named(NAME).masked == "waived: made up"
        assert main(["clone", "snapshots"]) == 0
        assert "other  NOT masked: rows of production, " in capsys.readouterr().out
        assert main(["clone", "drop", "other"]) == 0
        assert main(["clone", "drop", "gold"]) == 3  # a reset would have nothing to copy
        assert f"is what {NAME} would be reset from" in capsys.readouterr().err
        assert [kept.name for kept in clones.snapshots.all()] == ["gold"]
        assert main([*create, "gold"]) == 0  # the same again only moves its lease
        assert clones.named(NAME).pid == clone.pid
    finally:
        shutil.rmtree(other, ignore_errors=True)
        clones.destroy(NAME)


@pytest.fixture
def foreign() -> Iterator[Path]:
    """The folder of an expired clone, and one beside it, which this test may not delete."""
    top = Path(tempfile.mkdtemp(dir="/tmp"))
    top.chmod(0o755)
    for name in (NAME, "readiness-r-b"):
        folder = top / "clones" / name
        lifecycle.begin(folder, Clone(name, "r", "gold", Endpoint(), 0, str(folder), 1.0, 2.0))
        (folder / "data").mkdir()
        (folder / "data" / "ibdata1").touch()
    if os.geteuid() == 0:  # who is root may delete everything: become somebody else
        os.chown(top / "clones", NOBODY, NOBODY)
        for path in [
            top / "clones" / "readiness-r-b",
            *(top / "clones" / "readiness-r-b").rglob("*"),
        ]:
            os.chown(path, NOBODY, NOBODY)
        (top / "clones" / NAME).chmod(0o755)
        os.seteuid(NOBODY)
    else:
        (top / "clones" / NAME / "data").chmod(0o500)
    yield top
    if os.getuid() == 0:
        os.seteuid(0)
    else:
        (top / "clones" / NAME / "data").chmod(0o700)
    shutil.rmtree(top)


def test_a_folder_of_another_user_is_told_and_the_janitor_goes_on(foreign: Path) -> None:
    clones, diary = LocalClones(foreign), foreign / "clones" / "diary.json"
    with pytest.raises(CloneError, match="this user may not delete") as told:
        clones.destroy(NAME)
    assert told.value.hint.startswith("As ")
    made = make_round(Beat(clones, list, diary), now_s=time.time())
    assert [clone.name for clone in made.destroyed] == ["readiness-r-b"]
    assert [decision.name for decision in made.failed] == [NAME]
    assert [clone.name for clone in clones.list()] == [NAME]


def test_a_folder_takes_what_its_files_take(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "full").write_bytes(b"x" * 100_000)
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(10_000_000)
    usage = usage_of(tmp_path)
    assert usage.file_bytes == 10_100_000
    assert 100_000 <= usage.disk_bytes < 1_000_000
    assert usage_of(tmp_path / "none").disk_bytes == 0

"""The janitor ends real clones whose lease has ended, wherever their run stopped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from readiness.adapters import leftovers
from readiness.adapters.local_clones import LocalClones
from readiness.adapters.processes import identify
from readiness.adapters.server_command import ServerOptions
from readiness.artifacts.lock import RunLock
from readiness.artifacts.run_folder import RunFolder
from readiness.clones.lifecycle import RECORD_FILE
from readiness.config.settings import Settings, read_settings
from readiness.errors import Busy
from readiness.model.clone import Clone, Snapshot
from readiness.wiring.janitor import SEALED, tend_clones

pytestmark = pytest.mark.mysql
RUNS = ("killed", "running", "lost")


@pytest.fixture
def detached(clones: LocalClones) -> Iterator[LocalClones]:
    """Clones that outlive who made them, as those of tasks do."""
    backend = LocalClones(clones.root, options=ServerOptions(is_attached=False))
    yield backend
    leftovers.clean(clones.root)
    for run_id in RUNS:
        backend.server(f"readiness-{run_id}-a").kill()  # reaps the child of this process


@pytest.fixture
def settings(clones: LocalClones) -> Settings:
    return read_settings({"READINESS_STATE": str(clones.root)})


def restored(clones: LocalClones, snapshot: Snapshot, name: str, lease_s: float) -> Clone:
    return clones.restore(snapshot, run_id=name, variant="a", lease_s=lease_s)


def test_an_expired_clone_goes_and_a_leased_one_stays(
    detached: LocalClones, snapshot: Snapshot, settings: Settings
) -> None:
    expired = restored(detached, snapshot, "killed", -1)
    leased = restored(detached, snapshot, "running", 3600)
    made = tend_clones(settings)
    assert [clone.name for clone in made.destroyed] == [expired.name]
    assert identify(expired.pid) is None
    assert not Path(expired.directory).exists()
    assert [clone.name for clone in detached.list()] == [leased.name]
    assert tend_clones(settings).destroyed == ()


def test_a_copy_that_was_killed_half_way_goes_with_its_lease(
    detached: LocalClones, snapshot: Snapshot, settings: Settings
) -> None:
    clone = restored(detached, snapshot, "killed", -1)
    detached.server(clone.name).kill()
    data = Path(clone.directory) / "data"
    data.rename(data.with_name("data.partial"))
    assert [c.name for c in tend_clones(settings).destroyed] == [clone.name]
    assert leftovers.find(detached.root) == []


def test_a_server_without_a_record_is_told_and_lives_on(
    detached: LocalClones, snapshot: Snapshot, settings: Settings
) -> None:
    clone = restored(detached, snapshot, "lost", -1)
    (Path(clone.directory) / RECORD_FILE).unlink()
    made = tend_clones(settings)
    assert made.destroyed == ()
    assert [d.why for d in made.told] == [f"has no record, but process {clone.pid}"]
    assert identify(clone.pid) is not None


def events(settings: Settings, run_id: str) -> list[str]:
    return [event["event"] for event in RunFolder(settings.runs / run_id).read_events()]


def test_the_channel_hears_of_a_run_that_was_never_sealed(
    detached: LocalClones, snapshot: Snapshot, settings: Settings
) -> None:
    restored(detached, snapshot, "killed", -1)
    folder = RunFolder(settings.runs / "killed")
    folder.append_event(1.0, "reserved")
    tend_clones(settings)
    assert events(settings, "killed") == ["reserved", "clone_destroyed_by_janitor", "told"]
    sent = "".join(path.read_text() for path in sorted(folder.path.glob("slack/*.json")))
    assert "the run did not end" in sent


def test_a_clone_that_was_kept_for_a_look_goes_in_silence(
    detached: LocalClones, snapshot: Snapshot, settings: Settings
) -> None:
    restored(detached, snapshot, "killed", -1)
    folder = RunFolder(settings.runs / "killed")
    folder.append_event(1.0, SEALED)
    tend_clones(settings)
    assert events(settings, "killed") == [SEALED, "clone_destroyed_by_janitor"]
    assert not list(folder.path.glob("slack/*"))


def test_two_janitors_do_not_work_at_once(settings: Settings) -> None:
    with RunLock(settings.state / "janitor.lock"), pytest.raises(Busy):
        tend_clones(settings)


def janitor(state: Path, *options: str) -> str:
    """What `readiness clone janitor` prints."""
    command = [str(Path(sys.executable).with_name("readiness")), "clone", "janitor", *options]
    env = {**os.environ, "READINESS_STATE": str(state)}
    return subprocess.run(
        command, env=env, capture_output=True, text=True, check=True, timeout=60
    ).stdout


def test_the_command_says_first_and_does_then(detached: LocalClones, snapshot: Snapshot) -> None:
    clone = restored(detached, snapshot, "killed", -1)
    assert f"{clone.name} would be destroyed" in janitor(detached.root, "--dry-run")
    assert json.loads(janitor(detached.root, "--json"))["destroyed"] == [clone.name]
    assert detached.list() == []

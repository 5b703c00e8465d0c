"""Kill -9 before every third step of every verb, or before each (READINESS_KILL=all): then the janitor
leaves nothing, or a retry completes it; and production is what it was."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.fakes.engines import binary_of
from tests.integration.clones.backends import ROWS, filled, rows_of
from tests.integration.clones.killing import killed_before

from readiness.adapters import leftovers
from readiness.adapters.local_clones import LocalClones
from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_session import open_session
from readiness.adapters.server_binary import ServerBinary
from readiness.adapters.server_command import ServerOptions
from readiness.clones.janitor import GRACE_S
from readiness.clones.manifest import digest_of
from readiness.config.settings import read_settings
from readiness.wiring.janitor import tend_clones

pytestmark = [pytest.mark.mysql, pytest.mark.long]
NAME = "readiness-killed-a"
MASKED = "policy default 3f2a9c11d0ab"
Work = Callable[[], object]


@dataclass
class Place:
    """A stopped production with a snapshot of it, and the state folder that clones are made in."""

    production: LocalServer
    binary: ServerBinary
    state: Path
    temporary: Path
    made: list[LocalClones] = field(default_factory=list)

    def clones(self, *, is_attached: bool = False) -> LocalClones:
        options = ServerOptions(is_attached=is_attached)
        self.made.append(LocalClones(self.state, binary=self.binary, options=options))
        return self.made[-1]

    def restore(self, clones: LocalClones, snapshot: str = "gold") -> object:
        taken = clones.snapshots.named(snapshot)
        return clones.restore(taken, run_id="killed", variant="a", lease_s=1)

    def prepared(self, *, masked: str) -> None:
        """A clone, admitted where `masked` says how."""
        clones = self.clones()
        self.restore(clones)
        if masked:
            clones.admit(NAME, masked=masked)

    def rest(self) -> list[str]:
        """All that is left beside whole snapshots: processes, folders, half copies, sockets."""
        return [
            *leftovers.find(self.state),
            *(str(path) for path in self.temporary.iterdir()),
            *(str(path) for path in (self.state / "clones").glob("*")),
            *(str(path) for path in (self.state / "snapshots").glob("*.partial")),
        ]

    def tend(self) -> None:
        """The janitor comes when leases have ended and nobody can be making anything."""
        settings = read_settings({"READINESS_STATE": str(self.state)})
        made = tend_clones(settings, now_s=time.time() + GRACE_S + 60)
        assert made.failed == ()
        assert made.told == ()


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    binary = binary_of(request.param)
    folder, before = tmp_path_factory.mktemp("k"), tempfile.tempdir
    production = LocalServer(folder / "production", binary=binary)
    with production:
        filled(production)
        rows = rows_of(production.root_session())
    (folder / "t").mkdir()
    tempfile.tempdir = str(folder / "t")
    made = Place(production, binary, folder / "state", folder / "t")
    made.clones().snapshot(str(production.directory), "gold")
    digest = digest_of(production.datadir)
    yield made
    leftovers.clean(made.state)
    assert digest_of(production.datadir) == digest
    with production:
        assert rows_of(production.root_session()) == rows
        session = production.root_session()
        assert session.query("CHECK TABLE shop.users")[0][-1] == "OK"
        session.close()
    tempfile.tempdir = before


def prepare(place: Place, verb: str) -> Work:
    """What the verb needs is made; the verb itself, to be run and killed in another process."""
    if verb == "snapshot":
        return lambda: place.clones().snapshot(str(place.production.directory), "other")
    if verb in {"restore", "attached"}:
        clones = place.clones(is_attached=verb == "attached")
        return lambda: place.restore(clones)
    place.prepared(masked="" if verb == "admit" else MASKED)
    clones = place.clones()
    return {
        "admit": lambda: clones.admit(NAME, masked=MASKED),
        "reset": lambda: clones.reset(NAME),
        "freeze": lambda: clones.freeze(NAME, "master"),
        "destroy": lambda: clones.destroy(NAME),
    }[verb]


def again(place: Place, verb: str) -> None:
    """The retry, by a process of its own; what the verb promises must hold then."""
    clones = place.clones()
    if verb == "snapshot":
        clones.snapshots.verify(clones.snapshot(str(place.production.directory), "other"))
        return
    if verb == "destroy":
        clones.destroy(NAME)
        assert not clones.destroy(NAME)
        return
    if verb in {"restore", "attached"}:
        place.restore(clones)
    elif verb == "admit":
        place.restore(clones)
        assert clones.admit(NAME, masked=MASKED).masked == MASKED
    elif verb == "reset":
        assert clones.reset(NAME).masked == ""
    else:
        place.restore(clones)
        master = clones.freeze(NAME, "master")
        assert (master.masked, clones.named(NAME).masked) == (MASKED, MASKED)
        clones.snapshots.verify(master)
    assert len(rows_of(clones.admin_session(NAME))) == ROWS
    if verb in {"admit", "freeze"}:
        open_session(**clones.load_login(NAME)).close()


VERBS = ("snapshot", "restore", "attached", "admit", "reset", "freeze", "destroy")


def strides(place: Place, *, fine: int) -> int:
    """Every third step, or with READINESS_KILL=all each. MySQL takes its time: half as many there."""
    some = 1 if os.environ.get("READINESS_KILL") == "all" else 3
    return some * fine if place.binary.engine == "mariadb" else 2 * some * fine


@pytest.mark.parametrize("verb", VERBS)
def test_the_janitor_leaves_nothing_of_what_was_killed(place: Place, verb: str) -> None:
    step, stride = 1, strides(place, fine=1)
    while killed_before(step, prepare(place, verb), root=place.state):
        place.tend()
        assert place.rest() == [], f"after a kill before step {step}"
        step += stride
        forget(place)
    place.tend()
    assert place.rest() == []
    forget(place)
    assert step > 2 * stride


@pytest.mark.parametrize("verb", VERBS)
def test_a_retry_completes_what_was_killed(place: Place, verb: str) -> None:
    step, stride = 1, strides(place, fine=2)
    while killed_before(step, prepare(place, verb), root=place.state):
        again(place, verb)
        step += stride
        place.clones().destroy(NAME)
        forget(place)
    place.clones().destroy(NAME)
    forget(place)
    assert place.rest() == []


def forget(place: Place) -> None:
    """Whole snapshots that the verbs made go; servers that this process started are reaped."""
    for name in ("other", "master"):
        place.clones().snapshots.delete(name)
    for clones in place.made:
        clones.server(NAME).kill()
    place.made.clear()

"""A clone of a small shop that a person would mask, and all that can be asked of it while it is."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.fakes.engines import binary_of

from readiness import interlock
from readiness.adapters import leftovers
from readiness.adapters.local_clones import LocalClones
from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_session import open_session
from readiness.adapters.server_binary import ServerBinary
from readiness.anonymize.key import load_key
from readiness.artifacts.masking_file import MASKING_FILE, read_masking
from readiness.clones.janitor import GRACE_S
from readiness.clones.manifest import digest_of
from readiness.config.masking import Masking
from readiness.config.settings import Settings, read_settings
from readiness.errors import CloneError
from readiness.interlock import Purpose
from readiness.model.masking import Masked
from readiness.model.verdict import Outcome
from readiness.ports import Session
from readiness.wiring.janitor import tend_clones
from readiness.wiring.masking import MaskRequest, mask_target
from readiness.wiring.targets import keys_of, target_of

NAME = "readiness-killed-a"
POLICY = Path(__file__).parents[3] / "include/policies/default.yaml"
ROWS = 160
STATEMENTS = (
    "CREATE DATABASE shop COLLATE utf8mb4_unicode_ci",
    "CREATE DATABASE office COLLATE utf8mb4_unicode_ci",
    "CREATE TABLE shop.users (id INT AUTO_INCREMENT PRIMARY KEY, email VARCHAR(80) NOT NULL,"
    " email_sha256 CHAR(64) NOT NULL, phone VARCHAR(20), UNIQUE KEY email (email))",
    "CREATE TABLE shop.orders (id INT PRIMARY KEY, user_id INT NOT NULL, contact_email VARCHAR(80),"
    " state VARCHAR(9) NOT NULL, CONSTRAINT buyer FOREIGN KEY (user_id) REFERENCES users (id))",
    "CREATE TABLE shop.trail (what VARCHAR(80))",
    "CREATE TRIGGER shop.seen AFTER UPDATE ON shop.orders FOR EACH ROW INSERT INTO shop.trail VALUES ('x')",
    "CREATE TABLE office.staff (email VARCHAR(80), last_name VARCHAR(40))",
)
Rows = tuple[object, ...]


@dataclass
class Place:
    """A stopped production, a snapshot of it, and the state folder that clones are made in."""

    production: LocalServer
    binary: ServerBinary
    state: Path
    temporary: Path
    made: list[LocalClones] = field(default_factory=list)

    @property
    def settings(self) -> Settings:
        return read_settings(
            {"READINESS_STATE": str(self.state), "READINESS_KEY_FILE": str(self.state / "key")}
        )

    def clones(self) -> LocalClones:
        """As a process that comes next sees them."""
        self.made.append(LocalClones(self.state, binary=self.binary))
        return self.made[-1]

    def restore(self) -> None:
        """A clone that nobody has masked; or the one that is there, running again."""
        clones = self.clones()
        clones.restore(clones.snapshots.named("gold"), run_id="killed", variant="a", lease_s=3600)

    def mask(self) -> Masked:
        """What `readiness mask` does."""
        clones = self.clones()
        clone = clones.named(NAME)
        target = target_of(clones.admin_dsn(clone), clones)
        request = MaskRequest(target, Masking(POLICY), Path(clone.directory), 3600.0)
        return mask_target(request, clones, self.settings, progress=lambda _: None)

    def rows(self) -> Rows:
        """All of both databases: definitions and rows."""
        with closing(self.clones().admin_session(NAME)) as session:
            return contents(session)

    def is_guarded(self, end: Rows) -> bool:
        """Whether load is kept out, which must be so until all is masked and proven."""
        clones = self.clones()
        with closing(clones.admin_session(NAME)) as session:
            marker = interlock.read_marker(session)
            users = session.query("SELECT 1 FROM mysql.user WHERE User = 'readiness_load'")
            clone = clones.named(NAME)
            target = target_of(clones.admin_dsn(clone), clones)
            keys = keys_of(target, session, self.settings, Purpose.LOAD)
        assert marker
        if marker.masked:
            self._require_proven(end)
            return False
        assert (users, clone.masked) == ([], "")
        assert [key.name for key in keys if not key.holds and key.name == "masked"] == ["masked"]
        with pytest.raises(CloneError):
            clones.load_login(NAME)
        return True

    def _require_proven(self, end: Rows) -> None:
        assert self.rows() == end
        proofs = read_masking(self.state / "clones" / NAME / MASKING_FILE)
        assert [proof.database for proof in proofs] == ["office", "shop"]
        assert {c.outcome for proof in proofs for c in proof.checks} == {Outcome.PASSED}

    def require_end(self, end: Rows) -> None:
        """It is masked as if nothing had been, nothing of the masking is left, and load gets in."""
        assert self.rows() == end
        assert not self.is_guarded(end)
        clones = self.clones()
        assert clones.named(NAME).masked.startswith("policy default")
        with closing(clones.admin_session(NAME)) as session:
            assert session.query("SHOW TABLES FROM readiness_marker") == [("marker",)]
        with closing(open_session(**clones.load_login(NAME))) as session:
            assert session.query("SELECT COUNT(*) FROM shop.users") == [(ROWS,)]

    def tend(self) -> None:
        """The janitor comes when leases have ended and nobody can be making anything."""
        made = tend_clones(self.settings, now_s=time.time() + 3600 + GRACE_S + 60)
        assert (made.failed, made.told) == ((), ())

    def require_gone(self) -> None:
        """Nothing is left of clones: no process, folder, socket."""
        assert leftovers.find(self.state) == []
        assert [*self.temporary.iterdir(), *(self.state / "clones").glob("*")] == []

    def forget(self) -> None:
        """Ends and reaps what this process started."""
        for clones in self.made:
            clones.destroy(NAME)
        self.made.clear()


@contextmanager
def masking_place(engine: str, folder: Path) -> Iterator[Place]:
    """Made, and at the end proven to have left production alone."""
    binary, before = binary_of(engine), tempfile.tempdir
    production = LocalServer(folder / "production", binary=binary)
    with production, closing(production.root_session()) as session:
        fill(session)
        rows = contents(session)
    (folder / "t").mkdir()
    tempfile.tempdir = str(folder / "t")
    place = Place(production, binary, folder / "state", folder / "t")
    place.clones().snapshot(str(production.directory), "gold")
    load_key(place.settings.key_file)  # so that each masking has the same steps
    digest = digest_of(production.datadir)
    try:
        yield place
    finally:
        place.forget()
        tempfile.tempdir = before
    assert digest_of(production.datadir) == digest
    with production, closing(production.root_session()) as session:
        assert contents(session) == rows


def fill(session: Session) -> None:
    """The shop and the office of production."""
    for statement in STATEMENTS:
        session.query(statement)
    for n in range(ROWS):
        email = f"Person.Number{n}@mail{n % 7}-example.org"
        session.query(
            "INSERT INTO shop.users VALUES (%s, %s, SHA2(%s, 256), %s)",
            (n + 1, email, email, f"+49170{5550000 + n}"),
        )
        session.query(
            "INSERT INTO shop.orders VALUES (%s, %s, %s, %s)",
            (n, n + 1, email, ("new", "paid")[n % 2]),
        )
        session.query("INSERT INTO office.staff VALUES (%s, %s)", (email, f"Surname{n % 50}"))


def contents(session: Session) -> Rows:
    """Definitions and rows of all tables, and the triggers."""
    named = [(d, t) for d in ("office", "shop") for t in _tables(session, d)]
    return (
        tuple(named),
        tuple(str(session.query(f"SHOW CREATE TABLE {d}.{t}")[0][1]) for d, t in named),
        tuple(tuple(sorted(map(repr, session.query(f"SELECT * FROM {d}.{t}")))) for d, t in named),
        tuple(str(row[0]) for row in session.query("SHOW TRIGGERS FROM shop")),
    )


def _tables(session: Session, database: str) -> list[str]:
    return sorted(str(row[0]) for row in session.query(f"SHOW TABLES FROM {database}"))


def some_of(steps: Sequence[str]) -> list[int]:
    """Numbers of steps, from 1, that a process is killed before: some of all kinds, and all of those in
    which load is let in; with READINESS_KILL=all the first and last of each kind."""
    numbers = range(1, len(steps) + 1)
    first = {steps[n - 1]: n for n in reversed(numbers)}
    last = {steps[n - 1]: n for n in numbers}
    kinds = sorted({*first.values(), *last.values()})
    if os.environ.get("READINESS_KILL") == "all":
        return kinds
    return sorted({*kinds[:: len(kinds) // 16], *(n for n in kinds if n > len(steps) - 24)})

"""A `CloneBackend` in memory: every clone is a small SQLite database with a marker. It passes the
contract of clone backends, so that what is built on one can be tested without a server."""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from readiness import interlock
from readiness.clones import leases, naming
from readiness.errors import CloneError, StatementFailed
from readiness.model.clone import Clone, Endpoint, Snapshot
from readiness.ports import Row, Session

ROOM_BYTES = 1 << 30
_SIZE_BYTES = 1 << 20
_ABSENT = 1146
_MARKER = (
    "CREATE TABLE readiness_marker.marker (id INTEGER PRIMARY KEY, run_id TEXT, nonce TEXT,"
    " server TEXT, created_at REAL, lease_until REAL, masked TEXT)"
)


class MemorySession:
    """`ports.Session` over SQLite; `%s` stands for a parameter, as everywhere."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        """All rows; raises StatementFailed with the code of a table that is not there."""
        try:
            return self._database.execute(sql.replace("%s", "?"), tuple(parameters)).fetchall()
        except sqlite3.OperationalError:
            raise StatementFailed("The server answered with an error.", code=_ABSENT) from None

    def close(self) -> None:
        """The database stays."""


@dataclass
class Server:
    """The database of a clone: schemas `shop` and `readiness_marker`, and who may load it."""

    database: sqlite3.Connection
    load_password: str = ""

    @classmethod
    def of(cls, users: Sequence[Row]) -> Server:
        """A server whose shop.users holds `users`."""
        database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        for schema in ("shop", "readiness_marker"):
            database.execute(f"ATTACH ':memory:' AS {schema}")
        database.execute("CREATE TABLE shop.users (id INTEGER PRIMARY KEY, v TEXT)")
        database.executemany("INSERT INTO shop.users VALUES (?, ?)", users)
        return cls(database)

    def users(self) -> list[Row]:
        """The rows of shop.users."""
        return self.database.execute("SELECT id, v FROM shop.users ORDER BY id").fetchall()


@dataclass
class Cloud:
    """What outlives the process that asks: sources, snapshots, clones with their servers."""

    sources: dict[str, list[Row]] = field(default_factory=dict)
    snapshots: dict[str, tuple[Snapshot, list[Row]]] = field(default_factory=dict)
    clones: dict[str, tuple[Clone, Server]] = field(default_factory=dict)


class MemoryClones:
    """`ports.CloneBackend` over a `Cloud`."""

    name = "memory"

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud

    def snapshot(self, source: str, name: str) -> Snapshot:
        """The rows of a source as they are now."""
        if source not in self.cloud.sources:
            raise CloneError(f"There is no source {source}.")
        return self._keep(name, self.cloud.sources[source], "")

    def restore(
        self,
        snapshot: Snapshot,
        *,
        run_id: str,
        variant: str,
        lease_s: float,
        load_bytes: int = 0,
    ) -> Clone:
        """As the port says."""
        name, now_s = naming.clone_name(run_id, variant), time.time()
        if snapshot.engine != self.name:
            raise CloneError(f"Snapshot {snapshot.name} is of {snapshot.engine}.")
        if snapshot.bytes + load_bytes > ROOM_BYTES:
            raise CloneError("There is not so much room.")
        before = self.cloud.clones.get(name)
        if before and before[0].snapshot == snapshot.name:
            clone = leases.renewed(before[0], now_s=now_s, lease_s=lease_s)
            return self._finish(clone, before[1], clone.masked)
        until = now_s + lease_s
        clone = Clone(name, run_id, snapshot.name, Endpoint(name, 3306), 1, "", now_s, until)
        return self._finish(
            replace(clone, database="shop", owner="tests@here"),
            Server.of(self.cloud.snapshots[snapshot.name][1]),
            snapshot.masked,
        )

    def admit(self, name: str, *, masked: str, nonce: str = "") -> Clone:
        """As the port says."""
        clone, server = self._there(name)
        if not 0 < len(masked) <= 190:
            raise CloneError("The marker holds 1 to 190 characters.")
        if not interlock.note_masked(MemorySession(server.database), masked, nonce=nonce):
            raise CloneError(f"The clone {name} was made anew while it was masked.")
        server.load_password = server.load_password or secrets.token_hex(8)
        return self._note(replace(clone, masked=masked), server)

    def reset(self, name: str) -> Clone:
        """As the port says."""
        clone, _ = self._there(name)
        snapshot, users = self.cloud.snapshots[clone.snapshot]
        return self._finish(replace(clone, masked=""), Server.of(users), snapshot.masked)

    def freeze(self, name: str, snapshot_name: str) -> Snapshot:
        """As the port says."""
        clone, server = self._there(name)
        if not clone.masked or clone.snapshot == snapshot_name:
            raise CloneError(f"{name} is not masked, or {snapshot_name} is its own snapshot.")
        return self._keep(snapshot_name, server.users(), clone.masked)

    def renew(self, name: str, lease_s: float) -> Clone:
        """As the port says."""
        clone, server = self._there(name)
        renewed = leases.renewed(clone, now_s=time.time(), lease_s=lease_s)
        server.database.execute(
            "UPDATE readiness_marker.marker SET lease_until = ?", (renewed.lease_until,)
        )
        return self._note(renewed, server)

    def admin_session(self, name: str, database: str = "") -> Session:
        """As the port says."""
        return MemorySession(self._there(name)[1].database)

    def list(self) -> list[Clone]:
        """As the port says."""
        return [clone for _, (clone, _) in sorted(self.cloud.clones.items())]

    def destroy(self, name: str) -> bool:
        """As the port says."""
        return self.cloud.clones.pop(name, None) is not None

    def _keep(self, name: str, users: Sequence[Row], masked: str) -> Snapshot:
        made = Snapshot(
            name, "", self.name, "1.0", _SIZE_BYTES, time.time(), masked=masked, method="copy"
        )
        self.cloud.snapshots[name] = (made, [*users])
        return made

    def _finish(self, clone: Clone, server: Server, masked: str) -> Clone:
        database = server.database
        database.execute("DROP TABLE IF EXISTS readiness_marker.marker")
        database.execute(_MARKER)
        row = (clone.run_id, secrets.token_hex(16), clone.name, clone.created_at, clone.lease_until)
        database.execute(
            "INSERT INTO readiness_marker.marker VALUES (1, ?, ?, ?, ?, ?, ?)", (*row, masked)
        )
        self._note(clone, server)
        return self.admit(clone.name, masked=masked) if masked else clone

    def _note(self, clone: Clone, server: Server) -> Clone:
        self.cloud.clones[clone.name] = (clone, server)
        return clone

    def _there(self, name: str) -> tuple[Clone, Server]:
        if name not in self.cloud.clones:
            raise CloneError(f"There is no clone {name}.")
        return self.cloud.clones[name]

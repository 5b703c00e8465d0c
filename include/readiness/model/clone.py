"""Snapshots, clones, markers, and the identity of a server."""

from __future__ import annotations

from dataclasses import dataclass

MARKER_SCHEMA = "readiness_marker"
"""What is ours on a clone: the marker, and the journal of its masking."""

SYSTEM_SCHEMAS = ("mysql", "sys", "information_schema", "performance_schema", MARKER_SCHEMA)
"""All that hold no data of somebody."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a server listens: (host, port), or a socket path. No user, no password."""

    host: str = ""
    port: int = 0
    socket: str = ""

    def __str__(self) -> str:
        return self.socket or f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class ServerIdentity:
    """What tells two servers apart. `uuid` is server_uuid (MySQL) or server_uid (MariaDB), which
    a file copy carries along: MariaDB is told apart by (uid, datadir)."""

    engine: str  # "mariadb" or "mysql"
    version: str
    uuid: str
    datadir: str
    hostname: str
    port: int


@dataclass(frozen=True, slots=True)
class Marker:
    """The row that says: this database is a clone of ours. Times are seconds since the epoch; `masked`
    says how personal data left it, "" while it may hold some."""

    run_id: str
    nonce: str
    server: str  # digest of the server's identity
    created_at: float
    lease_until: float
    masked: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A consistent copy of a datadir, stopped. `path` holds `data/` and `manifest.json`; `method` says
    how it was taken; `masked` is that of the clone it was taken of, "" for one of production."""

    name: str
    path: str
    engine: str
    version: str
    bytes: int
    created_at: float
    sha256: str = ""
    method: str = "stopped"  # or "mariadb-backup", "clone-plugin"
    masked: str = ""


@dataclass(frozen=True, slots=True)
class Clone:
    """A running copy that we own. `owner` is the user and host that asked for it; `masked` says how
    personal data left it, "" while it may hold some: then it has no load user."""

    name: str
    run_id: str
    snapshot: str
    endpoint: Endpoint
    pid: int
    directory: str
    created_at: float
    lease_until: float
    database: str = ""
    owner: str = ""
    masked: str = ""


@dataclass(frozen=True, slots=True)
class Key:
    """One key of the interlock: does it hold, and why (a clause that can stand on a line).

    `remedy` says what to do where it does not; "" where another key's remedy mends it too. In it
    `{target}` stands for the target's DSN as a person typed it."""

    name: str  # marker, lease, identity, production, nonce, quiet, local; for load masked, account
    holds: bool
    why: str
    remedy: str = ""

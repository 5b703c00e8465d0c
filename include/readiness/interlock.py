"""The keys to a target: load and masking run only where every key holds.

marker      a row that only our restore, or an adoption shown to a person, writes
lease       the marker's end lies ahead
identity    the marker was written on this very server: a copied datadir carries a void one
production  neither the address nor the identity of a configured production endpoint
quiet       no replica, no replicas, no sessions but ours; and the account may see that
local       a loopback address or socket may be a tunnel: only where we started the process

Nothing here opens a connection; the caller's session decides what is asked.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import secrets
from collections.abc import Sequence

from readiness.errors import StatementFailed, TargetRefused
from readiness.model.clone import Endpoint, Key, Marker, ServerIdentity
from readiness.ports import ProductionEndpoint, Row, Session

LOAD_USER = "readiness_load"
MARKER_SCHEMA = "readiness_marker"
ADOPTED_PREFIX = "adopted-"
_ABSENT = {1049, 1146}  # unknown database, no such table
_DENIED = {1044, 1142, 1227}
_UNKNOWN_VARIABLE = 1193
_SERVER_USERS = {"system user", "event_scheduler", "unauthenticated user"}
_READ_MARKER = (
    "SELECT run_id, nonce, server, created_at, lease_until, masked FROM readiness_marker.marker"
)
_NO_MARKER = "marker row: this database was not cloned or adopted by this suite"


def describe(session: Session) -> ServerIdentity:
    """Who the server says it is. Works for any account."""
    version, datadir, hostname, port = session.query(
        "SELECT @@version, @@datadir, @@hostname, @@port"
    )[0]
    engine = "mariadb" if "mariadb" in str(version).lower() else "mysql"
    variable = "server_uid" if engine == "mariadb" else "server_uuid"
    return ServerIdentity(
        engine=engine,
        version=str(version).partition("-")[0],
        uuid=_variable(session, variable),
        datadir=str(datadir),
        hostname=str(hostname),
        port=int(str(port)),
    )


def digest_of(identity: ServerIdentity) -> str:
    """64 hex digits that tell servers apart; version and port may change without changing it
    (on MariaDB the port is part of server_uid)."""
    parts = [identity.engine, identity.uuid, identity.datadir, identity.hostname]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def read_marker(session: Session) -> Marker | None:
    """The marker, or None when there is none, or more than one. Raises StatementFailed when the
    account may not look."""
    try:
        rows = session.query(_READ_MARKER)
    except StatementFailed as error:
        if error.code in _ABSENT:
            return None
        raise
    if len(rows) != 1:
        return None
    run_id, nonce, server, created_at, lease_until, masked = rows[0]
    begin, end = float(str(created_at)), float(str(lease_until))
    return Marker(str(run_id), str(nonce), str(server), begin, end, str(masked))


def write_marker(
    session: Session, *, run_id: str, now_s: float, lease_s: float, masked: str = ""
) -> Marker:
    """Writes the marker that binds this server to `run_id` until now + lease, with a fresh nonce.

    The session must be the one that the clone backend itself opened, never a user's DSN."""
    server = digest_of(describe(session))
    marker = Marker(run_id, secrets.token_hex(16), server, now_s, now_s + lease_s, masked)
    session.query(f"CREATE DATABASE IF NOT EXISTS {MARKER_SCHEMA}")
    # Anew: one that came with the copied data may be of an older form.
    session.query("DROP TABLE IF EXISTS readiness_marker.marker")
    session.query(
        "CREATE TABLE readiness_marker.marker (id TINYINT NOT NULL PRIMARY KEY,"
        " run_id VARCHAR(190) NOT NULL, nonce CHAR(32) NOT NULL, server CHAR(64) NOT NULL,"
        " created_at DOUBLE NOT NULL, lease_until DOUBLE NOT NULL, masked VARCHAR(190) NOT NULL)"
    )
    session.query(
        "INSERT INTO readiness_marker.marker VALUES (1, %s, %s, %s, %s, %s, %s)",
        (run_id, marker.nonce, server, marker.created_at, marker.lease_until, masked),
    )
    return marker


def note_masked(session: Session, masked: str) -> None:
    """Says in the marker how personal data left this server."""
    session.query("UPDATE readiness_marker.marker SET masked = %s", (masked,))


def renew_marker(session: Session, *, now_s: float, lease_s: float) -> None:
    """Moves the marker's end to now + lease; an end that lies later stays."""
    session.query(
        "UPDATE readiness_marker.marker SET lease_until = GREATEST(lease_until, %s)",
        (now_s + lease_s,),
    )


def check(
    session: Session,
    *,
    endpoint: Endpoint,
    production: Sequence[ProductionEndpoint],
    now_s: float,
    is_ours: bool,
    own_users: frozenset[str] = frozenset({LOAD_USER}),
) -> list[Key]:
    """Every key, with why it holds or not. `endpoint` is where the session leads; `is_ours`: we
    started the process that listens there; `own_users` may be connected, as may the session's."""
    identity = describe(session)
    marker, denied = _marker_or_denial(session)
    return [
        _marker_key(marker, denied),
        _lease_key(marker, now_s),
        _identity_key(marker, identity),
        _production_key(identity, endpoint, production),
        _quiet_key(session, identity, own_users),
        _local_key(endpoint, marker, is_ours),
    ]


def require(keys: Sequence[Key], *, target: str) -> None:
    """Raises TargetRefused unless all keys hold; `target` is the DSN as the user typed it."""
    missing = [key for key in keys if not key.holds]
    if not missing:
        return
    raise TargetRefused(
        "This target may be production. No statement was sent to it as load.",
        [(key.name, key.holds, key.why) for key in keys],
        hint=_remedy({key.name for key in missing}, target),
    )


def adopt(
    session: Session,
    *,
    endpoint: Endpoint,
    production: Sequence[ProductionEndpoint],
    now_s: float,
    lease_s: float,
) -> Marker:
    """Writes a marker on a clone that somebody else made, after a person saw `describe`. Raises
    TargetRefused when it is production, or not quiet."""
    identity = describe(session)
    keys = [
        _production_key(identity, endpoint, production),
        _quiet_key(session, identity, frozenset({LOAD_USER})),
    ]
    if not all(key.holds for key in keys):
        raise TargetRefused(
            "This database cannot be adopted as a clone. Nothing was written to it.",
            [(key.name, key.holds, key.why) for key in keys],
            hint="Give a clone of its own that nobody else uses.",
        )
    run_id = ADOPTED_PREFIX + digest_of(identity)[:12]
    return write_marker(session, run_id=run_id, now_s=now_s, lease_s=lease_s)


def is_loopback(endpoint: Endpoint) -> bool:
    """True for a socket, and for an address that leads to this machine."""
    return bool(endpoint.socket) or _normal(endpoint.host) == "127.0.0.1"


def _variable(session: Session, name: str) -> str:
    """A server variable as text; "" where the server does not know it."""
    try:
        return str(session.query(f"SELECT @@{name}")[0][0])
    except StatementFailed as error:
        if error.code == _UNKNOWN_VARIABLE:
            return ""
        raise


def _marker_or_denial(session: Session) -> tuple[Marker | None, bool]:
    try:
        return read_marker(session), False
    except StatementFailed as error:
        if error.code in _DENIED:
            return None, True
        raise


def _marker_key(marker: Marker | None, denied: bool) -> Key:
    if marker:
        return Key("marker", True, f"marker row of {marker.run_id}")
    why = "marker row: this account may not read readiness_marker.marker" if denied else _NO_MARKER
    return Key("marker", False, why)


def _lease_key(marker: Marker | None, now_s: float) -> Key:
    if marker is None:
        return Key("lease", False, "lease: it stands in the marker row")
    left_min = (marker.lease_until - now_s) / 60
    if left_min > 0:
        return Key("lease", True, f"lease ends in {left_min:,.0f} min")
    return Key("lease", False, f"lease: it expired {-left_min:,.0f} min ago")


def _identity_key(marker: Marker | None, identity: ServerIdentity) -> Key:
    if marker is None:
        return Key("identity", False, "bond between marker and server: there is no marker")
    if marker.server == digest_of(identity):
        return Key("identity", True, "the marker was written on this server")
    return Key("identity", False, "the marker was written on another server and copied here")


def _production_key(
    identity: ServerIdentity, endpoint: Endpoint, production: Sequence[ProductionEndpoint]
) -> Key:
    mine, here = digest_of(identity), _place(endpoint)
    for known in production:
        if known.identity == mine:
            return Key(
                "production", False, f"is the production server {known.endpoint} (server id)"
            )
        if _place(known.endpoint) == here:
            return Key(
                "production", False, f"is the production endpoint {known.endpoint} (address)"
            )
    if not production:
        return Key("production", True, "no production endpoint is configured")
    count = f"all {len(production)} production endpoints" if production[1:] else "production"
    return Key("production", True, f"differs from {count} (server id, address)")


def _quiet_key(session: Session, identity: ServerIdentity, own_users: frozenset[str]) -> Key:
    """Who else is here. What the account may not see counts as somebody."""
    user, _, host = str(session.query("SELECT CURRENT_USER()")[0][0]).rpartition("@")
    if not _may_see_others(session, f"'{user}'@'{host}'"):
        return Key("quiet", False, "other sessions: this account lacks PROCESS and cannot see them")
    try:
        replicates = bool(session.query(_replica_statement(identity)))
    except StatementFailed as error:
        if error.code not in _DENIED:
            raise
        return Key("quiet", False, f"replication: this account lacks {_replica_right(identity)}")
    trouble = ["it is a replica"] if replicates else []
    trouble += _company(session.query("SHOW PROCESSLIST"), own_users | {user})
    if trouble:
        return Key("quiet", False, "quiet: " + "; ".join(trouble))
    return Key("quiet", True, "no replica, has no replicas, no foreign sessions")


def _may_see_others(session: Session, grantee: str) -> bool:
    return bool(
        session.query(
            "SELECT 1 FROM information_schema.user_privileges"
            " WHERE privilege_type = 'PROCESS' AND grantee = %s",
            (grantee,),
        )
    )


def _company(processes: Sequence[Row], own_users: frozenset[str]) -> list[str]:
    """What the process list says against quiet; columns 1 and 4 are user and command."""
    users = [str(row[1]) for row in processes]
    replicas = sum(str(row[4]).startswith("Binlog Dump") for row in processes)
    foreign = sorted({u for u in users if u not in own_users and u not in _SERVER_USERS})
    said = [f"{replicas} replicas are connected"] if replicas else []
    if foreign:
        count = sum(u in foreign for u in users)
        said.append(f"{count} foreign session{'s' * (count != 1)} of {', '.join(foreign)}")
    return said


def _replica_statement(identity: ServerIdentity) -> str:
    if identity.engine == "mariadb":
        return "SHOW ALL SLAVES STATUS"
    numbers = tuple(int(part) for part in identity.version.split(".")[:3] if part.isdigit())
    return "SHOW REPLICA STATUS" if numbers >= (8, 0, 22) else "SHOW SLAVE STATUS"


def _replica_right(identity: ServerIdentity) -> str:
    return "SLAVE MONITOR" if identity.engine == "mariadb" else "REPLICATION CLIENT"


def _local_key(endpoint: Endpoint, marker: Marker | None, is_ours: bool) -> Key:
    if not is_loopback(endpoint):
        return Key("local", True, "not a loopback address")
    if is_ours:
        return Key("local", True, "a server that this suite started")
    if marker and marker.run_id.startswith(ADOPTED_PREFIX):
        return Key("local", True, "a loopback address, adopted")
    why = f"{endpoint} may be a tunnel: this suite started no server there"
    return Key("local", False, why)


def _normal(host: str) -> str:
    """A host name in one spelling; every loopback address is 127.0.0.1."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return "127.0.0.1"
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return name
    return "127.0.0.1" if address.is_loopback or address.is_unspecified else str(address)


def _place(endpoint: Endpoint) -> tuple[str, int]:
    if endpoint.socket:
        return endpoint.socket, 0
    return _normal(endpoint.host), endpoint.port


def _remedy(missing: set[str], target: str) -> str:
    """What to type for the gravest missing key."""
    if "production" in missing:
        return "Name another target: this one is configured as production."
    if missing & {"marker", "identity", "local"}:
        return (
            "If it is a clone, adopt it. You are shown what you are about to trust first:\n"
            f"  readiness clone adopt '{target}'"
        )
    if "lease" in missing:
        return "Restore a fresh clone:  readiness clone create"
    return "End what the line above names, or give the account the right to see it."

"""Who a server is, and where an address leads."""

from __future__ import annotations

import hashlib
import ipaddress
import json
from collections.abc import Callable, Collection

from readiness.errors import StatementFailed
from readiness.model.clone import Endpoint, ServerIdentity
from readiness.ports import Session

Resolve = Callable[[Endpoint], Collection[Endpoint]]
"""Every other address that an endpoint leads to, as far as this machine knows: the addresses of a
name, the file behind a link, 127.0.0.1 for an address of this machine."""

_UNKNOWN_VARIABLE = 1193


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


def as_written(_endpoint: Endpoint) -> Collection[Endpoint]:
    """A `Resolve` that asks nobody: an address leads where it says."""
    return ()


def is_loopback(endpoint: Endpoint, resolve: Resolve = as_written) -> bool:
    """True for a socket, and for an address that leads to this machine."""
    return any(
        bool(e.socket) or _normal(e.host) == "127.0.0.1" for e in (endpoint, *resolve(endpoint))
    )


def places_of(endpoint: Endpoint, resolve: Resolve = as_written) -> frozenset[tuple[str, int]]:
    """Where an endpoint leads, in one spelling: two that share a place lead to one server."""
    return frozenset(_place(e) for e in (endpoint, *resolve(endpoint)))


def _variable(session: Session, name: str) -> str:
    """A server variable as text; "" where the server does not know it."""
    try:
        return str(session.query(f"SELECT @@{name}")[0][0])
    except StatementFailed as error:
        if error.code == _UNKNOWN_VARIABLE:
            return ""
        raise


def _normal(host: str) -> str:
    """A host name in one spelling; every loopback address is 127.0.0.1."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return "127.0.0.1"
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return name
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    address = mapped or address
    return "127.0.0.1" if address.is_loopback or address.is_unspecified else str(address)


def _place(endpoint: Endpoint) -> tuple[str, int]:
    if endpoint.socket:
        return endpoint.socket, 0
    return _normal(endpoint.host), endpoint.port

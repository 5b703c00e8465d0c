"""Where an endpoint leads, as this machine knows it: names, links, and addresses of its own."""

from __future__ import annotations

import os
import socket

from readiness.model.clone import Endpoint

_THIS_MACHINE = "127.0.0.1"


def addresses_of(endpoint: Endpoint) -> tuple[Endpoint, ...]:
    """Every address of a host name, and 127.0.0.1 where one is this machine's own: what listens
    there may be a tunnel, too. A socket: the file behind its links. () for a name nobody knows."""
    if endpoint.socket:
        return (Endpoint(socket=os.path.realpath(endpoint.socket)),)
    found = _addresses(endpoint.host)
    near = {_THIS_MACHINE} if any(map(_is_own, found)) else set()
    return tuple(Endpoint(host, endpoint.port) for host in sorted(found | near))


def _addresses(host: str) -> set[str]:
    try:
        answers = socket.getaddrinfo(host.strip("[]"), None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return set()
    return {str(address[0]) for *_, address in answers}


def _is_own(address: str) -> bool:
    """Whether the address is one of this machine's: only then can a socket be bound to it."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as made:
            made.bind((address, 0))
    except OSError:
        return False
    return True

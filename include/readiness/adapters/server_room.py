"""Room for a private server: space on the disk, and a port on 127.0.0.1."""

from __future__ import annotations

import shutil
import socket
from pathlib import Path

from readiness.errors import ServerError


class PortTaken(ServerError):
    """Another program listens on the port."""


def require_free_space(folder: Path, needed_bytes: int, *, what: str) -> None:
    """Raises ServerError with both figures when the disk has less free than needed."""
    free_bytes = shutil.disk_usage(folder).free
    if free_bytes < needed_bytes:
        raise ServerError(
            f"The disk is too full for {what}: {needed_bytes / 1e6:,.0f} MB needed,"
            f" {free_bytes / 1e6:,.0f} MB free at {folder}.",
            hint="Free some space, or use a folder on another disk.",
        )


def free_port() -> int:
    """A port on 127.0.0.1 that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def require_free_port(port: int) -> None:
    """Raises PortTaken when another program listens on `port` of 127.0.0.1."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            raise port_taken(port) from None


def port_taken(port: int) -> PortTaken:
    """The error that names the port."""
    return PortTaken(
        f"Port {port} on 127.0.0.1 is taken by another program.",
        hint="Leave --port out: a free one is taken then.",
    )

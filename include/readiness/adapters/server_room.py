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
    if shutil.disk_usage(folder).free < needed_bytes:
        raise disk_full(folder, needed_bytes, what=what)


def disk_full(folder: Path, needed_bytes: int, *, what: str) -> ServerError:
    """The error that says how much is needed and how much the disk of `folder` has free now."""
    free_bytes = shutil.disk_usage(folder).free
    return ServerError(
        f"The disk is too full for {what}: {needed_bytes / 1e6:,.0f} MB needed,"
        f" {free_bytes / 1e6:,.0f} MB free at {folder}.",
        hint="Free some space, or keep the state on another disk:  READINESS_STATE=/path/to/folder",
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

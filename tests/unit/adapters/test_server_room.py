"""Too little space and a taken port are said before anything is done."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from readiness.adapters.server_room import free_port, require_free_port, require_free_space
from readiness.errors import ServerError


def test_a_full_disk_is_told_with_both_figures(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match=r"1,000,000,000 MB needed, [\d,]+ MB free"):
        require_free_space(tmp_path, 10**15, what="a private server")


def test_enough_space_is_enough(tmp_path: Path) -> None:
    require_free_space(tmp_path, 1, what="a private server")


def test_a_taken_port_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ServerError, match=f"Port {port} on 127.0.0.1 is taken"):
            require_free_port(port)


def test_a_port_said_to_be_free_is_free() -> None:
    require_free_port(free_port())

"""Logs written by hand, one record a tuple, in the layout of each server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

Record = tuple[int, str, bytes]
WriteLog = Callable[[Sequence[Record]], Path]

BANNER = (
    b"/usr/sbin/mariadbd, Version: 10.11.19-MariaDB (Debian 12). started with:\n"
    b"Tcp port: 3306  Unix socket: /run/mysqld/mysqld.sock\n"
    b"Time\t\t    Id Command\tArgument\n"
)


@pytest.fixture
def data() -> Path:
    """The folder of logs that real servers wrote."""
    return Path(__file__).parents[2] / "samples" / "server-logs"


@pytest.fixture
def mariadb_log(tmp_path: Path) -> WriteLog:
    """Writes a MariaDB log: a banner, one second, then elided times."""

    def write(records: Sequence[Record]) -> Path:
        times = [b"261130 11:14:12\t", *[b"\t\t"] * (len(records) - 1)]
        lines = [
            b"%s%6d %s\t%s\n" % (time, thread, command.encode(), argument)
            for time, (thread, command, argument) in zip(times, records, strict=True)
        ]
        path = tmp_path / "general.log"
        path.write_bytes(BANNER + b"".join(lines))
        return path

    return write


@pytest.fixture
def mysql_log(tmp_path: Path) -> WriteLog:
    """Writes a MySQL log whose records are 1500 microseconds apart."""

    def write(records: Sequence[Record]) -> Path:
        lines = [
            b"2026-11-30T11:12:51.%06dZ\t%5d %s\t%s\n"
            % (1500 * number, thread, command.encode(), argument)
            for number, (thread, command, argument) in enumerate(records)
        ]
        path = tmp_path / "general.log"
        path.write_bytes(b"".join(lines))
        return path

    return write

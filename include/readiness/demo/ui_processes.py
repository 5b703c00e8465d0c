"""The processes of the Airflow that `make up` runs, found by a mark in their environment.

Airflow's components fork, rename themselves and lead groups of their own, and some outlive the
process that started them; the mark is inherited by all, also by load workers and clones' servers.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from readiness.adapters.processes import ProcessIdentity, all_pids, end_all, identify
from readiness.demo.ui_environment import MARK

_LISTENS = "0A"  # as /proc/net/tcp writes the state of a socket
_ROUNDS = 3


def marked(state: Path) -> list[ProcessIdentity]:
    """Every living process but this one that carries the mark of `state`."""
    wanted = f"{MARK}={state}".encode()
    pids = (pid for pid in all_pids() if pid != os.getpid())
    found = (identify(pid) for pid in pids if wanted in _environment(pid))
    return [process for process in found if process]


def end_marked(state: Path, *, grace_s: float) -> int:
    """SIGTERM to all that carry the mark, SIGKILL after `grace_s` seconds; how many there were.

    Looks again, since one that is ended may have started another just before."""
    ended = 0
    for _ in range(_ROUNDS):
        found = marked(state)
        if not found:
            break
        end_all(found, grace_s=grace_s)
        ended += len(found)
    return ended


def beyond_loopback(processes: Iterable[ProcessIdentity]) -> list[str]:
    """`address:port` of each socket of these processes that other machines could reach."""
    listening = dict(_listening())
    held = {inode for process in processes for inode in _sockets(process.pid)}
    open_to_all = (listening[inode] for inode in held & listening.keys())
    return sorted({f"{host}:{port}" for host, port in open_to_all if not _is_loopback(host)})


def _environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []  # it ended meanwhile, or is another user's


def _listening() -> Iterator[tuple[str, tuple[str, int]]]:
    """(inode, (address, port)) of every listening TCP socket of this machine."""
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        lines = Path(table).read_text("ascii").splitlines()[1:]
        for fields in (line.split() for line in lines):
            if fields[3] == _LISTENS:
                address, _, port = fields[1].partition(":")
                yield fields[9], (address_of(address), int(port, 16))


def address_of(text: str) -> str:
    """The address that /proc/net/tcp writes as words of four bytes, the lowest byte first."""
    raw = bytes.fromhex(text)
    words = (raw[i : i + 4][::-1] for i in range(0, len(raw), 4))
    return str(ipaddress.ip_address(b"".join(words)))


def _sockets(pid: int) -> Iterator[str]:
    try:
        links = [str(fd.readlink()) for fd in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        return
    for link in links:
        if link.startswith("socket:["):
            yield link[len("socket:[") : -1]


def _is_loopback(text: str) -> bool:
    address = ipaddress.ip_address(text)
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)

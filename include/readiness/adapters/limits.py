"""What a target and this host allow, as preflight wants to know it."""

from __future__ import annotations

import os
import resource
from pathlib import Path

from readiness.flow.preflight import Host, Server
from readiness.load.messages import Target
from readiness.ports import Session

_IPV4 = Path("/proc/sys/net/ipv4")
_TIME_WAIT_S = 60.0  # TCP_TIMEWAIT_LEN of Linux, which nothing changes
_REUSE_AFTER_S = 1.0  # with tcp_tw_reuse
_ALL, _LOOPBACK = "1", "2"  # of tcp_tw_reuse
_ENDLESS = 1 << 30
_LIMITS = "SELECT @@max_connections, @@max_user_connections, @@wait_timeout, @@max_allowed_packet"


def server_limits(session: Session) -> Server:
    """What the session's account is allowed: its own limits are those of the load. The load does not
    log in as an interactive client, so interactive_timeout plays no part."""
    ((connections, of_user, timeout_s, packet),) = session.query(_LIMITS)
    ((_, connected),) = session.query("SHOW GLOBAL STATUS LIKE 'Threads_connected'")
    return Server(
        max_connections=int(str(connections)),
        connected=int(str(connected)),
        max_user_connections=int(str(of_user)),
        wait_timeout_s=float(str(timeout_s)),
        max_allowed_packet_bytes=int(str(packet)),
    )


def host_limits(target: Target, *, ipv4: Path = _IPV4) -> Host:
    """What this host allows a load on `target`. A worker raises its own limit of open files to the
    hard one, so that is the one that counts."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return Host(
        open_files=_ENDLESS if hard == resource.RLIM_INFINITY else hard,
        ports=None if target.socket else _ports(ipv4),
        port_rests_s=_REUSE_AFTER_S if _is_reused(target, ipv4) else _TIME_WAIT_S,
        cores=len(os.sched_getaffinity(0)),
    )


def raise_open_files() -> None:
    """Lets this process open as many files as its hard limit allows."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _ports(ipv4: Path) -> int | None:
    try:
        lowest, highest = (ipv4 / "ip_local_port_range").read_text().split()
        return int(highest) - int(lowest) + 1
    except (OSError, ValueError):
        return None  # a kernel that does not tell


def _is_reused(target: Target, ipv4: Path) -> bool:
    try:
        reuse = (ipv4 / "tcp_tw_reuse").read_text().strip()
    except OSError:
        return False
    near = target.host == "localhost" or target.host.startswith("127.")
    return reuse == _ALL or (reuse == _LOOPBACK and near)

"""Before any load: do the target and this host have room for what the plan asks for?

What was read goes in, what does not fit comes out, all of it at once. A finding refuses where the load
cannot fit even if the server answers in no time; it warns where the load fits only while the server is
quick. Response times are not known yet, so the least that is in flight is Little's law over the pauses
alone (rate x time), and the most is the in-flight limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from readiness.errors import LoadRefused
from readiness.flow.asked import Asked

SPARE_CONNECTIONS = 5  # the interlock, the sampler, a person who looks
SPARE_FILES = 64  # of a worker: its program, pipes, epoll
PACED_COST = 2.0  # a process that sleeps and wakes for each statement pays up to so much more


@dataclass(frozen=True, slots=True)
class Server:
    """What the target allows the account that loads; 0 in `max_user_connections` is no limit."""

    max_connections: int
    connected: int
    max_user_connections: int
    wait_timeout_s: float
    max_allowed_packet_bytes: int


@dataclass(frozen=True, slots=True)
class Host:
    """What this host allows. `open_files` a process may open at most; `ports` for connections over
    TCP (None: the target is reached by a socket file); a closed one is free after `port_rests_s`."""

    open_files: int
    ports: int | None
    port_rests_s: float
    cores: int


@dataclass(frozen=True, slots=True)
class Crew:
    """Who makes the load: workers of each shard, and the CPU that one may use, of one core."""

    workers: int
    shards: int = 1
    cpu_ratio: float = 0.8

    @property
    def size(self) -> int:
        """All workers."""
        return self.workers * self.shards


@dataclass(frozen=True, slots=True)
class Finding:
    """What does not fit: the figure received, the figure needed, and what to set."""

    name: str
    text: str
    remedy: str
    refuses: bool = True


def findings(asked: Sequence[Asked], server: Server, host: Host, crew: Crew) -> list[Finding]:
    """All that does not fit, refusals first. More of anything that is read makes none of them new."""
    found = [
        *_server_connections(asked, server),
        *_user_connections(asked, server),
        *_open_files(asked, host, crew),
        *_ports(asked, host, crew),
        *_workers(asked, host, crew),
        *_in_flight(asked),
        *_timeouts(asked, server),
        *_packets(asked, server),
    ]
    return sorted(found, key=lambda finding: not finding.refuses)


def require(found: Sequence[Finding]) -> tuple[str, ...]:
    """The warnings, in words. Raises LoadRefused with all that refuses."""
    refused = [finding for finding in found if finding.refuses]
    if refused:
        raise LoadRefused(
            "\n  ".join(["The load does not fit, and none was sent:", *(f.text for f in refused)]),
            hint="\n".join(finding.remedy for finding in refused),
        )
    return tuple("; ".join(filter(None, (finding.text, finding.remedy))) for finding in found)


@dataclass(frozen=True, slots=True)
class _Fit:
    """A supply against the least and the most that is asked of it. `told` makes a sentence of a
    needed figure, `remedy` of the figure to set; `instead` of it a warning may be met, too."""

    name: str
    supply: int
    told: Callable[[int], str]
    remedy: Callable[[int], str]
    instead: str = ", or lower in_flight_limit"

    def of(self, least: int, most: int) -> Iterator[Finding]:
        """Refuses what cannot fit, warns of what might not."""
        if least > self.supply:
            yield Finding(self.name, self.told(least), self.remedy(least))
        elif most > self.supply:
            text = f"where the server takes its time, {self.told(most)}"
            yield Finding(self.name, text, self.remedy(most) + self.instead, refuses=False)


def _connections(asked: Sequence[Asked]) -> tuple[int, int]:
    """The least and the most connections at once, of all flows."""
    least = sum(a.least_in_flight * a.connections for a in asked)
    return least, sum(a.most_in_flight * a.connections for a in asked)


def _server_connections(asked: Sequence[Asked], server: Server) -> Iterator[Finding]:
    least, most = _connections(asked)
    taken = server.connected + SPARE_CONNECTIONS
    return _Fit(
        "max_connections",
        server.max_connections - taken,
        lambda n: (
            f"the server's max_connections is {server.max_connections:,} ({server.connected:,} in"
            f" use), and the load needs {n:,}, with {SPARE_CONNECTIONS} to spare"
        ),
        lambda n: f"on the target:  SET GLOBAL max_connections = {n + taken}",
    ).of(least, most)


def _user_connections(asked: Sequence[Asked], server: Server) -> Iterator[Finding]:
    if not server.max_user_connections:
        return iter(())
    least, most = _connections(asked)
    return _Fit(
        "max_user_connections",
        server.max_user_connections - SPARE_CONNECTIONS,
        lambda n: (
            f"the load's account may have {server.max_user_connections:,} connections"
            f" (max_user_connections), and the load needs {n:,}, with {SPARE_CONNECTIONS} to spare"
        ),
        lambda n: (
            "on the target:  ALTER USER … WITH MAX_USER_CONNECTIONS"
            f" {n + SPARE_CONNECTIONS}, or raise the global limit"
        ),
    ).of(least, most)


def _open_files(asked: Sequence[Asked], host: Host, crew: Crew) -> Iterator[Finding]:
    least, most = (math.ceil(n / crew.size) for n in _connections(asked))
    return _Fit(
        "open files",
        host.open_files - SPARE_FILES,
        lambda n: (
            f"a process may open {host.open_files:,} files here, and a worker needs {n:,} connections"
            f" and {SPARE_FILES} files to spare"
        ),
        lambda n: f"raise the hard limit to {n + SPARE_FILES} (ulimit -Hn), or take more workers",
    ).of(least, most)


def _ports(asked: Sequence[Asked], host: Host, crew: Crew) -> Iterator[Finding]:
    if host.ports is None:
        return iter(())
    resting = sum(one.closed_within(host.port_rests_s) for one in asked)
    least, most = (math.ceil((n + resting) / crew.shards) for n in _connections(asked))
    return _Fit(
        "local ports",
        host.ports,
        lambda n: (
            f"this host has {host.ports:,} local ports for connections, a closed one rests for"
            f" {host.port_rests_s:g} s, and the load needs {n:,}"
        ),
        lambda _n: (
            "widen them (sysctl net.ipv4.ip_local_port_range), let them be used again at once"
            " (sysctl net.ipv4.tcp_tw_reuse=1), or load with  connections: pooled"
        ),
    ).of(least, most)


def _workers(asked: Sequence[Asked], host: Host, crew: Crew) -> Iterator[Finding]:
    cost = sum(a.rate_per_s * a.cpu_s for a in asked if a.cpu_s)
    most = math.ceil(PACED_COST * cost / crew.cpu_ratio)
    return _Fit(
        "workers",
        crew.size,
        lambda n: (
            f"the highest rate costs the generator {cost:.2f} cores (measured), a worker is believed"
            f" up to {crew.cpu_ratio:g} of one, and {crew.size} are planned: {n} are needed"
        ),
        lambda n: _more_workers(n, host, crew),
        instead="",
    ).of(math.ceil(cost / crew.cpu_ratio), most)


def _more_workers(needed: int, host: Host, crew: Crew) -> str:
    each = math.ceil(needed / crew.shards)
    if each <= host.cores:
        return f"set  workers: {each}  (--workers {each})"
    shards = math.ceil(needed / host.cores)
    return f"this host has {host.cores} cores; set  workers: {host.cores}, shards: {shards}"


def _in_flight(asked: Sequence[Asked]) -> Iterator[Finding]:
    for one in asked:
        least = math.ceil(one.rate_per_s * one.lasts_s)
        if not one.clients and least > one.in_flight_limit:
            yield Finding(
                "in_flight_limit",
                f"the pauses of a checkout, {one.lasts_s:.1f} s, keep {least:,} in flight at the"
                f" highest rate, and in_flight_limit is {one.in_flight_limit:,}: others are dropped",
                f"set  in_flight_limit: {2 * least}",
                refuses=False,
            )


def _timeouts(asked: Sequence[Asked], server: Server) -> Iterator[Finding]:
    idle_s = max((a.idle_s for a in asked), default=0.0)
    if 2 * idle_s < server.wait_timeout_s:
        return
    yield Finding(
        "wait_timeout",
        f"the server closes a connection that is idle for {server.wait_timeout_s:g} s (wait_timeout),"
        f" and the pauses of a checkout leave one idle for {idle_s:.1f} s",
        f"on the target:  SET GLOBAL wait_timeout = {math.ceil(2 * idle_s) + 1}, or lower the pacing",
        refuses=idle_s >= server.wait_timeout_s,
    )


def _packets(asked: Sequence[Asked], server: Server) -> Iterator[Finding]:
    needed = max((a.statement_bytes + 1 for a in asked), default=0)  # and the command's own byte
    if needed > server.max_allowed_packet_bytes:
        yield Finding(
            "max_allowed_packet",
            f"the server takes {server.max_allowed_packet_bytes:,} bytes at once (max_allowed_packet),"
            f" and the longest statement has {needed:,}",
            f"on the target:  SET GLOBAL max_allowed_packet = {math.ceil(needed / 1024) * 1024}",
        )

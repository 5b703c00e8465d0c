"""What the load engine costs for each statement, beside sysbench, PyMySQL in threads, and Locust.

The same transaction of 60 statements on the same private server, by 8 clients in a closed loop; all
of them measure each statement and make new values. CPU of the generator alone, of its loaded part;
the generators take turns. Then what has no peer, against limits: TLS, logins, memory, lag.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.bench.load_engine import Bench, Cost, Lags, open_bench, statement_cost
from tests.bench.measure import Row, row, run

_PEERS = Path(__file__).parent / "peers"
_LOCUST = Path(".local/bench-peers/bin/python")
_CLIENTS, _SECONDS, _RUNS = 8, 4, 5
_QUERIES = re.compile(r"total:\s+(\d+)")

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Peer:
    """A generator that is measured beside ours; the largest ratio of our CPU to its that was promised."""

    name: str
    most: float
    cost_us: Callable[[Bench], float]


def load_rows(folder: Path, say: Say) -> Iterator[Row]:
    """The rows; the server is made in `folder` and removed again."""
    top = folder.resolve() / "bench-load"
    shutil.rmtree(top, ignore_errors=True)
    try:
        with open_bench(top) as bench:
            yield from _beside_peers(bench, say)
            yield from _alone(bench, say)
    finally:
        shutil.rmtree(top, ignore_errors=True)


def _beside_peers(bench: Bench, say: Say) -> Iterator[Row]:
    peers = list(_those_here(say))
    say(f"CPU of a statement: {_RUNS} runs of {_SECONDS} s, of us and {len(peers)} peers in turn")
    ours: list[Cost] = []
    theirs: list[list[float]] = [[] for _ in peers]
    for _ in range(_RUNS):
        ours.append(statement_cost(bench, clients=_CLIENTS, seconds=_SECONDS))
        for peer, costs in zip(peers, theirs, strict=True):
            costs.append(peer.cost_us(bench))
    for peer, costs in zip(peers, theirs, strict=True):
        yield row(
            f"load: CPU of a statement (ours / {peer.name}, at most {peer.most:.2f})",
            median(cost.cpu_us for cost in ours),
            "us",
            peer=(peer.name, median(costs)),
            runs=_RUNS,
            most=peer.most,
        )
    yield _noise("CPU of a statement", ours)


def _noise(what: str, taken: Sequence[Cost] | Sequence[Lags]) -> Row:
    """How long the worker waited for a core, in the worst run: what makes figures of time doubtful."""
    worst = max(each.waited_ratio for each in taken)
    name = f"load: run-queue delay of the worker ({what}, worst run)"
    return row(name, 100 * worst, "%", peer=("", None), runs=len(taken))


def _those_here(say: Say) -> Iterator[_Peer]:
    if shutil.which("sysbench"):
        yield _Peer("sysbench", 1.25, _sysbench_us)
    else:
        say("no sysbench: its ratio is left out. Run: scripts/setup.sh bench")
    yield _Peer("PyMySQL in threads", 1 / 2.2, _threads_us)
    if _LOCUST.exists():
        yield _Peer("Locust with PyMySQL", 1 / 3.5, _locust_us)
    else:
        say("no Locust: its ratio is left out. Run: scripts/setup.sh bench")


def _sysbench_us(bench: Bench) -> float:
    # Of its loaded part, as ours: less what it takes to start and to run one transaction a client.
    begun_s, first = _sysbench(bench, "--time=0", f"--events={_CLIENTS}")
    cpu_s, queries = _sysbench(bench, f"--time={_SECONDS}")
    return (cpu_s - begun_s) / (queries - first) * 1e6


def _sysbench(bench: Bench, *length: str) -> tuple[float, int]:
    """CPU seconds and queries of one run."""
    target = bench.target
    taken = run(
        [
            "sysbench", str(Path(__file__).parent / "checkout.lua"), "--db-driver=mysql",
            f"--mysql-host={target.host}", f"--mysql-port={target.port}",
            f"--mysql-user={target.user}", f"--mysql-password={target.password}",
            f"--mysql-db={target.database}", f"--threads={_CLIENTS}", *length, "run",
        ]
    )  # fmt: skip
    found = _QUERIES.search(taken.output)
    if found is None:
        raise RuntimeError("sysbench told no count of its queries")
    return taken.cpu_s, int(found[1])


def _threads_us(bench: Bench) -> float:
    t = bench.target
    login = [t.host, str(t.port), t.user, t.password, t.database]
    script = str(_PEERS / "pymysql_threads.py")
    return _own_words(run([sys.executable, script, *login, str(_CLIENTS), str(_SECONDS)]).output)


def _locust_us(bench: Bench) -> float:
    t = bench.target
    login = {"host": t.host, "port": t.port, "user": t.user, "password": t.password}
    told = {"BENCH_LOGIN": json.dumps({**login, "database": t.database})}
    done = subprocess.run(
        [
            _LOCUST, "-m", "locust", "-f", _PEERS / "locustfile.py", "--headless", "--only-summary",
            "-u", str(_CLIENTS), "-r", str(_CLIENTS), "--host", "mysql://bench",
        ],
        env={**os.environ, **told, "BENCH_SECONDS": str(_SECONDS)},
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True, timeout=60,
    )  # fmt: skip
    return _own_words(done.stdout)


def _own_words(output: str) -> float:
    line = next(line for line in output.splitlines() if line.startswith("{"))
    told = json.loads(line)
    if not told["statements"]:
        raise RuntimeError("a peer ran no statement")
    return float(told["cpu_s"] / told["statements"] * 1e6)


def _alone(bench: Bench, say: Say) -> Iterator[Row]:
    say(f"TLS on and off, logins, memory, lag: {_RUNS} runs each")
    yield _under_tls(bench)
    logins = [bench.login_cpu_us() for _ in range(_RUNS)]
    yield _limited("CPU of a login", logins, "us", 300.0)
    memory = [bench.waiting_connection_bytes(2000) / 1024 for _ in range(_RUNS)]
    yield _limited("memory of a waiting connection", memory, "KiB", 12.0)
    yield from _lags("2,000 paced connections", 5.0, bench.paced)
    yield from _lags("60 logins a second", 2.0, bench.arrivals)


def _under_tls(bench: Bench) -> Row:
    plain, secure = list[Cost](), list[Cost]()
    for _ in range(_RUNS):
        plain.append(statement_cost(bench, clients=_CLIENTS, seconds=2))
        secure.append(statement_cost(bench.with_tls(), clients=_CLIENTS, seconds=2))
    name, without = "load: CPU of a statement under TLS", median(cost.cpu_us for cost in plain)
    over_tls = median(cost.cpu_us for cost in secure)
    return row(name, over_tls, "us", peer=("without TLS", without), runs=_RUNS)


def _limited(name: str, values: Sequence[float], unit: str, limit: float) -> Row:
    runs = len(values)
    return row(f"load: {name}", median(values), unit, peer=("limit", limit), runs=runs, most=1.0)


def _lags(what: str, least_ms: float, measure: Callable[[], Lags]) -> Iterator[Row]:
    taken = [measure() for _ in range(_RUNS)]
    lag_ms = median(each.lag_ms for each in taken)
    limit_ms = max(least_ms, 3 * median(each.floor_ms for each in taken))
    yield row(
        f"load: {what}: lag p99",
        lag_ms,
        "ms",
        peer=(f"limit (3 x the timer floor, at least {least_ms:.0f})", limit_ms),
        runs=_RUNS,
        most=1.0,
    )
    yield _noise(what, taken)

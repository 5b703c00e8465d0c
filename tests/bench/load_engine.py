"""The load engine as the bench runs it: real workers, a private server, the transaction of the peers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean

from tests.bench.peers.transaction import INSERT, INSERTS, ITEMS, READ, READS
from tests.fakes.certificates import write_certificate
from tests.fakes.memory import resident_bytes

from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_connect import connector
from readiness.adapters.server_binary import find_server
from readiness.adapters.server_command import ServerOptions
from readiness.adapters.worker_process import ChildWorker
from readiness.analysis.figures import latency_ms
from readiness.load.connections import Connection
from readiness.load.coordinator import run_stage
from readiness.load.messages import Job, Target
from readiness.model.histogram import merged
from readiness.model.load import LoadOptions, Stage, StageResult, Tick
from readiness.model.workload import (
    Form,
    Piece,
    Slot,
    StatementKind,
    Step,
    Variable,
    VariableKind,
    Workload,
)
from readiness.workload.make.pools import Pools
from readiness.workload.text.file import render

_SCHEMA = (
    "CREATE DATABASE bench",
    "CREATE TABLE bench.items (id INT PRIMARY KEY, name VARCHAR(99))",
    "CREATE TABLE bench.orders (id BIGINT AUTO_INCREMENT PRIMARY KEY, item INT, note CHAR(32))",
    "SET max_recursive_iterations = 20000",
    "INSERT INTO bench.items WITH RECURSIVE n AS (SELECT 1 AS id UNION ALL SELECT id + 1 FROM n"
    f" WHERE id < {ITEMS}) SELECT id, REPEAT('x', 40) FROM n",
    "CREATE USER loader@'127.0.0.1' IDENTIFIED BY 'bench'",
    "GRANT SELECT, INSERT ON bench.* TO loader@'127.0.0.1'",
    "SET GLOBAL innodb_flush_log_at_trx_commit = 2",  # the generator is measured, not the disk
)
_SETTLE_S = 1


@dataclass(frozen=True, slots=True)
class Lags:
    """The p99 of the schedule lag and of the timer floor in one run."""

    lag_ms: float
    floor_ms: float
    waited_ratio: float  # as in Cost


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU of a statement in one run, and how much of the time the worker waited for a core."""

    cpu_us: float
    waited_ratio: float


@dataclass(frozen=True, slots=True)
class Bench:
    """A loaded server and the ways to load it."""

    target: Target
    folder: Path
    server_pid: int

    def with_tls(self) -> Bench:
        """The same over TLS."""
        return replace(self, target=replace(self.target, tls="on"))

    def load(
        self,
        stage: Stage,
        workload: Workload,
        options: LoadOptions,
        look: Callable[[Tick, int], None] = lambda _tick, _pid: None,
    ) -> StageResult:
        """One stage by one worker; each second `look` is told with the worker's process id."""
        path = self.folder / "workload.sql"
        path.write_bytes(render(workload))
        namespace = f"{time.monotonic_ns():x}"
        job = Job(self.target, str(path), Pools(()).to_json(), namespace, stage, options)
        started: list[ChildWorker] = []

        def launch(index: int) -> ChildWorker:
            started.append(ChildWorker(replace(job, worker=index), log=self.folder / "worker.log"))
            return started[-1]

        return run_stage(
            stage, options, launch=launch, on_tick=lambda tick: look(tick, started[0].pid)
        )

    def login_cpu_us(self, logins: int = 200) -> float:
        """CPU of opening and closing one connection, without what this process had to import."""
        connect = connector(self.target)
        connect()[0].close()
        begun_s = time.process_time()
        for _ in range(logins):
            opened, capabilities = connect()
            Connection(opened, deprecate_eof=capabilities.deprecate_eof).close()
        return (time.process_time() - begun_s) / logins * 1e6

    def waiting_connection_bytes(self, connections: int) -> float:
        """What a worker's memory grows by for each checkout of the transaction that waits in a pause:
        its connection, and its values."""
        seen: list[tuple[int, int]] = []
        options = LoadOptions(statement_pause_ms=60_000, in_flight_limit=2 * connections)
        self.load(
            Stage("waiting", connections / 8, 8),
            transaction_workload(),
            options,
            lambda tick, pid: seen.append((tick.in_flight, resident_bytes(pid))),
        )
        (few, before), (many, after) = seen[0], seen[-1]
        return (after - before) / (many - few)

    def paced(self) -> Lags:
        """While 2,000 connections send a statement a second each: 250 come a second, for 8 s."""
        options = LoadOptions(transaction_pause_ms=1000, in_flight_limit=4000)
        return self._lags(Stage("paced", 250, 15, warmup_s=9), reads(9), options)

    def arrivals(self) -> Lags:
        """While 60 checkouts a second come, each with a connection of its own."""
        options = LoadOptions(transaction_pause_ms=20)
        return self._lags(Stage("logins", 60, 8, warmup_s=1), reads(20), options)

    def _lags(self, stage: Stage, workload: Workload, options: LoadOptions) -> Lags:
        ticks = self.load(stage, workload, options).measured
        lag, floor = merged(t.lag for t in ticks), merged(t.timer_floor for t in ticks)
        p99s = (latency_ms(histogram, "p99") or 0.0 for histogram in (lag, floor))
        return Lags(*p99s, _waited(ticks))


@contextmanager
def open_bench(top: Path) -> Iterator[Bench]:
    """A private MariaDB with the bench's tables, over TCP, and TLS for who wants it."""
    top.mkdir(parents=True)
    certificate, key = write_certificate(top)
    extra = (f"--ssl-cert={certificate}", f"--ssl-key={key}", "--max-connections=6000")
    server = LocalServer(
        top / "server", options=ServerOptions(extra=extra), binary=find_server(engine="mariadb")
    )
    with server:
        session = server.root_session()
        for sql in _SCHEMA:
            session.query(sql)
        session.close()
        state = server.running_state()
        target = Target("loader", "bench", "127.0.0.1", state.port, password="bench")
        yield Bench(target, top, state.process.pid)


def statement_cost(bench: Bench, *, clients: int, seconds: float) -> Cost:
    """What a statement costs the worker, in a closed loop, its first second left out."""
    stage = Stage("closed", 0.0, seconds + _SETTLE_S, warmup_s=_SETTLE_S)
    options = LoadOptions(closed_loop_clients=clients, connections="pooled")
    result = bench.load(stage, transaction_workload(), options)
    cpu_s = sum(tick.generator_cpu_ratio for tick in result.measured)
    statements = sum(h.count for h in result.statements.values())
    return Cost(cpu_s / statements * 1e6, _waited(result.measured))


def _waited(ticks: Sequence[Tick]) -> float:
    return mean(tick.run_queue_delay_ratio for tick in ticks)


def transaction_workload() -> Workload:
    """The peers' transaction, with 72 variables that are new for each checkout."""
    steps, variables = [(StatementKind.BEGIN, (b"BEGIN",))], list[Variable]()

    def fresh(generator: str, form: Form) -> Slot:
        variables.append(
            Variable(
                f"v_{len(variables)}", VariableKind.FRESH, generator, "orders.note", form, "'x'"
            )
        )
        return Slot(variables[-1].name)

    for _ in range(INSERTS):
        item, note = fresh(f"integer(1..{ITEMS})", Form.NUMBER), fresh("hex32", Form.TEXT)
        steps.append((StatementKind.INSERT, _pieces(INSERT.replace("'{}'", "{}"), item, note)))
    steps += [
        (StatementKind.SELECT, _pieces(READ, fresh(f"integer(1..{ITEMS})", Form.NUMBER)))
        for _ in range(READS)
    ]
    steps.append((StatementKind.COMMIT, (b"COMMIT",)))
    made = tuple(
        Step(f"s{n:03}", 1, 1, kind, 0.0, pieces) for n, (kind, pieces) in enumerate(steps, start=1)
    )
    return Workload("bench", 2, tuple(variables), (), made)


def _pieces(text: str, *slots: Slot) -> tuple[Piece, ...]:
    made: list[Piece] = []
    for fixed, slot in zip(text.split("{}"), (*slots, None), strict=True):
        made += [fixed.encode()] if fixed else []
        made += [slot] if slot else []
    return tuple(made)


def reads(count: int) -> Workload:
    """So many reads, each a transaction of its own."""
    steps = tuple(
        Step(f"s{n:03}", 1, 0, StatementKind.SELECT, 0.0, (READ.format(n).encode(),))
        for n in range(1, count + 1)
    )
    return Workload("reads", 2, (), (), steps)

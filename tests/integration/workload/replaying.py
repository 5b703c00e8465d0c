"""Checkouts run as workers run them: each on its own connections, many at a time, every reply kept.

A failed checkout ends at its first error and its connections roll back, as in the load engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

from readiness.adapters.mysql_script import open_script
from readiness.adapters.mysql_session import Login
from readiness.errors import StatementFailed
from readiness.model.workload import StatementKind, Workload
from readiness.ports import CheckoutFlow, ScriptSession
from readiness.workload.make.compile import compile_flow
from readiness.workload.make.pools import Pools

DUPLICATE, DEADLOCK, LOCK_WAIT = 1062, 1213, 1205
DEPRECATED = 1287  # MySQL 8 says it of the captured SQL itself, wherever that is sent
_READS = {StatementKind.SELECT, StatementKind.CALL}


class Ran(NamedTuple):
    """One statement as it was sent: reads tell the rows they sent, writes those they affected."""

    statement_id: str
    sql: bytes
    rows: int


@dataclass
class Replay:
    """What checkouts did, the failed ones left out of `checkouts`; `errors` and `warnings` count
    (statement id, code)."""

    checkouts: list[tuple[Ran, ...]] = field(default_factory=list)
    errors: Counter[tuple[str, int]] = field(default_factory=Counter)
    warnings: Counter[tuple[str, int]] = field(default_factory=Counter)

    def __add__(self, other: Replay) -> Replay:
        return Replay(
            self.checkouts + other.checkouts,
            self.errors + other.errors,
            self.warnings + other.warnings,
        )

    def errors_but(self, *codes: int) -> dict[tuple[str, int], int]:
        """The errors without those of some codes."""
        return {k: n for k, n in self.errors.items() if k[1] not in codes}

    def warnings_but(self, *codes: int) -> dict[tuple[str, int], int]:
        """The warnings without those of some codes."""
        return {k: n for k, n in self.warnings.items() if k[1] not in codes}


@dataclass(frozen=True)
class Target:
    """Where to replay, and the namespace of the run: all workers share it."""

    login: Login
    namespace: bytes


def replay(
    workload: Workload, pools: Pools, target: Target, *, checkouts: int, workers: int = 1
) -> Replay:
    """`checkouts` checkouts by `workers` at a time; their numbers are dealt as the engine deals."""

    def work(worker: int) -> Replay:
        flow = compile_flow(workload, pools, namespace=target.namespace, seed=1)
        numbers = range(worker, checkouts, workers)
        return _run(flow, workload.set_names.encode(), target.login, numbers)

    with ThreadPoolExecutor(workers) as threads:
        return reduce(Replay.__add__, threads.map(work, range(workers)))


def _run(flow: CheckoutFlow, set_names: bytes, login: Login, numbers: Iterable[int]) -> Replay:
    done = Replay()
    for number in numbers:
        with _sessions(len(set(flow.connections)), set_names, login) as sessions:
            _checkout(flow, number, sessions, done)
    return done


@contextmanager
def _sessions(count: int, set_names: bytes, login: Login) -> Iterator[list[ScriptSession]]:
    opened = [open_script(**login) for _ in range(count)]
    try:
        for session in opened:
            if set_names:
                session.run(set_names)
        yield opened
    finally:
        for session in opened:
            session.close()


def _checkout(flow: CheckoutFlow, number: int, sessions: list[ScriptSession], done: Replay) -> None:
    values = flow.new_values(number)
    ran: list[Ran] = []
    step = flow.following(0, values)
    while step < len(flow.statement_ids):
        name = flow.statement_ids[step]
        sql = flow.render(step, values)
        try:
            reply = sessions[flow.connections[step]].run(sql)
        except StatementFailed as error:
            done.errors[name, error.code] += 1
            return
        done.warnings.update((name, code) for code in reply.warnings)
        is_read = flow.kinds[step] in _READS
        ran.append(Ran(name, sql, reply.rows if is_read else reply.affected_rows))
        if flow.binds[step]:
            flow.bind(step, values, reply.insert_id)
        step = flow.following(step + 1, values)
    done.checkouts.append(tuple(ran))

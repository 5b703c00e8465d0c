"""Compiles a workload for one worker: makes the values of a checkout, renders its statements.

Fresh values, samples and derived ones are made once per checkout; what depends on a server's id is
made again when that id arrives. Everything is a function of (namespace, seed, number), but for the
time in time-ordered values. A checkout draws one of the captured counts for each repeat, and leaves
out the steps and rows beyond it.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence

from readiness.model.workload import StatementKind, Workload
from readiness.ports import CheckoutFlow
from readiness.workload.make.picks import TRIES, NoRows, nothing_fits
from readiness.workload.make.pools import Pools
from readiness.workload.make.rendering import Skips, Templates, rendered_by
from readiness.workload.make.uservar import with_user_variables
from readiness.workload.make.values import makers_of
from readiness.workload.text.order import ordered


class CompiledFlow:
    """`ports.CheckoutFlow`; see `compile_flow`."""

    def __init__(self, workload: Workload, pools: Pools, *, namespace: bytes, seed: int) -> None:
        workload = ordered(workload)
        self._salt = hashlib.blake2b(namespace, key=str(seed).encode(), digest_size=32).digest()
        makers = makers_of(workload, pools, self._salt)
        self._make = makers.make
        self._binds = makers.binds
        self._entropy_size = makers.entropy
        index = {v.name: i for i, v in enumerate(workload.variables)}
        steps = workload.steps
        renderers = [rendered_by(step, index, makers.draws) for step in steps]
        self._plain = [None if isinstance(r, Templates) else r for r in renderers]
        self._with_rows = {i: r for i, r in enumerate(renderers) if isinstance(r, Templates)}
        counts = {repeat.name: repeat.counts for repeat in workload.repeats}
        skips = Skips([s.turn for s in steps], counts, makers.draws)
        self.following = skips.following
        self.may_skip: Sequence[bool] = skips.may_skip
        numbers = {c: i for i, c in enumerate(workload.connections)}
        self.statement_ids: Sequence[str] = [s.statement_id for s in steps]
        self.kinds: Sequence[StatementKind] = [s.kind for s in steps]
        self.connections: Sequence[int] = [numbers[s.connection] for s in steps]
        self.transactions: Sequence[int] = [s.transaction for s in steps]
        self.pauses_ms: Sequence[float] = [s.pause_ms for s in steps]
        self.binds: Sequence[bool] = [bool(s.binds) for s in steps]

    def new_values(self, number: int) -> list[bytes]:
        """The values of checkout `number`, which is unique within the namespace (a dense count
        over all workers keeps small value spaces free of repetition longest).

        Raises WorkloadError when the pools have no matching rows or an expression has no value."""
        entropy = self._entropy(number)
        now_us = time.time_ns() // 1000
        try:
            return self._make(number, entropy, entropy, now_us)
        except NoRows:
            return self._drawn_again(number, entropy, now_us)

    def render(self, step: int, values: list[bytes]) -> bytes:
        """The SQL of one step."""
        template, slots = self._plain[step] or self._with_rows[step].of(values)
        if slots is None:
            return template
        sql: bytes = template % slots(values)
        return sql

    def bind(self, step: int, values: list[bytes], insert_id: int) -> None:
        """Takes the server's insert id, and recomputes what depends on it."""
        take = self._binds.get(step)
        if take:
            take(values, insert_id, time.time_ns() // 1000)

    def _entropy(self, number: int) -> bytes:
        seed = self._salt + number.to_bytes(16, "big", signed=True)
        return hashlib.shake_128(seed).digest(self._entropy_size)

    def _drawn_again(self, number: int, entropy: bytes, now_us: int) -> list[bytes]:
        """When two conditions meet in no row, all samples are drawn again."""
        for attempt in range(1, TRIES):
            again = self._entropy(number ^ attempt << 100)
            try:
                return self._make(number, entropy, again, now_us)
            except NoRows:
                continue
        raise nothing_fits()


def compile_flow(
    workload: Workload, pools: Pools, *, namespace: bytes, seed: int, binding: str = "literal"
) -> CheckoutFlow:
    """The flow of one worker. All workers of a run share `namespace` (fresh for each run) and
    `seed`; their checkouts differ by number. With the binding "uservar" values go ahead in SETs.

    Raises WorkloadError when a generator, expression or pool does not fit."""
    if binding == "uservar":
        workload = with_user_variables(workload)
    return CompiledFlow(workload, pools, namespace=namespace, seed=seed)

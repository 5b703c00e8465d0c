"""One worker's part of one stage, worked out before the loop runs: shares, pauses, limits."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from readiness.load.gate import Gate
from readiness.load.schedule import Schedule
from readiness.model.load import LoadOptions, Stage
from readiness.model.workload import SET_STATEMENT, StatementKind
from readiness.ports import CheckoutFlow


def share(total: int, worker: int, workers: int) -> int:
    """What one worker gets of `total`: all shares add up to it."""
    return total // workers + (worker < total % workers)


def measured_from_s(stage: Stage) -> int:
    """The first second that counts: after ramp and warm-up."""
    return math.ceil(stage.ramp_s + stage.warmup_s)


def pause_ns(flow: CheckoutFlow, options: LoadOptions, before: int, step: int) -> int:
    """The pause of `step` when `before` is the step that ran last: the transaction pause where
    another transaction begins, else the statement pause, plus the captured gap times the pacing.

    A SET that carries values is no statement of the application: it has no pause and changes none."""
    if flow.statement_ids[step] == SET_STATEMENT:
        return 0
    while flow.statement_ids[before] == SET_STATEMENT:
        if not before:
            return 0  # the flow's own first statement
        before -= 1
    transaction = flow.transactions[step]
    same = transaction and transaction == flow.transactions[before]
    chosen_ms = options.statement_pause_ms if same else options.transaction_pause_ms
    return int((chosen_ms + options.pacing * flow.pauses_ms[step]) * 1e6)


def pauses_ns(flow: CheckoutFlow, options: LoadOptions) -> tuple[int, ...]:
    """The pause before each step of a checkout that leaves none out; the first step has none."""
    steps = range(1, len(flow.statement_ids))
    return (0, *(pause_ns(flow, options, step - 1, step) for step in steps))


def _gate(options: LoadOptions, worker: int) -> Gate | None:
    """This worker's share of the gate; none in a closed loop, which has as many as it has clients."""
    if not options.admit or options.closed_loop_clients:
        return None
    return Gate(
        limit=options.admit,
        interval_ns=int(options.admit_every_s * 1e9),
        expiry_ns=int(options.admit_expire_s * 1e9),
        worker=worker,
        workers=options.workers,
    )


@dataclass(frozen=True, slots=True)
class WorkerPlan:
    """What the loop needs to know; limits are this worker's share.

    `set_limit` bounds the connection sets of a pool of fixed size (0: as many as needed)."""

    stage: Stage
    options: LoadOptions
    worker: int
    pauses_ns: tuple[int, ...]
    may_skip: tuple[bool, ...]  # one more than steps: after the last, nothing need be asked
    is_commit: tuple[bool, ...]
    connections: int
    in_flight_limit: int
    set_limit: int
    clients: int
    gate: Gate | None = None

    @classmethod
    def of(cls, flow: CheckoutFlow, stage: Stage, options: LoadOptions, worker: int) -> WorkerPlan:
        """The plan of worker `worker` of `options.workers`."""
        pooled = options.connections == "pooled"
        sets = share(options.pool_size, worker, options.workers) if pooled else 0
        return cls(
            stage=stage,
            options=options,
            worker=worker,
            pauses_ns=pauses_ns(flow, options),
            may_skip=(*flow.may_skip, False),
            is_commit=tuple(kind == StatementKind.COMMIT for kind in flow.kinds),
            connections=max(flow.connections, default=0) + 1,
            in_flight_limit=max(share(options.in_flight_limit, worker, options.workers), 1),
            set_limit=max(sets, 1) if pooled and options.pool_size else 0,
            clients=share(options.closed_loop_clients, worker, options.workers),
            gate=_gate(options, worker),
        )

    @property
    def is_pooled(self) -> bool:
        """Whether a checkout gives its connections back, instead of closing them."""
        return self.options.connections == "pooled"

    @property
    def is_closed_loop(self) -> bool:
        """Whether clients wait for their own checkout: calibration only."""
        return self.options.closed_loop_clients > 0

    def schedule(self) -> Schedule:
        """This worker's arrivals; none in a closed loop."""
        nobody = replace(self.stage, rate_per_s=0.0, from_rate_per_s=0.0)
        return Schedule(
            nobody if self.is_closed_loop else self.stage,
            kind=self.options.arrivals,
            seed=self.options.seed,
            worker=self.worker,
            workers=self.options.workers,
        )

"""What one flow of a plan asks of target and host, worked out before any load."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from readiness.load.connections import AHEAD_NS
from readiness.load.plan import pauses_ns
from readiness.load.schedule import area
from readiness.model.load import LoadOptions, Stage
from readiness.ports import CheckoutFlow

_DRAWS = 64  # checkouts that are made on paper to find the longest statement
_AHEAD_S = AHEAD_NS / 1e9


@dataclass(frozen=True, slots=True)
class Asked:
    """What one flow asks for. A checkout lasts `lasts_s` at least, its pauses; one of its `connections`
    waits for its next statement up to `idle_s`. `cpu_s` of the generator's, where it was measured."""

    stages: tuple[Stage, ...]
    connections: int
    lasts_s: float
    idle_s: float
    statement_bytes: int
    in_flight_limit: int
    is_pooled: bool = False
    pool_size: int = 0
    clients: int = 0  # of a closed loop
    admitted_per_s: float = math.inf  # by a gate
    cpu_s: float | None = None

    @property
    def rate_per_s(self) -> float:
        """The highest rate at which its checkouts begin, by the plan or by hand."""
        rates = [(s.rate_per_s, s.from_rate_per_s, s.tuned_max_per_s) for s in self.stages]
        highest = max(itertools.chain.from_iterable(rates), default=0.0)
        return min(highest, self.admitted_per_s)

    def closed_within(self, seconds: float) -> float:
        """Connections that are closed in the busiest so many seconds."""
        if self.is_pooled:
            return 0.0
        begun = min(busiest(self.stages, seconds), self.admitted_per_s * seconds)
        return begun * self.connections

    @property
    def least_in_flight(self) -> int:
        """Checkouts at once if the server takes no time."""
        ahead_s = 0.0 if self.is_pooled else _AHEAD_S
        paced = math.ceil(self.rate_per_s * (self.lasts_s + ahead_s))
        return self._fixed or min(max(paced, 1), self.in_flight_limit)

    @property
    def most_in_flight(self) -> int:
        """Checkouts at once if the server takes its time."""
        return self._fixed or self.in_flight_limit

    @property
    def _fixed(self) -> int:
        return self.clients or self.pool_size


def asked_of(
    flow: CheckoutFlow, stages: Sequence[Stage], options: LoadOptions, *, cpu_s: float | None = None
) -> Asked:
    """What these stages of a compiled flow ask for. Raises WorkloadError where no checkout can be
    made."""
    pauses_s = [ns / 1e9 for ns in pauses_ns(flow, options)]
    always = (p for p, skips in zip(pauses_s, flow.may_skip, strict=True) if not skips)
    pooled = options.connections == "pooled"
    return Asked(
        stages=tuple(stages),
        connections=max(flow.connections, default=0) + 1,
        lasts_s=sum(always),
        idle_s=_longest_idle_s(flow, pauses_s),
        statement_bytes=_longest_statement(flow),
        in_flight_limit=options.in_flight_limit,
        is_pooled=pooled,
        pool_size=options.pool_size if pooled else 0,
        clients=options.closed_loop_clients,
        admitted_per_s=options.admit / options.admit_every_s if options.admit else math.inf,
        cpu_s=cpu_s,
    )


def _longest_idle_s(flow: CheckoutFlow, pauses_s: Sequence[float]) -> float:
    """All connections of a checkout are opened before its first statement."""
    now_s, longest_s = 0.0, 0.0
    used_s = dict.fromkeys(flow.connections, 0.0)
    for connection, pause_s in zip(flow.connections, pauses_s, strict=True):
        now_s += pause_s
        longest_s = max(longest_s, now_s - used_s[connection])
        used_s[connection] = now_s
    return longest_s


def _longest_statement(flow: CheckoutFlow) -> int:
    made = map(flow.new_values, range(_DRAWS))
    steps = range(len(flow.statement_ids))
    return max((len(flow.render(step, values)) for values in made for step in steps), default=0)


def busiest(stages: Sequence[Stage], window_s: float) -> float:
    """The checkouts due in the busiest `window_s` seconds, where stages follow each other at once."""
    due = [
        area(stage, min(second + 1, stage.duration_s)) - area(stage, second)
        for stage in stages
        for second in range(math.ceil(stage.duration_s))
    ]
    width = math.ceil(window_s)
    most = now = sum(due[:width])
    for new, old in zip(due[width:], due, strict=False):
        now += new - old
        most = max(most, now)
    return most

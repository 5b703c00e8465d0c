"""What is asked of the load engine, and what it answers. Times are seconds or nanoseconds, as named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from readiness.model.histogram import Histogram

SHARDS_MEET_WITHIN_S = 300.0  # coordinator and shards wait so long for each other


@dataclass(frozen=True, slots=True)
class Stage:
    """One piece of a ramp with an absolute rate: `ramp_s` up from `from_rate_per_s`, then `hold_s`.

    The first `warmup_s` of the hold are run and shown, but left out of the stage's figures. The rate
    of a stage that `is_tuned` is changed by a person while it runs, up to `tuned_max_per_s`; then
    `hold_s` is its longest time."""

    name: str
    rate_per_s: float
    hold_s: float
    ramp_s: float = 0.0
    warmup_s: float = 0.0
    from_rate_per_s: float = 0.0
    tuned_max_per_s: float = 0.0

    @property
    def is_tuned(self) -> bool:
        """Whether a person may change its rate."""
        return self.tuned_max_per_s > 0

    @property
    def duration_s(self) -> float:
        """Ramp and hold together; draining comes on top."""
        return self.ramp_s + self.hold_s


@dataclass(frozen=True, slots=True)
class RateChange:
    """Another rate from second `from_s` of a stage on; the rate 0 ends the stage."""

    from_s: int
    rate_per_s: float

    @property
    def is_end(self) -> bool:
        """Whether nobody arrives any more."""
        return not self.rate_per_s


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How checkouts are made; the same for every stage of a run."""

    arrivals: str = "constant"  # or "poisson"
    connections: str = "per-checkout"  # or "pooled"
    statement_pause_ms: float = 0.0
    transaction_pause_ms: float = 0.0
    pacing: float = 0.0  # captured gaps times this factor; 0 is none
    in_flight_limit: int = 2000
    workers: int = 1
    seed: int = 1
    closed_loop_clients: int = 0  # > 0: calibration, each client starts the next when one ends
    pool_size: int = (
        0  # pooled: connection sets of all workers; arrivals wait for one. 0: as needed
    )
    retries: int = 3  # of a transaction that met a deadlock or a lock timeout
    admit: int = 0  # > 0: a gate lets so many checkouts in …
    admit_every_s: float = 1.0  # … each time so many seconds have passed; the others wait outside
    admit_expire_s: float = 0.0  # … and leave after so long; 0: never
    binding: str = "literal"  # or "uservar": values go ahead in a SET


@dataclass(frozen=True, slots=True)
class Tick:
    """One second of one stage, all workers merged. Histograms hold nanoseconds."""

    second: int  # since the stage began
    offered: int  # arrivals due in this second
    started: int
    finished: int  # with or without error
    failed: int
    dropped: int
    in_flight: int  # due and not over; those outside a gate or without a connection included
    checkout: Histogram  # response of those without error: last reply - intended arrival
    commit: Histogram  # service: COMMIT sent to OK received
    connect: Histogram
    lag: Histogram  # how late the engine itself came to an arrival, dropped ones included
    generator_cpu_ratio: float  # the busiest worker's own CPU
    run_queue_delay_ratio: float  # the worst worker's time runnable but not running
    timer_floor: Histogram
    retried: int = 0  # tries of a transaction that a deadlock or lock timeout ended
    expired: int = 0  # left the line outside the gate
    queue: Histogram = field(default_factory=Histogram)  # time outside the gate of those let in


@dataclass(frozen=True, slots=True)
class StageResult:
    """What one stage did. `statements` maps statement_id to its service-time histogram over the
    measured part; `errors` maps (statement_id, MySQL error code) to a count; statement_id
    "connect" and "lost" stand for connects and for broken connections (code 0: not finished when
    the drain ended).

    After the last arrival the engine drains, at most 5 s; what happens then is added to the last
    tick. Of the checkouts that end well in the drain `finished` counts only those that are no more
    than a quarter slower than the slowest before, so that a server that falls behind does not look
    as if it kept up; what must be cut counts in `finished` and `failed`. `errors`, `checkouts_ok`
    and `checkouts_failed` count the whole stage: offered = ok + failed + dropped + expired, unless
    aborted. `retries` counts the errors that were followed by another try, in the form of `errors`:
    they are in no other figure, and a checkout that then ended well is ok. The ROLLBACK before
    another try is statement_id "rollback".

    `companions` are what the flows beside this one did in the same stage, by name."""

    stage: Stage
    started_at: float  # wall clock, seconds since the epoch, for display
    ended_at: float
    ticks: tuple[Tick, ...]  # all seconds, warm-up and ramp included
    measured_from_s: int  # ticks before this second are ramp and warm-up
    statements: dict[str, Histogram]
    errors: dict[tuple[str, int], int]
    checkouts_ok: int
    checkouts_failed: int
    aborted_by: str = ""  # the abort rule or signal that stopped it
    notes: tuple[str, ...] = field(default_factory=tuple)
    service: Histogram = field(default_factory=Histogram)  # last reply - first statement sent
    next_number: int = 0  # the first checkout number that no worker used
    retries: dict[tuple[str, int], int] = field(default_factory=dict)
    rates: tuple[RateChange, ...] = ()  # what a person changed while it ran, in order, its end too

    @property
    def lowest_rate_per_s(self) -> float:
        """The lowest rate of its hold, by the plan or by hand."""
        return min([self.stage.rate_per_s, *(c.rate_per_s for c in self.rates if not c.is_end)])

    companions: Mapping[str, StageResult] = field(default_factory=dict)

    @property
    def measured(self) -> tuple[Tick, ...]:
        """The seconds that count."""
        return tuple(t for t in self.ticks if t.second >= self.measured_from_s)

"""What happened: by second, handed over once a second, and by stage, handed over at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from readiness.load.retries import ROLLBACK
from readiness.model.histogram import Histogram, merged
from readiness.model.load import Tick


class SecondTally:
    """The counts of the second that runs: written where things happen, taken once a second."""

    __slots__ = (
        "checkout", "commit", "connect", "dropped", "expired", "failed", "finished", "floor", "lag",
        "offered", "queue", "retried", "started",
    )  # fmt: skip

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self.offered = self.started = self.finished = self.failed = self.dropped = 0
        self.retried = self.expired = 0
        self.checkout = Histogram()
        self.commit = Histogram()
        self.connect = Histogram()
        self.lag = Histogram()
        self.floor = Histogram()
        self.queue = Histogram()

    def take(
        self, second: int, *, in_flight: int, cpu_ratio: float = 0.0, delay_ratio: float = 0.0
    ) -> Tick:
        """All counts as second `second` of the stage; counting begins anew."""
        taken = Tick(
            second=second,
            offered=self.offered,
            started=self.started,
            finished=self.finished,
            failed=self.failed,
            dropped=self.dropped,
            in_flight=in_flight,
            checkout=self.checkout,
            commit=self.commit,
            connect=self.connect,
            lag=self.lag,
            generator_cpu_ratio=cpu_ratio,
            run_queue_delay_ratio=delay_ratio,
            timer_floor=self.floor,
            retried=self.retried,
            expired=self.expired,
            queue=self.queue,
        )
        self._begin()
        return taken


class StageTally:
    """The counts of a stage: service times per step, errors, and how checkouts ended."""

    __slots__ = ("cut", "errors", "failed", "ok", "retries", "rollback", "service", "steps")

    def __init__(self, steps: int) -> None:
        self.steps = [Histogram() for _ in range(steps)]
        self.errors: Counter[tuple[str, int]] = Counter()
        self.retries: Counter[tuple[str, int]] = Counter()
        self.rollback = Histogram()
        self.service = Histogram()
        self.ok = self.failed = self.cut = 0

    def by_statement(self, statement_ids: Sequence[str]) -> dict[str, Histogram]:
        """The service times by statement id; statements that never ended well are absent."""
        found: dict[str, Histogram] = {}
        for statement_id, histogram in zip(statement_ids, self.steps, strict=True):
            if histogram.count:
                found.setdefault(statement_id, Histogram()).add(histogram)
        if self.rollback.count:
            found[ROLLBACK] = self.rollback
        return found


def merge_ticks(ticks: Sequence[Tick]) -> Tick:
    """The same second of several workers (at least one) as one: counts add, ratios are the worst."""
    return Tick(
        second=ticks[0].second,
        offered=sum(t.offered for t in ticks),
        started=sum(t.started for t in ticks),
        finished=sum(t.finished for t in ticks),
        failed=sum(t.failed for t in ticks),
        dropped=sum(t.dropped for t in ticks),
        in_flight=sum(t.in_flight for t in ticks),
        checkout=merged(t.checkout for t in ticks),
        commit=merged(t.commit for t in ticks),
        connect=merged(t.connect for t in ticks),
        lag=merged(t.lag for t in ticks),
        generator_cpu_ratio=max(t.generator_cpu_ratio for t in ticks),
        run_queue_delay_ratio=max(t.run_queue_delay_ratio for t in ticks),
        timer_floor=merged(t.timer_floor for t in ticks),
        retried=sum(t.retried for t in ticks),
        expired=sum(t.expired for t in ticks),
        queue=merged(t.queue for t in ticks),
    )


def fold_drain(last: Tick, drains: Iterable[Tick]) -> Tick:
    """The last tick with what draining added to it; what describes its own second stays."""
    after = merge_ticks([last, *drains])
    return replace(
        after,
        in_flight=last.in_flight,
        generator_cpu_ratio=last.generator_cpu_ratio,
        run_queue_delay_ratio=last.run_queue_delay_ratio,
        timer_floor=last.timer_floor,
    )

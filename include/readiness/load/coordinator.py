"""Runs one stage over its workers: a common start, merged seconds, an end that leaves none behind."""

from __future__ import annotations

import contextlib
import math
import queue
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from readiness.errors import LoadError, WorkerLost
from readiness.load.messages import (
    Message,
    WorkerReport,
    decode,
    encode,
    refusal_from_json,
    tick_from_json,
)
from readiness.load.plan import measured_from_s
from readiness.load.tally import fold_drain, merge_ticks
from readiness.model.histogram import Histogram, merged
from readiness.model.load import LoadOptions, RateChange, Stage, StageResult, Tick
from readiness.ports import WorkerProcess

Launch = Callable[[int], WorkerProcess]
OnTick = Callable[[Tick], str | None]
Stopping = Callable[[], str]
"""Why the load must end now, from outside of it; "" to go on. Asked several times a second."""

SILENCE_S = 6.0  # a worker that says nothing for so long is lost
BLOCKED_S = 10.0  # a coordinator that does not come round for so long must not load on
END_WITHIN_S = 3.0
_BEAT_S = 0.5


@dataclass(frozen=True, slots=True)
class StartBarrier:
    """How all workers begin at once: up to when the last must be ready, and how long before the
    start it is told; connections for the first arrivals are opened meanwhile."""

    ready_within_s: float = 60.0
    lead_s: float = 0.5


ON_THIS_HOST = StartBarrier()


def never() -> str:
    """Nothing from outside stops the load."""
    return ""


def untuned(_from_s: int) -> RateChange | None:
    """Nobody changes the rate."""
    return None


@dataclass(frozen=True, slots=True)
class Outside:
    """Who acts on a stage while it runs: `stopping` says why it must end now, `tune` is asked once a
    second for another rate, and told the first second of the stage from which on it can hold."""

    stopping: Stopping = never
    tune: Callable[[int], RateChange | None] = untuned


ALONE = Outside()


def run_stage(
    stage: Stage,
    options: LoadOptions,
    *,
    launch: Launch,
    on_tick: OnTick,
    barrier: StartBarrier = ON_THIS_HOST,
    outside: Outside = ALONE,
) -> StageResult:
    """Runs `stage` with `options.workers` workers, made by `launch(index)`.

    `on_tick` is called once a second with all workers' counts; a reason that it or `outside` gives
    stops the stage, which then still answers what it measured, with `aborted_by` set: nothing at all
    where it was stopped before its start. Raises WorkerLost when a worker dies or falls silent,
    TargetError and WorkloadError when one refuses to begin. However it ends, by KeyboardInterrupt
    too, no worker is left."""
    crew = _Crew(barrier, outside.stopping)
    stage_run = _StageRun(stage, options.workers, on_tick, outside.tune)
    try:
        for index in range(options.workers):
            crew.add(launch(index))
        started_at = crew.start()
        if started_at is None:
            return stage_run.result(time.time(), aborted_by=outside.stopping())
        stage_run.follow(crew)
    finally:
        crew.end()
    return stage_run.result(started_at)


class _Crew:
    """The workers of one stage: a thread reads each one's lines, one sends all heartbeats."""

    def __init__(self, barrier: StartBarrier, stopping: Stopping) -> None:
        self._barrier = barrier
        self._stopping = stopping
        self._start_s: float | None = None
        self._silence_s = barrier.ready_within_s
        self._workers: list[WorkerProcess] = []
        self._lines: queue.SimpleQueue[tuple[int, bytes | None]] = queue.SimpleQueue()
        self._heard_s: list[float] = []
        self._done: set[int] = set()
        self._round_s = time.monotonic()
        self._is_over = threading.Event()
        self._heart = threading.Thread(target=self._beat, daemon=True)
        self._heart.start()

    def add(self, worker: WorkerProcess) -> None:
        """Takes a worker in; from now on it is ended with the others."""
        index = len(self._workers)
        self._workers.append(worker)
        self._heard_s.append(time.monotonic())
        threading.Thread(target=self._read, args=(index, worker), daemon=True).start()

    def start(self) -> float | None:
        """Waits until all are ready and gives the common start; its wall-clock seconds, or None when
        it must not begin any more."""
        waiting = set(range(len(self._workers)))
        within_s, lead_s = self._barrier.ready_within_s, self._barrier.lead_s
        deadline = time.monotonic() + within_s
        while waiting:
            index, message = self.next()
            if message is not None and "ready" in message:
                waiting.discard(index)
            if time.monotonic() > deadline:
                raise LoadError(
                    f"{len(waiting)} load workers were not ready after {within_s:g} s.",
                    hint="Is the machine overloaded? Fewer --workers need less.",
                )
            if self._stopping():
                return None
        self._heard_s = [time.monotonic() + lead_s for _ in self._workers]
        self._silence_s = SILENCE_S
        self.tell({"go": time.monotonic_ns() + int(lead_s * 1e9)})
        self._start_s = time.monotonic() + lead_s
        return time.time() + lead_s

    def next_s(self) -> int:
        """The first second of the stage of which all workers can still hear before it begins."""
        elapsed_s = time.monotonic() - (self._start_s or 0.0)
        return math.ceil(elapsed_s + self._barrier.lead_s)

    def next(self) -> tuple[int, Message | None]:
        """The next message and whose it is, or (-1, None) when none came for a moment. Raises what
        a worker refused with, and WorkerLost for one that ended or has been silent for too long."""
        self._round_s = time.monotonic()
        self._heed()
        try:
            index, line = self._lines.get(timeout=0.2)
        except queue.Empty:
            return -1, None
        finally:
            self._demand_voices()
        if line is None and index in self._done:
            return -1, None
        if line is None:
            raise self._lost(index, "ended before its report")
        message = decode(line)
        if "refused" in message:
            raise refusal_from_json(message["refused"])
        return index, message

    def tell(self, message: Message) -> None:
        """The same line to all that still listen. One that is gone is told of by its reading
        thread: it may have reported and ended, and then the stage is whole."""
        for worker in list(self._workers):
            with contextlib.suppress(WorkerLost):
                worker.send(encode(message))

    def end(self) -> None:
        """Ends all: by closing their input, then by force, which a second Ctrl-C makes at once."""
        self._is_over.set()
        try:
            for worker in self._workers:
                worker.close_input()
            deadline = time.monotonic() + END_WITHIN_S
            for worker in self._workers:
                worker.wait(max(deadline - time.monotonic(), 0.0))
        finally:
            for worker in self._workers:
                worker.kill()
                worker.wait(END_WITHIN_S)

    def done(self, index: int) -> None:
        """A worker has reported: it may be silent, and end."""
        self._done.add(index)

    def _demand_voices(self) -> None:
        now, silence_s = time.monotonic(), self._silence_s
        for index, heard_s in enumerate(self._heard_s):
            if now - heard_s > silence_s and index not in self._done:
                raise self._lost(index, f"said nothing for {silence_s:g} s")

    def _lost(self, index: int, how: str) -> WorkerLost:
        code = self._workers[index].wait(1.0)
        why = "" if code is None else f" (signal {-code})" if code < 0 else f" (exit code {code})"
        return WorkerLost(
            f"Load worker {index} {how}{why}.",
            hint=f"What it wrote last stands in {self._workers[index].log_path()}.",
        )

    def _read(self, index: int, worker: WorkerProcess) -> None:
        for line in worker.lines():
            self._heard_s[index] = time.monotonic()
            self._lines.put((index, line))
        self._lines.put((index, None))

    def _heed(self) -> None:
        """Passes a stop from outside on; workers keep the first reason that they hear."""
        reason = self._stopping()
        if reason and self._start_s is not None:
            self.tell({"stop": reason})

    def _beat(self) -> None:
        # Not from the main thread: `on_tick` may wait for a frozen server while load must go on, or
        # end.
        while not self._is_over.wait(_BEAT_S):
            self._heed()
            if time.monotonic() - self._round_s <= BLOCKED_S:
                self.tell({"beat": 1})


class _StageRun:
    """Collects what the workers say until all have reported."""

    def __init__(
        self, stage: Stage, workers: int, on_tick: OnTick, tune: Callable[[int], RateChange | None]
    ) -> None:
        self._stage = stage
        self._workers = workers
        self._on_tick = on_tick
        self._tune = tune
        self._until_s = stage.duration_s
        self._rates: list[RateChange] = []
        self._seconds: defaultdict[int, list[Tick]] = defaultdict(list)
        self._reports: dict[int, WorkerReport] = {}
        self._aborted_by = ""

    def follow(self, crew: _Crew) -> None:
        """Takes messages until the last report."""
        while len(self._reports) < self._workers:
            index, message = crew.next()
            if message is None or index in self._reports:
                continue
            if "report" in message:
                self._reports[index] = WorkerReport.from_json(message["report"])
                crew.done(index)
            elif "tick" in message:
                self._take(tick_from_json(message["tick"]), crew)

    def _take(self, tick: Tick, crew: _Crew) -> None:
        ticks = self._seconds[tick.second]
        ticks.append(tick)
        if len(ticks) < self._workers or self._aborted_by:
            return
        reason = self._on_tick(merge_ticks(ticks))
        if reason:
            self._aborted_by = reason
            crew.tell({"stop": reason})
        elif (from_s := crew.next_s()) < self._until_s and (change := self._tune(from_s)):
            self._rates.append(change)
            self._until_s = change.from_s if change.is_end else self._until_s
            crew.tell({"rate": change.rate_per_s, "from_s": change.from_s})

    def result(self, started_at: float, *, aborted_by: str = "") -> StageResult:
        """All workers' figures as one; `aborted_by` where nothing began."""
        reports = list(self._reports.values())
        ticks = [merge_ticks(self._seconds[second]) for second in sorted(self._seconds)]
        if ticks:
            ticks[-1] = fold_drain(ticks[-1], [report.drain for report in reports])
        cut = sum(report.cut for report in reports)
        own_reasons = (report.stopped_by for report in reports if report.stopped_by)
        return StageResult(
            stage=self._stage,
            started_at=started_at,
            ended_at=time.time(),
            ticks=tuple(ticks),
            measured_from_s=measured_from_s(self._stage),
            statements=_statements(reports),
            errors=_added(report.errors for report in reports),
            retries=_added(report.retries for report in reports),
            checkouts_ok=sum(report.ok for report in reports),
            checkouts_failed=sum(report.failed for report in reports),
            aborted_by=aborted_by or self._aborted_by or next(own_reasons, ""),
            notes=tuple(_notes(cut, sum(tick.expired for tick in ticks))),
            service=merged(report.service for report in reports),
            next_number=max((report.next_number for report in reports), default=0),
            rates=tuple(self._rates),
        )


def _notes(cut: int, expired: int) -> Iterator[str]:
    if cut:
        yield f"{cut} checkouts were cut by the stop"
    if expired:
        yield f"{expired} checkouts left the line outside the gate"


def _statements(reports: Sequence[WorkerReport]) -> dict[str, Histogram]:
    found: dict[str, Histogram] = {}
    for report in reports:
        for statement_id, histogram in report.statements.items():
            found.setdefault(statement_id, Histogram()).add(histogram)
    return found


def _added(counts: Iterable[Mapping[tuple[str, int], int]]) -> dict[tuple[str, int], int]:
    return dict(sum(map(Counter, counts), Counter[tuple[str, int]]()))

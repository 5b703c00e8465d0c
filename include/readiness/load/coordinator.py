"""Runs one stage over its workers: a common start, merged seconds, an end that leaves none behind.

The workers of all flows of a stage are one crew: they begin at one moment, and whatever stops one of
them stops all. Only what they measured is merged flow by flow.
"""

from __future__ import annotations

import contextlib
import math
import queue
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from readiness.errors import LoadError, ReadinessError, WorkerLost
from readiness.load.messages import (
    Message,
    WorkerReport,
    decode,
    encode,
    packed,
    refusal_from_json,
    tick_from_json,
    unpacked,
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
    """What acts on a stage from outside: the barrier at which it begins; `stopping` says why it must
    end now; `tune` is asked once a second for another rate, and told the first second of the stage
    from which on it can hold."""

    barrier: StartBarrier = ON_THIS_HOST
    stopping: Stopping = never
    tune: Callable[[int], RateChange | None] = untuned


ALONE = Outside()


@dataclass(frozen=True, slots=True)
class Companion:
    """A flow that runs beside the first one of a stage, from `options.workers` workers of its own. A
    rate by hand changes its own by as much, unless it `is_fixed`."""

    name: str
    stage: Stage
    options: LoadOptions
    launch: Launch
    is_fixed: bool = False


def run_stage(
    stage: Stage,
    options: LoadOptions,
    *,
    launch: Launch,
    on_tick: OnTick,
    outside: Outside = ALONE,
    companions: Sequence[Companion] = (),
) -> StageResult:
    """Runs `stage` with `options.workers` workers, made by `launch(index)`, and the `companions`
    beside it.

    `on_tick` is called once a second with the counts of all workers of this flow; a reason that it or
    `outside` gives stops the stage, which then still answers what it measured, with `aborted_by` set:
    nothing at all where it was stopped before its start. Another rate is followed by companions that
    are not fixed; its end is everybody's. Raises WorkerLost when a worker of any flow dies or falls silent, TargetError
    and WorkloadError when one refuses to begin. However it ends, by KeyboardInterrupt too, no worker
    is left."""
    crew = _Crew(outside)
    try:
        flows = [_FlowRun(stage, crew.add_all(launch, options.workers))]
        flows += [
            _FlowRun(
                c.stage,
                crew.add_all(c.launch, c.options.workers, flow=c.name),
                multiple=None if c.is_fixed else c.stage.rate_per_s / stage.rate_per_s,
            )
            for c in companions
        ]
        started_at = crew.start()
        stage_run = _StageRun(flows, on_tick, outside.tune)
        if started_at is not None:
            stage_run.follow(crew)
    finally:
        crew.end()
    unbegun = "" if started_at is not None else outside.stopping()
    result, *others = stage_run.results(started_at or time.time(), unbegun)
    beside = {c.name: other for c, other in zip(companions, others, strict=True)}
    return replace(result, companions=beside)


class _Crew:
    """The workers of one stage, of all its flows: a thread reads each one's lines, one sends all
    heartbeats."""

    def __init__(self, outside: Outside) -> None:
        self._barrier = outside.barrier
        self._stopping = outside.stopping
        self._start_s: float | None = None
        self._silence_s = outside.barrier.ready_within_s
        self._workers: list[WorkerProcess] = []
        self._names: list[str] = []  # "1", or "1 of repayment"
        self._lines: queue.SimpleQueue[tuple[int, bytes | None]] = queue.SimpleQueue()
        self._heard_s: list[float] = []
        self._done: set[int] = set()
        self._round_s = time.monotonic()
        self._is_over = threading.Event()
        self._heart = threading.Thread(target=self._beat, daemon=True)
        self._heart.start()

    def add_all(self, launch: Launch, count: int, *, flow: str = "") -> range:
        """Launches the workers of a flow ("": the first); their places in the crew. From its launch on
        each is ended with the others."""
        first = len(self._workers)
        for number in range(count):
            self._add(launch(number), f"{number} of {flow}" if flow else f"{number}")
        return range(first, first + count)

    def _add(self, worker: WorkerProcess, name: str) -> None:
        index = len(self._workers)
        self._workers.append(worker)
        self._names.append(name)
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
            raise self._refusal(index, message["refused"])
        return index, message

    def _refusal(self, index: int, refused: Message) -> ReadinessError:
        """A flow beside the first says which it is: the plan's other workloads may be sound."""
        _, _, flow = self._names[index].partition(" of ")
        before = f"Flow {flow}: " if flow else ""
        return refusal_from_json({**refused, "message": f"{before}{refused['message']}"})

    def tell(self, message: Message, places: range | None = None) -> None:
        """The same line to all that still listen, or to those at `places`. One that is gone is told of by its reading
        thread: it may have reported and ended, and then the stage is whole."""
        told = self._workers[places.start : places.stop] if places else list(self._workers)
        for worker in told:
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
            f"Load worker {self._names[index]} {how}{why}.",
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


class _FlowRun:
    """What the workers of one flow say, as one."""

    def __init__(self, stage: Stage, workers: range, *, multiple: float | None = 1.0) -> None:
        self.workers = workers
        self._stage = stage
        self._multiple = multiple  # of the first flow's rate; None: it is fixed
        self._rates: list[RateChange] = []  # by hand
        self._seconds: defaultdict[int, list[Tick]] = defaultdict(list)  # not whole yet
        self._packed: list[
            bytes
        ] = []  # a soak has many seconds, and nobody looks at them before its end
        self._reports: list[WorkerReport] = []

    @property
    def duration_s(self) -> float:
        """Of the stage, as planned."""
        return self._stage.duration_s

    @property
    def is_over(self) -> bool:
        """Whether all have reported."""
        return len(self._reports) == len(self.workers)

    def change(self, change: RateChange, crew: _Crew) -> None:
        """Another rate of the first flow by hand: this one's changes by as much, or only ends."""
        if self._multiple is None and not change.is_end:
            return
        own = replace(change, rate_per_s=change.rate_per_s * (self._multiple or 0.0))
        self._rates.append(own)
        crew.tell({"rate": own.rate_per_s, "from_s": own.from_s}, self.workers)

    def take_report(self, report: WorkerReport) -> None:
        """A worker has ended."""
        self._reports.append(report)

    def take(self, tick: Tick) -> Tick | None:
        """The second of all workers, once the last of them has told it."""
        ticks = self._seconds[tick.second]
        ticks.append(tick)
        if len(ticks) < len(self.workers):
            return None
        whole = merge_ticks(self._seconds.pop(tick.second))
        self._packed.append(packed(whole))
        return whole

    def result(self, started_at: float, aborted_by: str) -> StageResult:
        """All workers' figures as one."""
        reports = self._reports
        ticks = sorted(
            [*map(unpacked, self._packed), *map(merge_ticks, self._seconds.values())],
            key=lambda tick: tick.second,
        )
        if ticks:
            ticks[-1] = fold_drain(ticks[-1], [report.drain for report in reports])
        cut = sum(report.cut for report in reports)
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
            aborted_by=aborted_by,
            notes=tuple(_notes(cut, sum(tick.expired for tick in ticks))),
            service=merged(report.service for report in reports),
            next_number=max((report.next_number for report in reports), default=0),
            rates=tuple(self._rates),
        )


class _StageRun:
    """Follows all flows of a stage until the last worker has reported."""

    def __init__(
        self,
        flows: Sequence[_FlowRun],
        on_tick: OnTick,
        tune: Callable[[int], RateChange | None],
    ) -> None:
        self._flows = flows
        self._of = {index: flow for flow in flows for index in flow.workers}
        self._on_tick = on_tick
        self._tune = tune
        self._until_s = flows[0].duration_s
        self._reported: set[int] = set()
        self._aborted_by = ""

    def follow(self, crew: _Crew) -> None:
        """Takes messages until the last report."""
        while not all(flow.is_over for flow in self._flows):
            index, message = crew.next()
            if message is None or index in self._reported:
                continue
            if "report" in message:
                self._reported.add(index)
                crew.done(index)
                self._take_report(index, WorkerReport.from_json(message["report"]), crew)
            elif "tick" in message:
                self._take(index, tick_from_json(message["tick"]), crew)

    def results(self, started_at: float, unbegun: str) -> list[StageResult]:
        """What each flow did; what stopped one of them stopped all. `unbegun` is why none began."""
        aborted_by = self._aborted_by or unbegun
        return [flow.result(started_at, aborted_by) for flow in self._flows]

    def _take_report(self, index: int, report: WorkerReport, crew: _Crew) -> None:
        self._of[index].take_report(report)
        if report.stopped_by:
            self._stop(report.stopped_by, crew)

    def _take(self, index: int, tick: Tick, crew: _Crew) -> None:
        flow = self._of[index]
        second = flow.take(tick)
        if second is None or self._aborted_by or flow is not self._flows[0]:
            return
        reason = self._on_tick(second)
        if reason:
            self._stop(reason, crew)
        elif (from_s := crew.next_s()) < self._until_s and (change := self._tune(from_s)):
            self._change(change, crew)

    def _change(self, change: RateChange, crew: _Crew) -> None:
        self._until_s = change.from_s if change.is_end else self._until_s
        for flow in self._flows:
            flow.change(change, crew)

    def _stop(self, reason: str, crew: _Crew) -> None:
        if not self._aborted_by:
            self._aborted_by = reason
            crew.tell({"stop": reason})


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

"""A load loop that runs a short stage in this process, its commands on a pipe."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from readiness.load.control import Control
from readiness.load.loop import Loop
from readiness.load.messages import WorkerReport
from readiness.load.plan import WorkerPlan
from readiness.model.histogram import Histogram, merged
from readiness.model.load import LoadOptions, Stage, Tick
from readiness.ports import CheckoutFlow, Connector


class Commands:
    """The coordinator's end of a worker's input."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._is_open = True

    def say(self, line: bytes) -> None:
        os.write(self._fd, line + b"\n")

    def hang_up(self) -> None:
        if self._is_open:
            self._is_open = False
            os.close(self._fd)


@dataclass
class Played:
    """What a loop said while it ran, and its report."""

    report: WorkerReport
    ticks: list[Tick] = field(default_factory=list)
    took_s: float = 0.0

    @property
    def parts(self) -> list[Tick]:
        return [*self.ticks, self.report.drain]

    def total(self, name: str) -> int:
        return sum(getattr(part, name) for part in self.parts)

    def histogram(self, name: str) -> Histogram:
        return merged(getattr(part, name) for part in self.parts)


def steady(rate_per_s: float, hold_s: float) -> Stage:
    return Stage("x", rate_per_s, hold_s)


def play(
    flow: CheckoutFlow,
    connect: Connector,
    stage: Stage,
    *,
    later: Callable[[Commands], None] = lambda _: None,
    drain_s: float = 5.0,
    **options: object,
) -> Played:
    """Runs the stage; `later` runs beside it in a thread and may speak to the worker."""
    plan = WorkerPlan.of(flow, stage, LoadOptions(**options), 0)  # type: ignore[arg-type]
    loop = Loop(flow, connect, plan=plan, drain_s=drain_s)
    read, write = os.pipe()
    commands = Commands(write)
    beside = threading.Thread(target=later, args=(commands,))
    ticks: list[Tick] = []
    begun = time.monotonic()
    beside.start()
    try:
        report = loop.run(
            time.monotonic_ns() + 50_000_000,
            on_tick=ticks.append,
            on_draining=lambda _: None,
            ear=Control(read),
        )
    finally:
        beside.join()
        commands.hang_up()
        os.close(read)
    return Played(report, ticks, time.monotonic() - begun)

"""Who looks on while tasks run: the task's log, or, for a run in one process, a terminal."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from readiness.cli.ramp import live_ramp
from readiness.config.plan import Plan
from readiness.flow.ramp import Watcher
from readiness.model.load import Stage, StageResult, Tick
from readiness.model.metrics import Sample
from readiness.model.run import RunRecord
from readiness.report.live import LiveRamp

LINE_EVERY_S = 5.0
_log = logging.getLogger(__name__)


class Onlooker(Protocol):
    """Is told of each step, and makes who watches a stage."""

    def step(self, name: str) -> AbstractContextManager[Callable[[str], None]]:
        """Around a step; the function inside takes one fact to tell at its end."""
        ...

    def progress(self, text: str, /) -> None:
        """How far a step is, in a line."""
        ...

    def watcher(self, plan: Plan, record: RunRecord) -> Watcher:
        """Who watches the stages of an opened run."""
        ...


class TaskLog:
    """An `Onlooker` that writes to the task's log."""

    @contextmanager
    def step(self, name: str) -> Iterator[Callable[[str], None]]:
        """One line when the step has ended."""
        facts = [""]
        began = time.monotonic()
        yield lambda fact: facts.__setitem__(0, fact)
        _log.info("%s: %s (%.1f s)", name, facts[0] or "done", time.monotonic() - began)

    def progress(self, text: str, /) -> None:
        """The line as it is."""
        _log.info("%s", text)

    def watcher(self, plan: Plan, record: RunRecord) -> Watcher:
        """A line every few seconds."""
        return LogWatcher(live_ramp(plan, record))


class LogWatcher:
    """A watcher that logs where the ramp stands every 5 s."""

    def __init__(self, ramp: LiveRamp) -> None:
        self._ramp = ramp
        self._line_at = 0.0

    def begin(self, stage: Stage) -> None:
        """A stage starts."""
        self._ramp.begin(stage)
        self._line_at = time.monotonic() + LINE_EVERY_S
        _log.info("stage %s: %g checkouts/s", stage.name, stage.rate_per_s)

    def update(self, tick: Tick, samples: Sequence[Sample] = ()) -> None:
        """One second of it."""
        self._ramp.update(tick, samples)
        if time.monotonic() >= self._line_at:
            self._line_at += LINE_EVERY_S
            _log.info("%s", self._ramp.line(time.time()))

    def end(self, result: StageResult) -> None:
        """It is over."""
        self._ramp.end(result)
        why = f", stopped: {result.aborted_by}" if result.aborted_by else ""
        _log.info(
            "stage %s ended: %d checkouts ok, %d failed%s",
            result.stage.name, result.checkouts_ok, result.checkouts_failed, why,
        )  # fmt: skip

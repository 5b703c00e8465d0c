"""How a running ramp is shown: redrawn each second at a terminal, a line now and then elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Sequence
from typing import TextIO

from readiness.model.load import Stage, StageResult, Tick
from readiness.model.metrics import Sample
from readiness.report.live import LiveRamp

_LINE_EVERY_S = 5.0


class LiveView:
    """A `flow.ramp.Watcher` that draws a `LiveRamp` on a stream."""

    def __init__(self, ramp: LiveRamp, stream: TextIO = sys.stderr) -> None:
        self._ramp = ramp
        self._stream = stream
        self.is_terminal = stream.isatty()
        self._drawn = 0
        self._line_at = 0.0

    def begin(self, stage: Stage) -> None:
        """A stage starts."""
        self._ramp.begin(stage)
        self._line_at = time.monotonic() + _LINE_EVERY_S

    def update(self, tick: Tick, samples: Sequence[Sample] = ()) -> None:
        """One second of it."""
        self._ramp.update(tick, samples)
        if self.is_terminal:
            self._draw()
        elif time.monotonic() >= self._line_at:
            self._line_at += _LINE_EVERY_S
            self._write(self._ramp.line(time.time()) + "\n")

    def end(self, result: StageResult) -> None:
        """It is over: its row stays."""
        self._ramp.end(result)
        if self.is_terminal:
            self._draw()

    def _draw(self) -> None:
        frame = self._ramp.frame(time.time(), colour=True)
        up = f"\x1b[{self._drawn}F\x1b[J" if self._drawn else ""
        self._drawn = frame.count("\n") + 1
        self._write(f"{up}{frame}\n")

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):  # whoever looked on has left; the load goes on
            self._stream.write(text)
            self._stream.flush()

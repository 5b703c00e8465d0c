"""The lines of a demo: each step when it ends, with what it took and one fact."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from readiness.report.terminal import step_line


class Steps:
    """Tells each step when it ends: what, how long, and one fact."""

    def __init__(self, stream: TextIO, *, colour: bool) -> None:
        self._stream = stream
        self._colour = colour

    @contextmanager
    def step(self, name: str) -> Iterator[Callable[[str], None]]:
        """Inside, `tell(fact)` sets what stands at the end of the line."""
        facts = [""]
        began = time.monotonic()
        try:
            yield lambda fact: facts.__setitem__(0, fact)
        except BaseException:
            self._write(step_line(name, time.monotonic() - began, "did not end", is_done=False))
            raise
        self.done(name, time.monotonic() - began, facts[0])

    def done(self, name: str, seconds: float, fact: str) -> None:
        """A step that was timed elsewhere."""
        self._write(step_line(name, seconds, fact, colour=self._colour))

    def _write(self, line: str) -> None:
        self._stream.write(f"{line}\n")
        self._stream.flush()

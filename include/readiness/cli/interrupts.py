"""Ctrl-C, SIGTERM and a closed terminal, while a command makes load."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from types import FrameType

from readiness.adapters.worker_process import kill_all

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_OUTPUTS = (1, 2)


class Interrupts:
    """`with Interrupts() as interrupts:` each such signal raises KeyboardInterrupt and ends all load
    workers at once. Only the first one while they are `held_back` does not: `reason` says it then, and
    whoever makes the load ends it in order."""

    def __init__(self) -> None:
        self._reason = ""
        self._are_held_back = False
        self._before: dict[int, signal._HANDLER] = {}
        self._at_terminal = [fd for fd in _OUTPUTS if os.isatty(fd)]

    def reason(self) -> str:
        """ "interrupted by SIGTERM", or "" as long as nobody has interrupted."""
        return self._reason

    @contextlib.contextmanager
    def held_back(self) -> Iterator[None]:
        """Until its end, the first signal asks only; the load must look at `reason`."""
        self._are_held_back = True
        try:
            yield
        finally:
            self._are_held_back = False

    def _take(self, number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGHUP:
            self._leave_the_terminal()
        if self._are_held_back and not self._reason:
            self._reason = f"interrupted by {signal.Signals(number).name}"
            # Not print: a signal may arrive in the middle of one.
            os.write(2, b"\nstopping the load; what was measured is kept\n")
            return
        kill_all()
        raise KeyboardInterrupt

    def _leave_the_terminal(self) -> None:
        """It is gone: what is written there from now on would be an error, and end the work."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for fd in self._at_terminal:
            os.dup2(nowhere, fd)
        os.close(nowhere)

    def __enter__(self) -> Interrupts:
        for number in _SIGNALS:
            before = signal.getsignal(number)
            if before != signal.SIG_IGN:  # nohup, or a shell that keeps Ctrl-C from its background
                self._before[number] = before
                signal.signal(number, self._take)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

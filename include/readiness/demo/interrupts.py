"""Ctrl-C and SIGTERM: once ends the work, and while things are cleaned up more of them wait."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _wait(_number: int, _frame: FrameType | None) -> None:
    # Not print: a signal may arrive in the middle of one.
    sys.stderr.write("still cleaning up, a moment\n")


def interruptible() -> None:
    """SIGINT, SIGTERM and SIGHUP raise KeyboardInterrupt in the main thread."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)


@contextmanager
def shielded() -> Iterator[None]:
    """Inside, an interrupt only says that cleaning up goes on: it takes seconds, and is bounded."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, _wait) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

"""Ctrl-C and SIGTERM: the first ends the work, every later one waits while things are cleaned up."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import NoReturn

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def interruptible() -> None:
    """The first SIGINT, SIGTERM or SIGHUP raises KeyboardInterrupt in the main thread."""
    for number in _SIGNALS:
        signal.signal(number, _interrupt)


def finishing() -> None:
    """From now on to the end of the process an interrupt only says that cleaning up goes on, which
    takes seconds: a second Ctrl-C must not stop what the first one asked for."""
    for number in _SIGNALS:
        signal.signal(number, _wait)


def finished() -> None:
    """Nothing is left to stop: an interrupt while Python shuts down must not change the exit code."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    # Here, not where the exception is caught: the second signal may be faster than that.
    finishing()
    raise KeyboardInterrupt


def _wait(_number: int, _frame: FrameType | None) -> None:
    # Not print: a signal may arrive in the middle of one.
    sys.stderr.write("still cleaning up, a moment\n")

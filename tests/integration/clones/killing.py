"""Runs work in a process of its own and kills it with -9 before one of its steps.

A step is what can be seen from outside: a file opened to be written, renamed or removed, a folder made
or removed, a program started, a connection made, a statement sent. Python tells of each before it is
done; the removals within one folder count once.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from readiness.adapters.mysql_session import MySqlSession

_FILES = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "open"}
_OTHERS = {"subprocess.Popen", "socket.connect"}


class Steps:
    """Counts steps below `root`, and dies before the step `last`."""

    def __init__(self, root: Path, last: int) -> None:
        self.root = str(root)
        self.last = last
        self.count = 0
        self.before: tuple[str, str] = ("", "")

    def hook(self, event: str, args: tuple[Any, ...]) -> None:
        """An audit hook."""
        if event in _OTHERS:
            self.step(event, str(self.count))
        elif event in _FILES and self._is_ours(event, args):
            self.step(event, str(Path(os.fsdecode(args[0])).parent))

    def step(self, event: str, where: str) -> None:
        """One step; the same kind in the same folder again is the same step."""
        if (event, where) == self.before:
            return
        self.before = (event, where)
        self.count += 1
        if self.count == self.last:
            os.kill(os.getpid(), signal.SIGKILL)

    def _is_ours(self, event: str, args: tuple[Any, ...]) -> bool:
        path = args[0]
        if not isinstance(path, str | bytes | os.PathLike):
            return False
        if event == "open" and not args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            return False
        # Names relative to an open folder are of a removal, which goes on below the root.
        name = Path(os.fsdecode(path))
        return not name.is_absolute() or name.is_relative_to(self.root)


def killed_before(step: int, work: Callable[[], object], *, root: Path) -> bool:
    """True when the process was killed before its step `step`; False when it had fewer and ended.

    Raises AssertionError when it failed by itself."""
    pid = os.fork()
    if not pid:
        _run(step, work, root)
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in {0, -signal.SIGKILL}, f"it ended with {code} at step {step}"
    return code != 0


def _run(step: int, work: Callable[[], object], root: Path) -> None:
    """Never returns."""
    steps, send = Steps(root, step), MySqlSession.query

    def query(self: MySqlSession, *given: Any) -> Any:
        steps.step("query", str(steps.count))
        return send(self, *given)

    MySqlSession.query = query  # type: ignore[method-assign]
    sys.addaudithook(steps.hook)
    try:
        work()
    except BaseException:  # noqa: BLE001 - told by the exit code
        traceback.print_exc()
        os._exit(9)
    os._exit(0)

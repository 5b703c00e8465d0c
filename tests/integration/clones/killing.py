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
from readiness.errors import ReadinessError

_FILES = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "open"}
_TOLD = 8  # exit code: it said what was wrong
_OTHERS = {"subprocess.Popen", "socket.connect"}


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Steps:
    """Names steps below `root`, and before the step `last` does `kill`: else it dies itself."""

    def __init__(self, root: Path, last: int, kill: Callable[[], object] = _die) -> None:
        self.root = str(root)
        self.last = last
        self.kill = kill
        self.names: list[str] = []
        self.before: tuple[str, str] = ("", "")

    @property
    def count(self) -> int:
        return len(self.names)

    def hook(self, event: str, args: tuple[Any, ...]) -> None:
        """An audit hook."""
        if event in _OTHERS:
            self.step(event, str(self.count))
        elif event in _FILES and self._is_ours(event, args):
            self.step(event, str(Path(os.fsdecode(args[0])).parent))

    def step(self, event: str, where: str, name: str = "") -> None:
        """One step; the same kind in the same folder again is the same step."""
        if (event, where) == self.before:
            return
        self.before = (event, where)
        self.names.append(name or f"{event} {where}")
        if self.count == self.last:
            self.kill()

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
    code = _ended(lambda: _run(Steps(root, step), work))
    assert code in {0, -signal.SIGKILL}, f"it ended with {code} at step {step}"
    return code != 0


def broken_before(
    step: int, kill: Callable[[], object], work: Callable[[], object], *, root: Path
) -> bool:
    """True when the work failed with a word of what is wrong after `kill` before its step `step`;
    False when it came to its end all the same."""
    code = _ended(lambda: _run(Steps(root, step, kill), work))
    assert code in {0, _TOLD}, f"it ended with {code} at step {step}"
    return code != 0


def steps_of(work: Callable[[], object], *, root: Path) -> list[str]:
    """What the steps are, by name, of a process that nobody kills."""
    told = root / "steps.txt"
    steps = Steps(root, 0)
    code = _ended(lambda: _run(steps, work, lambda: told.write_text("\n".join(steps.names))))
    assert code == 0
    names = told.read_text().split("\n")
    told.unlink()
    return names


def _ended(run: Callable[[], object]) -> int:
    """The exit code of a child that runs; minus the signal where one ended it."""
    pid = os.fork()
    if not pid:
        run()
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def _run(steps: Steps, work: Callable[[], object], then: Callable[[], object] = int) -> None:
    """Never returns."""
    send = MySqlSession.query

    def query(self: MySqlSession, sql: str, *given: Any) -> Any:
        steps.step("query", str(steps.count), " ".join(sql.split()[:4]))
        return send(self, sql, *given)

    MySqlSession.query = query  # type: ignore[assignment]
    sys.addaudithook(steps.hook)
    try:
        work()
    except ReadinessError as error:
        print(error.message)
        os._exit(_TOLD)
    except BaseException:  # noqa: BLE001 - told by the exit code
        traceback.print_exc()
        os._exit(9)
    then()
    os._exit(0)

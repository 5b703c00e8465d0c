"""Runs one program that must not outlive its owner: when the owner dies, so does the program.

Started as `python -I -S guardian.py PIPE_FD OWNER_PID FOLDER HOME -- PROGRAM ARGUMENT…`, in a
session of its own, so that Ctrl-C in the terminal does not reach the program. Makes FOLDER (unless
it is "-"), notes HOME in it, and prints the program's pid on standard output. SIGTERM is passed
on; when the program has ended, FOLDER is removed and the program's exit code is ours. The owner's death shows as end of file on the pipe, or, where
a child of the owner still holds the pipe's other end, as another parent. Standard library only.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import shutil
import signal
import sys

_PR_SET_PDEATHSIG = 1
_LOOK_S = 0.25


def make_folder(folder: str, home: str) -> None:
    """A new folder of mode 0700 whose `home` file says which server's it is."""
    os.mkdir(folder, 0o700)  # noqa: PTH102 - pathlib would double the start-up time
    with open(f"{folder}/home", "w", encoding="utf-8") as note:  # noqa: PTH123
        note.write(home)


def _die_with(guardian: int) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != guardian:  # it died before the line above
        os._exit(127)


def _start(arguments: list[str]) -> int:
    """Forks and runs the program in a process group of its own; its pid."""
    guardian, pid = os.getpid(), os.fork()
    if pid:
        return pid
    try:
        os.setpgid(0, 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, set())
        _die_with(guardian)
        os.dup2(2, 1)
        os.execvp(arguments[0], arguments)  # noqa: S606 - an argument list, no shell
    except OSError as error:
        os.write(2, f"[ERROR] cannot start {arguments[0]}: {error.strerror}\n".encode())
        os._exit(127)


def _wait(child: int, pipe: int, owner: int) -> int:
    """Returns the program's exit code; kills it as soon as the owner is gone."""
    # Signals come as bytes on a pipe, so that one select waits for everything.
    wake, wake_w = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(wake_w)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, set())
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        ready, _, _ = select.select([pipe, wake], [], [], _LOOK_S)
        if wake in ready:
            os.read(wake, 4096)
        if (pipe in ready and not os.read(pipe, 1)) or os.getppid() != owner:
            _kill_all_of(child)
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _kill_all_of(child: int) -> None:
    os.kill(child, signal.SIGKILL)  # not yet reaped, so the pid is still its own
    with contextlib.suppress(ProcessLookupError):  # it never came to lead a group
        os.killpg(child, signal.SIGKILL)


def main(arguments: list[str]) -> int:
    """The program's exit code; 128 + signal number when a signal ended it."""
    pipe, owner, folder, home = int(arguments[0]), int(arguments[1]), arguments[2], arguments[3]
    if folder != "-":
        make_folder(folder, home)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGCHLD})
    child = _start(arguments[5:])
    with contextlib.suppress(BrokenPipeError):  # the owner is gone already: _wait sees it
        os.write(1, f"{child}\n".encode())
    os.close(1)
    code = _wait(child, pipe, owner)
    if folder != "-":
        shutil.rmtree(folder, ignore_errors=True)
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""A load worker of another shard, as its coordinator sees it: its lines travel by mail.

What both say beyond the lines of `load.messages`, each time in wall-clock nanoseconds, since two hosts
have no other clock in common:

to the shard: {"job": assignment} first, {"beat": wall_ns}, {"go": wall_ns}, {"close": 1}, {"kill": 1}.
From it: {"here": wall_ns, "machine": …, "pid": …} first, {"beat": wall_ns}, {"exit": code or null}.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from readiness.adapters.mail_files import (
    CLOCKS_APART_S,
    POLL_S,
    Patience,
    Sheet,
    Tail,
    from_path,
    machine,
    sent_early_s,
    to_path,
)
from readiness.artifacts.atomic import naming
from readiness.errors import LoadError, ReadinessError, WorkerLost
from readiness.load.messages import Assignment, Message, decode, encode, refusal_to_json

_OWN = (b'{"here":', b'{"beat":', b'{"exit":')
_REPORT = b'{"report":'


@dataclass(frozen=True, slots=True)
class Address:
    """Which worker of a stage, of which shard, in the box of which try."""

    box: Path
    shard: int
    worker: int


class MailboxWorker:
    """`ports.WorkerProcess` over a worker that another task runs, on this host or another.

    `lines` ends with a refusal of its own when the shard does not come, falls silent, or has a clock
    that is apart. Raises ArtifactError when the box cannot be written."""

    def __init__(
        self, address: Address, assignment: Assignment, *, log: Path, patience: Patience
    ) -> None:
        self._shard = address.shard
        self._stage = assignment.stage.name
        self._log = log
        self._patience = patience
        self._from = from_path(address.box, address.worker)
        self._tail = Tail(self._from)
        self._lock = threading.Lock()  # no command may follow the close
        self._is_closed = False
        self._is_there = False
        self._has_reported = False
        self._ended = threading.Event()
        self._code: int | None = None
        self._root_pid: int | None = None
        path = to_path(address.box, address.worker)
        with naming(path, "written"):
            self._sheet = Sheet(path)
            self._sheet.say({"job": assignment.to_json()})

    @property
    def root_pid(self) -> int | None:
        """The process of the shard's task, when it is there and on this machine."""
        return self._root_pid

    def throw_away_read_mail(self) -> None:
        """Removes what the worker wrote, once it has ended: it is long, and all of it is taken. One
        that has not ended may have left there what went wrong."""
        if self.has_ended:
            with contextlib.suppress(OSError):
                self._from.unlink(missing_ok=True)

    @property
    def has_ended(self) -> bool:
        """Whether its shard has said that it ended."""
        return self._ended.is_set()

    def lines(self) -> Iterator[bytes]:
        """Each line that the worker wrote, until it has ended."""
        try:
            yield from self._lines()
        except ReadinessError as error:
            self._is_there = False
            if not self._has_reported:
                yield encode({"refused": refusal_to_json(error)})

    def send(self, line: bytes) -> None:
        """Mails one line; raises WorkerLost when it has ended or cannot be written to."""
        with self._lock:
            if self._is_closed or self.has_ended:
                raise self._lost("takes no more commands")
            try:
                self._sheet.add(_in_wall_time(line))
            except OSError as error:
                raise self._lost(f"cannot be written to: {error.strerror}") from error

    def close_input(self) -> None:
        """Says that no command follows."""
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                self._say({"close": 1})

    def kill(self) -> None:
        """Has it ended at once, where its shard still listens."""
        if not self.has_ended:
            self._say({"kill": 1})

    def wait(self, timeout_s: float) -> int | None:
        """Its exit code; None when it has not ended, at once when nobody is there to say so."""
        if self._is_there:
            self._ended.wait(timeout_s)
        return self._code

    def log_path(self) -> str:
        """The file that holds its stderr."""
        return str(self._log)

    def _say(self, message: Message) -> None:
        with contextlib.suppress(OSError):
            self._sheet.say(message)

    def _lines(self) -> Iterator[bytes]:
        heard_s = time.monotonic()
        while not self.has_ended:
            lines = self._tail.new_lines()
            if lines:
                heard_s = time.monotonic()
            for line in lines:
                if line.startswith(_OWN):
                    self._take(decode(line))
                else:
                    self._has_reported = self._has_reported or line.startswith(_REPORT)
                    yield line
            self._require_voice(time.monotonic() - heard_s)
            if not self.has_ended:
                time.sleep(POLL_S)

    def _take(self, message: Message) -> None:
        if "exit" in message:
            self._code = message["exit"]
            self._ended.set()
            return
        early_s = sent_early_s(int(message.get("here") or message["beat"]))
        if early_s > CLOCKS_APART_S:
            raise clocks_apart(self._shard, early_s, "ahead of")
        if "here" in message:
            self._is_there = True
            is_here = message["machine"] == machine() != ""
            self._root_pid = int(message["pid"]) if is_here else None

    def _require_voice(self, silent_s: float) -> None:
        if self.has_ended:
            return
        if self._is_there and silent_s > self._patience.shard_silent_s:
            raise self._lost(f"has said nothing for {self._patience.shard_silent_s:g} s")
        if not self._is_there and silent_s > self._patience.come_within_s:
            raise LoadError(
                f"Shard {self._shard} of stage {self._stage} did not come within"
                f" {self._patience.come_within_s:g} s.",
                hint="The shards of a stage run all at once: the pool of the load needs a free slot"
                " for each. A stage is run again from its gate.",
            )

    def _lost(self, how: str) -> WorkerLost:
        return WorkerLost(
            f"Shard {self._shard} of stage {self._stage} {how}.",
            hint=f"See the log of its task; what its worker wrote last stands in {self._log}.",
        )


def clocks_apart(shard: int, seconds: float, where: str) -> LoadError:
    """The error of two hosts without a common clock: they could not begin at once."""
    return LoadError(
        f"The clock of the host of shard {shard} is at least {seconds:.2g} s {where} the"
        f" coordinator's; allowed: {CLOCKS_APART_S:g} s.",
        hint="Keep the clocks of all load hosts by NTP; then start a new run.",
    )


def _in_wall_time(line: bytes) -> bytes:
    if line.startswith(b'{"beat":'):
        return encode({"beat": time.time_ns()})
    if line.startswith(b'{"go":'):
        ahead_ns = int(decode(line)["go"]) - time.monotonic_ns()
        return encode({"go": time.time_ns() + ahead_ns})
    return line

"""One shard of a stage, in a task of its own: runs workers here for a coordinator elsewhere.

Load runs only while the coordinator lives: its heartbeats come through one by one, so a worker that
hears none for 3 s stops by itself, and the relay ends it besides. A worker begins at the moment that
the coordinator named, or not at all.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from readiness.adapters.mail_files import (
    BEAT_S,
    CLOCKS_APART_S,
    PATIENCE,
    POLL_S,
    Patience,
    Sheet,
    StagePost,
    Tail,
    from_path,
    machine,
    sent_early_s,
    to_path,
)
from readiness.adapters.mailbox import clocks_apart
from readiness.errors import LoadError, ReadinessError, WorkerLost
from readiness.load.messages import Assignment, Message, decode, encode, refusal_to_json
from readiness.ports import WorkerProcess

Launch = Callable[[Assignment], WorkerProcess]

END_WITHIN_S = 3.0


@dataclass(frozen=True, slots=True)
class Shard:
    """A shard, numbered from 1 (0 is the coordinator's own), and its workers' numbers in the stage."""

    number: int
    workers: Sequence[int]


def serve_shard(
    post: StagePost, shard: Shard, *, launch: Launch, patience: Patience = PATIENCE
) -> int:
    """Runs the shard's workers in every try of the stage, until it is over; the number of tries.

    `launch` starts a worker here; what it raises is told to the coordinator, too. Raises LoadError
    when the stage does not begin, clocks are apart or a start has passed, and WorkerLost when the
    coordinator falls silent. However it ends, no worker is left."""
    served, last = 0, ""
    while box := _next_box(post, shard, after=last, patience=patience):
        _Try(post, box, shard, patience=patience).run(launch)
        served, last = served + 1, box.name
    if not served:
        raise LoadError(
            f"Stage {post.stage} was over before its shard {shard.number} could begin.",
            hint="The log of the task load beside this one says why.",
        )
    return served


def _next_box(post: StagePost, shard: Shard, *, after: str, patience: Patience) -> Path | None:
    """The box of a try that began after `after`; None when the stage is over.

    A box of which nothing comes is what a coordinator that died left behind."""
    deadline = time.monotonic() + patience.come_within_s
    growth = _Growth(shard.workers[0])
    while time.monotonic() < deadline:
        box = post.newest_box()
        if box and box.name != after and growth.is_seen_in(box):
            return box
        if post.is_over:
            return None
        time.sleep(POLL_S)
    raise LoadError(
        f"The coordinator of stage {post.stage} did not come within {patience.come_within_s:g} s.",
        hint="The task load beside this one needs a slot of the same pool; its log says more.",
    )


class _Growth:
    """Whether a box gets mail while one looks at it."""

    def __init__(self, worker: int) -> None:
        self._worker = worker
        self._seen: tuple[Path, int] | None = None

    def is_seen_in(self, box: Path) -> bool:
        path = to_path(box, self._worker)
        try:
            with path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
        except OSError:
            return False
        before, self._seen = self._seen, (path, size)
        return before is not None and before[0] == path and before[1] < size


class _Try:
    """One try of the stage: a link for each worker, one thread that beats for all."""

    def __init__(self, post: StagePost, box: Path, shard: Shard, *, patience: Patience) -> None:
        self._stage = post.stage
        self._shard = shard
        self._patience = patience
        try:
            self._links = [_Link(box, worker, shard.number) for worker in shard.workers]
        except FileExistsError as error:
            raise LoadError(
                f"Another task serves shard {shard.number} of stage {post.stage} already.",
                hint="A shard is not cleared by itself: clear the stage from its gate.",
            ) from error

    def run(self, launch: Launch) -> None:
        """Until all workers have ended, and the coordinator has said so."""
        with self._heart():
            try:
                self._follow(launch)
            except ReadinessError as error:
                for link in self._links:
                    link.refuse(error)
                raise
            finally:
                self._end()

    @contextmanager
    def _heart(self) -> Iterator[None]:
        """Says that this shard is there, and goes on saying so."""
        is_over = threading.Event()
        for link in self._links:
            link.say({"here": time.time_ns(), "machine": machine(), "pid": os.getpid()})

        def beat() -> None:
            while not is_over.wait(BEAT_S):
                for link in self._links:
                    if not link.has_ended:
                        link.say({"beat": time.time_ns()})

        threading.Thread(target=beat, daemon=True).start()
        try:
            yield
        finally:
            is_over.set()

    def _follow(self, launch: Launch) -> None:
        heard_s = time.monotonic()
        while not all(link.is_done for link in self._links):
            # All links are read before silence counts: a launch takes its time.
            has_come = [link.take(launch, self._patience) for link in self._links]
            if any(has_come):
                heard_s = time.monotonic()
            if time.monotonic() - heard_s > self._patience.coordinator_silent_s:
                raise WorkerLost(
                    f"The coordinator of stage {self._stage} has said nothing for"
                    f" {self._patience.coordinator_silent_s:g} s: shard {self._shard.number} has"
                    " ended its load.",
                    hint="The log of the task load beside this one says what became of it.",
                )
            time.sleep(POLL_S)

    def _end(self) -> None:
        """Ends all workers: by closing their input, then by force."""
        try:
            for link in self._links:
                link.close()
            deadline = time.monotonic() + END_WITHIN_S
            for link in self._links:
                link.wait(max(deadline - time.monotonic(), 0.0))
        finally:
            for link in self._links:
                link.kill()
                link.wait(END_WITHIN_S)


class _Link:
    """One worker here and its mail. FileExistsError when another task has its mail already."""

    def __init__(self, box: Path, worker: int, shard: int) -> None:
        self._shard = shard
        self._tail = Tail(to_path(box, worker))
        self._sheet = Sheet(from_path(box, worker))
        self._process: WorkerProcess | None = None
        self._is_over = threading.Event()
        self._is_closed = False

    @property
    def has_ended(self) -> bool:
        """Whether nothing comes of it any more."""
        return self._is_over.is_set()

    @property
    def is_done(self) -> bool:
        """Whether the coordinator knows that, too: a worker that ends because it hears of none any
        more is no end of the try."""
        return self._is_closed and self.has_ended

    def say(self, message: Message) -> None:
        """Mails a message; one that cannot be written is missed by whoever waits for it."""
        with contextlib.suppress(OSError):
            self._sheet.say(message)

    def refuse(self, error: ReadinessError) -> None:
        """Tells the coordinator why the shard ends."""
        if not self.has_ended:
            message = f"Shard {self._shard}: {error.message}"
            self.say({"refused": {**refusal_to_json(error), "message": message}})

    def take(self, launch: Launch, patience: Patience) -> bool:
        """Does what has come; whether anything has."""
        lines = self._tail.new_lines()
        for line in lines:
            message = decode(line)
            if "job" in message:
                self._start(launch(Assignment.from_json(message["job"])))
            elif "beat" in message:
                self._beat(line, int(message["beat"]))
            elif "go" in message:
                self._go(int(message["go"]), patience.margin_s)
            elif "close" in message:
                self._is_closed = True
                self.close()
            elif "kill" in message:
                self.kill()
            else:
                self._tell(line)
        return bool(lines)

    def close(self) -> None:
        """Says to the worker that no command follows."""
        if self._process is None:
            self.say({"exit": None})
            self._is_over.set()
        else:
            self._process.close_input()

    def kill(self) -> None:
        """Ends the worker at once."""
        if self._process is not None:
            self._process.kill()

    def wait(self, timeout_s: float) -> None:
        """Until it has ended and that is mailed, or the time is over."""
        self._is_over.wait(timeout_s)

    def _start(self, process: WorkerProcess) -> None:
        self._process = process
        threading.Thread(target=self._mail, args=(process,), daemon=True).start()

    def _mail(self, process: WorkerProcess) -> None:
        for line in process.lines():
            with contextlib.suppress(OSError):
                self._sheet.add(line.rstrip(b"\n"))
        code = process.wait(END_WITHIN_S)
        self.say({"exit": code})
        self._is_over.set()

    def _beat(self, line: bytes, sent_ns: int) -> None:
        early_s = sent_early_s(sent_ns)
        if early_s > CLOCKS_APART_S:
            raise clocks_apart(self._shard, early_s, "behind")
        self._tell(line)

    def _go(self, wall_ns: int, margin_s: float) -> None:
        ahead_ns = wall_ns - time.time_ns()
        late_s = margin_s - ahead_ns / 1e9
        if late_s > 0:
            raise LoadError(
                f"Shard {self._shard} heard of the common start {late_s:.2g} s too late; it never"
                " starts late.",
                hint="Mail took too long, or its host is overloaded; start a new run.",
            )
        self._tell(encode({"go": time.monotonic_ns() + ahead_ns}))

    def _tell(self, line: bytes) -> None:
        # One that has ended says so by its own lines.
        if self._process is not None:
            with contextlib.suppress(WorkerLost):
                self._process.send(line)

"""The worker's ear: commands on its input, heartbeats, and the reasons to stop."""

from __future__ import annotations

import os
import select
import time
from collections import deque

from readiness.load.messages import Message, decode
from readiness.model.load import RateChange

HEARTBEAT_S = 3.0
_CHUNK = 65536


class Control:
    """Reads commands from a file descriptor without blocking, and says when to stop and why.

    `stop_reason` is "" until the coordinator says stop, goes away, or is silent for 3 s; `changes` are
    those of the rate that came, for the loop to take."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.stop_reason = ""
        self.go_ns: int | None = None
        self.changes: deque[RateChange] = deque()
        self._partial = b""
        self._is_open = True
        self._heard_ns = time.monotonic_ns()
        os.set_blocking(fd, False)

    @property
    def is_open(self) -> bool:
        """Whether more can come; a closed input must not be waited on."""
        return self._is_open

    def first_line(self, timeout_s: float) -> bytes | None:
        """The job: blocks for its line; None when none came."""
        deadline = time.monotonic() + timeout_s
        while b"\n" not in self._partial and self._is_open:
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            select.select([self.fd], [], [], left)
            self._receive()
        line, found, self._partial = self._partial.partition(b"\n")
        return line if found else None

    def wait_go(self) -> int | None:
        """The common start in monotonic nanoseconds; None when it must stop instead."""
        while self.go_ns is None and not self.check():
            if self._is_open:
                select.select([self.fd], [], [], 0.1)
        return self.go_ns if not self.stop_reason else None

    def stop(self, reason: str) -> None:
        """Stops for a reason of the worker's own, as a signal; the first reason stays."""
        self.stop_reason = self.stop_reason or reason

    def check(self) -> str:
        """Takes what has come, then says why to stop, or "". What has come counts before silence
        does: a worker that was frozen itself has heartbeats waiting."""
        if self._is_open:
            self._receive()
            self._obey()
        if not self._is_open:
            self.stop("the coordinator is gone")
        elif time.monotonic_ns() - self._heard_ns > HEARTBEAT_S * 1e9:
            self.stop(f"no heartbeat from the coordinator for {HEARTBEAT_S:g} s")
        return self.stop_reason

    def _receive(self) -> None:
        parts = [self._partial]
        while self._is_open:
            try:
                data = os.read(self.fd, _CHUNK)
            except BlockingIOError:
                break
            self._is_open = bool(data)
            parts.append(data)
        if len(parts) > 1:
            self._heard_ns = time.monotonic_ns()
        self._partial = b"".join(parts)

    def _obey(self) -> None:
        *lines, self._partial = self._partial.split(b"\n")
        for line in lines:
            self._take(decode(line))

    def _take(self, message: Message) -> None:
        if "go" in message:
            self.go_ns = int(message["go"])
        elif "rate" in message:
            self.changes.append(RateChange(int(message["from_s"]), float(message["rate"])))
        elif "stop" in message:
            self.stop(str(message["stop"]))

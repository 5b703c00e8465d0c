"""Connections for checkouts, opened by helper threads ahead of need, so that no arrival waits.

A checkout needs one connection per connection of the captured flow: a set. The stock knows how many
sets are ready, requested and claimed, and asks for more when claims exceed them.
"""

from __future__ import annotations

import contextlib
import os
import queue
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from readiness.errors import TargetError, TargetUnavailable
from readiness.load.packets import QUIT, ReplyReader
from readiness.ports import Connector

if TYPE_CHECKING:
    from readiness.load.checkout import Checkout

THREADS = 8
MOST_THREADS = 128
_JOIN_S = 0.4
# An order that waited longer, behind a login that took longer, is a reason for one more thread. A crowd
# of quick logins is none: it wants the processor, and threads only get in each other's way.
_PATIENCE_NS = 50_000_000
AHEAD_NS = 250_000_000  # a connection is opened this long before it is needed


class Connection:
    """One authenticated socket, not blocking. `unsent` is what the kernel did not take yet;
    `awaited_by` is whose statement it has not answered."""

    __slots__ = ("awaited_by", "fd", "is_dead", "reader", "receive", "send", "socket", "unsent")

    def __init__(self, opened: socket.socket, *, deprecate_eof: bool) -> None:
        opened.setblocking(False)
        self.socket = opened
        self.fd = opened.fileno()
        self.send = opened.send
        self.receive = _drainer(opened) if isinstance(opened, ssl.SSLSocket) else opened.recv
        self.reader = ReplyReader(deprecate_eof=deprecate_eof)
        self.unsent = b""
        self.awaited_by: Checkout | None = None
        self.is_dead = False

    def close(self) -> None:
        """Says goodbye, so that the server counts no aborted client, and closes."""
        with contextlib.suppress(OSError):
            self.socket.send(QUIT)
        self.socket.close()


def _drainer(opened: ssl.SSLSocket) -> Callable[[int], bytes]:
    # What TLS has decrypted already never makes the socket readable again.
    def receive(size: int) -> bytes:
        data = opened.recv(size)
        while opened.pending():
            data += opened.recv(size)
        return data

    return receive


@dataclass(frozen=True, slots=True)
class Opened:
    """One try to open a set: its connections and how long each took, or the code it failed with."""

    connections: tuple[Connection, ...]
    took_ns: tuple[int, ...]
    error_code: int = 0
    failed: bool = False
    fault: Exception | None = None  # what no connector may raise


class Opener:
    """Helper threads that open sets of `size` connections; `wake_fd` turns readable when one came.

    Where logins are slow, more threads come by themselves, up to `MOST_THREADS`: few logins at a time
    would hold the arrivals up, and that would be the generator's doing. Threads blocked on a silent
    server are daemons: they never hold up the end of the process."""

    def __init__(self, connect: Connector, *, size: int, threads: int = THREADS) -> None:
        self._connect = connect
        self._size = size
        self._orders: queue.SimpleQueue[int] = queue.SimpleQueue()  # when it was ordered; 0: end
        self._done: deque[Opened] = deque()
        self._closed = threading.Event()
        self.wake_fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._threads: list[threading.Thread] = []
        for _ in range(threads):
            self._hire()

    def order(self) -> None:
        """Asks for one more set."""
        self._orders.put(time.monotonic_ns())

    def take(self) -> list[Opened]:
        """All that came since the last call. Raises what a connector must not raise."""
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self.wake_fd)
        taken = []
        while self._done:
            opened = self._done.popleft()
            if opened.fault:
                raise opened.fault
            taken.append(opened)
        return taken

    def close(self) -> None:
        """Ends the threads and closes what nobody took."""
        self._closed.set()
        for _ in range(MOST_THREADS):
            self._orders.put(0)
        deadline = time.monotonic() + _JOIN_S
        for thread in self._threads:
            thread.join(timeout=max(deadline - time.monotonic(), 0.0))
        while self._done:
            _close(self._done.popleft().connections)
        # A thread that still waits for a silent server may yet write to it.
        if not any(thread.is_alive() for thread in self._threads):
            os.close(self.wake_fd)

    def _hire(self) -> None:
        if len(self._threads) == MOST_THREADS:
            return
        thread = threading.Thread(target=self._work, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _work(self) -> None:
        took_ns = 0
        while (ordered_ns := self._orders.get()) and not self._closed.is_set():
            begun_ns = time.monotonic_ns()
            if min(begun_ns - ordered_ns, took_ns) > _PATIENCE_NS:
                self._hire()
            opened = self._open()
            took_ns = time.monotonic_ns() - begun_ns
            if self._closed.is_set():
                _close(opened.connections)
                return
            self._done.append(opened)
            os.eventfd_write(self.wake_fd, 1)

    def _open(self) -> Opened:
        made: list[Connection] = []
        took: list[int] = []
        try:
            for _ in range(self._size):
                begun = time.monotonic_ns()
                opened, capabilities = self._connect()
                took.append(time.monotonic_ns() - begun)
                made.append(Connection(opened, deprecate_eof=capabilities.deprecate_eof))
        except TargetError as error:
            _close(made)
            code = error.code if isinstance(error, TargetUnavailable) else 0
            return Opened((), tuple(took), error_code=code, failed=True)
        except Exception as error:  # noqa: BLE001 - raised again by `take`, in the loop's thread
            _close(made)
            return Opened((), (), fault=error)
        return Opened(tuple(made), tuple(took))


def _close(connections: Sequence[Connection]) -> None:
    for connection in connections:
        connection.close()


class Stock:
    """Sets of connections: how many are ready, how many are on order, and for how many claims.

    `limit` bounds the sets that exist at once (0: no bound of its own). Every failed order answers
    one claim, so a server that refuses is asked once per arrival and no more."""

    def __init__(
        self, order: Callable[[], None], close: Callable[[Opened], None], *, limit: int = 0
    ) -> None:
        self._order = order
        self._close = close
        self._limit = limit
        self._ready: deque[Opened] = deque()
        self._on_order = 0
        self._in_use = 0
        self._claims = 0

    def fill(self) -> None:
        """Orders all sets of a bounded stock at once: a pool stands before the load begins."""
        for _ in range(self._limit):
            self._on_order += 1
            self._order()

    def claim(self) -> None:
        """One more checkout will need a set."""
        self._claims += 1
        self._top_up()

    def forfeit(self) -> None:
        """A checkout that claimed one will not come."""
        self._claims -= 1

    def deliver(self, opened: Opened) -> None:
        """An order came, or failed."""
        self._on_order -= 1
        self._ready.append(opened)

    def take(self) -> Opened | None:
        """The set of one claim, or its failure; None while there is none yet."""
        while self._ready:
            opened = self._ready.popleft()
            if any(connection.is_dead for connection in opened.connections):
                self._close(opened)  # the server hung up on it while it was idle
                self._top_up()
                continue
            self._claims -= 1
            self._in_use += not opened.failed
            return opened
        return None

    def give_back(self, opened: Opened) -> None:
        """A set is free again."""
        self._in_use -= 1
        self._ready.append(opened)

    def discard(self) -> None:
        """A set in use was closed."""
        self._in_use -= 1
        self._top_up()

    def close(self) -> None:
        """Closes the sets that are ready."""
        while self._ready:
            self._close(self._ready.popleft())

    def _top_up(self) -> None:
        while len(self._ready) + self._on_order < self._claims and self._has_room():
            self._on_order += 1
            self._order()

    def _has_room(self) -> bool:
        exist = len(self._ready) + self._on_order + self._in_use
        return not self._limit or exist < self._limit

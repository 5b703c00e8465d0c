"""Arrivals: when checkouts are due, whom the gate lets in, and who waits for a connection.

The loop has the clock and the sockets; this has the order. Nothing here waits: what is later is handed
to the loop's timers.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from readiness.load.connections import AHEAD_NS, Opened, Stock
from readiness.load.gate import At, Door
from readiness.load.plan import WorkerPlan
from readiness.load.tally import SecondTally
from readiness.model.load import RateChange

_clock = time.monotonic_ns


@dataclass(frozen=True, slots=True)
class Doings:
    """What arrivals ask of the loop: a timer, the start of a checkout, and how many are running."""

    at: At
    begin: Callable[[int, Opened], None]
    running: Callable[[], int]


class Arrivals:
    """The checkouts of one worker from their intended start until they have a connection."""

    def __init__(self, plan: WorkerPlan, stock: Stock, second: SecondTally, doings: Doings) -> None:
        self._plan = plan
        self._stock = stock
        self._second = second
        self._at, self._begin, self._running = doings.at, doings.begin, doings.running
        self._schedule = plan.schedule()
        self._waiting: deque[int] = deque()  # due times of checkouts without a connection
        self._door = (
            Door(plan.gate, stock, second, at=self._at, admit=self._admit) if plan.gate else None
        )
        self._is_over = False
        self._start_ns = 0
        self._next_ns: int | None = None  # the arrival that a timer waits for
        self.end_ns = 0

    def start(self, start_ns: int) -> None:
        """Plans the first arrivals of a stage that begins at `start_ns` (monotonic); `end_ns` is when
        it is over, as things stand."""
        self._start_ns = start_ns
        self.end_ns = self._moment_ns(self._schedule.end_s)
        self._stock.fill()
        self._start_clients()
        self._plan_next()
        if self._door is not None:
            self._door.start(start_ns)

    def change(self, changes: deque[RateChange]) -> None:
        """Takes all that has come: another rate, or an earlier end. An arrival that is prepared for
        stays."""
        while changes:
            self._schedule.change(changes.popleft())
            self.end_ns = self._moment_ns(self._schedule.end_s)
            self._plan_next()

    def end(self) -> None:
        """Nobody arrives any more; who is here already is still served."""
        self._is_over = True

    def in_flight(self) -> int:
        """Those that are due and wait, and those that run."""
        return self._running() + len(self._waiting) + self._outside()

    def serve(self) -> None:
        """Gives connections to those that wait, in their order, as far as there are any."""
        while self._waiting:
            opened = self._stock.take()
            if opened is None:
                return
            self._begin(self._waiting.popleft(), opened)

    def next_client(self, due_ns: int, _subject: object = None) -> None:
        """In a closed loop a client that is done comes again."""
        if self._plan.is_closed_loop and not self._is_over:
            self._stock.claim()
            self._arrive(due_ns, True)

    def turn_away(self) -> int:
        """Ends the waiting: how many were let in and had no connection yet. Who never came through
        the gate has expired."""
        if self._door is not None:
            self._door.turn_away(_clock())
        left = len(self._waiting)
        self._waiting.clear()
        return left

    # When they are due

    def _plan_next(self) -> None:
        due_s = self._schedule.due_s()
        due_ns = self._moment_ns(due_s) if math.isfinite(due_s) else None
        if due_ns is not None and due_ns != self._next_ns:
            self._at(due_ns - AHEAD_NS, self._prepare, due_ns)
        self._next_ns = due_ns

    def _moment_ns(self, seconds: float) -> int:
        return self._start_ns + int(seconds * 1e9)

    def _prepare(self, _due_ns: int, arrival_ns: int) -> None:
        if self._is_over or arrival_ns != self._next_ns:  # of a rate that holds no more
            return
        self._next_ns = None
        self._schedule.advance()
        # Behind others outside the gate a connection would stand idle; its window claims it.
        has_claimed = not self._outside()
        if has_claimed:
            self._stock.claim()
        self._at(arrival_ns, self._arrive, has_claimed)
        self._plan_next()

    def _arrive(self, due_ns: int, has_claimed: bool) -> None:
        if self._is_over:
            return
        self._second.offered += 1
        self._second.lag.record(_clock() - due_ns)
        if self.in_flight() >= self._plan.in_flight_limit:
            self._second.dropped += 1
            self._forfeit(has_claimed)
        elif self._door is not None:
            self._door.join(due_ns, has_claimed=has_claimed)
        else:
            self._admit(due_ns)

    def _admit(self, due_ns: int) -> None:
        self._waiting.append(due_ns)
        self.serve()

    def _outside(self) -> int:
        return len(self._door) if self._door is not None else 0

    def _start_clients(self) -> None:
        clients = self._plan.clients
        spare = 0 if self._plan.is_pooled else clients  # the next set opens while a checkout runs
        for _ in range(clients + spare):
            self._stock.claim()
        for _ in range(clients):
            self._at(self._start_ns, self._arrive, True)

    def _forfeit(self, has_claimed: bool) -> None:
        if has_claimed:
            self._stock.forfeit()

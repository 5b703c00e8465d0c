"""The admission gate: at most so many checkouts are let in each interval, the others wait outside.

As an application's waiting room: who waits holds no connection, and gives up after a while. Windows
begin with the stage; what a window does not use is lost. All workers together admit exactly the limit:
the k-th slot of the whole gate belongs to worker k mod n, so no worker needs to ask another.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from readiness.load.connections import AHEAD_NS, Stock
from readiness.load.tally import SecondTally

At = Callable[[int, Callable[..., None], object], None]
"""The loop's timer: at this moment (monotonic ns) do this with that."""


@dataclass(frozen=True, slots=True)
class Gate:
    """One worker's share of a gate that admits `limit` checkouts each `interval_ns`; who waits longer
    than `expiry_ns` leaves (0: never)."""

    limit: int
    interval_ns: int
    expiry_ns: int
    worker: int
    workers: int

    def slots(self, window: int) -> int:
        """How many checkouts this worker may let in, in window 0, 1, …"""
        return self._before((window + 1) * self.limit) - self._before(window * self.limit)

    def _before(self, slot: int) -> int:
        """How many of the slots 0 … slot - 1 are this worker's."""
        return (slot - self.worker + self.workers - 1) // self.workers


class Outside:
    """Those who wait outside a gate, in the order in which they were due."""

    def __init__(self) -> None:
        self._waiting: deque[int] = deque()  # when each was due
        self._claimed = 0  # so many of them, the first, have claimed a connection

    def __len__(self) -> int:
        return len(self._waiting)

    def join(self, due_ns: int, *, has_claimed: bool) -> None:
        """One more. A claim is anybody's: the first in the line use it."""
        self._waiting.append(due_ns)
        self._claimed += has_claimed

    def unclaimed(self, slots: int) -> int:
        """How many of the next `slots` need a connection yet; they count as claimed from now on."""
        missing = max(min(slots, len(self._waiting)) - self._claimed, 0)
        self._claimed += missing
        return missing

    def leave(self) -> tuple[int, bool]:
        """The first of them: when it was due, and whether it has claimed a connection."""
        has_claimed = self._claimed > 0
        self._claimed -= has_claimed
        return self._waiting.popleft(), has_claimed

    def is_first_due_by(self, ns: int) -> bool:
        """Whether the first of them was due at `ns` or before."""
        return bool(self._waiting) and self._waiting[0] <= ns


class Door:
    """A gate at work: its windows open by the loop's timers, and `admit` takes the due time of each
    checkout that is let in and has claimed a connection."""

    def __init__(
        self, gate: Gate, stock: Stock, second: SecondTally, *, at: At, admit: Callable[[int], None]
    ) -> None:
        self._gate = gate
        self._stock = stock
        self._second = second
        self._at = at
        self._admit_one = admit
        self._outside = Outside()
        self._slots = 0  # of the window that runs

    def __len__(self) -> int:
        return len(self._outside)

    def start(self, start_ns: int) -> None:
        """Opens the first window when the stage begins."""
        self._at(start_ns, self._open, 0)

    def join(self, due_ns: int, *, has_claimed: bool) -> None:
        """A checkout is due: it goes in, or waits its turn."""
        self._outside.join(due_ns, has_claimed=has_claimed)
        self._let_in()
        if self._outside and self._gate.expiry_ns:
            self._at(due_ns + self._gate.expiry_ns, self._expire, due_ns)

    def turn_away(self, due_by_ns: int) -> None:
        """Those that were due by then have expired."""
        while self._outside.is_first_due_by(due_by_ns):
            _, has_claimed = self._outside.leave()
            if has_claimed:
                self._stock.forfeit()
            self._second.expired += 1

    def _open(self, due_ns: int, window: int) -> None:
        self._slots = self._gate.slots(window)
        self._let_in()
        next_ns = due_ns + self._gate.interval_ns
        ahead_ns = min(AHEAD_NS, self._gate.interval_ns)
        self._at(next_ns - ahead_ns, self._connect_ahead, window + 1)
        self._at(next_ns, self._open, window + 1)

    def _connect_ahead(self, _due_ns: int, window: int) -> None:
        for _ in range(self._outside.unclaimed(self._gate.slots(window))):
            self._stock.claim()

    def _let_in(self) -> None:
        while self._slots and self._outside:
            due_ns, has_claimed = self._outside.leave()
            if not has_claimed:
                self._stock.claim()
            self._slots -= 1
            self._second.queue.record(max(time.monotonic_ns() - due_ns, 0))
            self._admit_one(due_ns)

    def _expire(self, _due_ns: int, arrived_ns: int) -> None:
        self.turn_away(arrived_ns)

"""Deadlocks and lock timeouts are tried again, as an application does: the whole transaction.

The server has rolled a deadlock's victim back, but after a lock wait timeout the transaction is still
open (innodb_rollback_on_timeout is off by default); so either way a ROLLBACK is sent first, as the
frameworks do. Between two tries lies a pause that doubles, with jitter, or two rivals would meet again.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from readiness.load.checkout import Checkout
from readiness.load.packets import query_packet
from readiness.model.load import LoadOptions

# ER_LOCK_WAIT_TIMEOUT, ER_LOCK_DEADLOCK, and ER_CHECKREAD: MariaDB's snapshot isolation ends a
# transaction that would write over a newer row, and asks for the same remedy.
RETRIED = frozenset({1205, 1213, 1020})
ROLLBACK = "rollback"  # the statement_id of what is sent before another try
ROLLBACK_PACKET = query_packet(b"ROLLBACK")

_FIRST_PAUSE_S = 0.01


class Transactions:
    """Where each step's transaction begins, and which transactions others run in between."""

    def __init__(self, transactions: Sequence[int]) -> None:
        self._of = tuple(transactions)
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        for step, transaction in enumerate(self._of):
            first.setdefault(transaction, step)
            last[transaction] = step
        self._first = first
        self.is_mixed = tuple(
            bool(t) and any(other != t for other in self._of[first[t] : last[t] + 1])
            for t in self._of
        )

    def is_open_at(self, step: int) -> bool:
        """Whether `step` runs within a transaction."""
        return bool(self._of[step])

    def first(self, step: int) -> int:
        """The step to try again from."""
        return self._first[self._of[step]] if self._of[step] else step

    def key(self, step: int) -> int:
        """What tries are counted by: the transaction, or the step that has none."""
        return self._of[step] or -1 - step

    def is_other(self, step: int, again: int) -> bool:
        """Whether `step` was done before step `again` failed, and is no part of its transaction."""
        return step <= again and self._of[step] != self._of[again]


class Retries:
    """Which failures are followed by another try, from where, and when."""

    def __init__(self, transactions: Sequence[int], options: LoadOptions) -> None:
        self._transactions = Transactions(transactions)
        self._limit = options.retries
        self._draw = random.Random(options.seed).random
        self.is_mixed = self._transactions.is_mixed

    def may(self, checkout: Checkout, code: int) -> bool:
        """Whether the step that failed is tried again; then this counts as a try."""
        key = self._transactions.key(checkout.step)
        tried = checkout.tries.get(key, 0)
        if code not in RETRIED or tried >= self._limit:
            return False
        checkout.tries[key] = tried + 1
        checkout.again = checkout.step
        return True

    def is_open(self, checkout: Checkout) -> bool:
        """Whether a transaction is to be rolled back first."""
        return self._transactions.is_open_at(checkout.step)

    def first(self, checkout: Checkout) -> int:
        """The step to go back to."""
        return self._transactions.first(checkout.again)

    def is_done(self, checkout: Checkout, step: int) -> bool:
        """Whether `step` is another transaction's, done before this one failed."""
        return self._transactions.is_other(step, checkout.again)

    def pause_ns(self, checkout: Checkout) -> int:
        """The pause before the next try: 10 ms, doubled with each, times 0.5 to 1.5."""
        tries = checkout.tries[self._transactions.key(checkout.again)]
        return int(_FIRST_PAUSE_S * 2 ** (tries - 1) * (0.5 + self._draw()) * 1e9)

"""What else a shop's database does all day: repayments, a cron job, health checks.

Each is an endless generator that sends one statement a step, so that one thread interleaves
them with a checkout, the same way each time. They touch no row that a checkout writes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

from readiness.demo import ids

if TYPE_CHECKING:
    from pymysql.cursors import Cursor

    from readiness.demo.shop import Connect

REPAYMENT_WORKER = "repayment_worker"
CRON = "cron"
MONITOR = "monitor"
BACKGROUND_USERS = (REPAYMENT_WORKER, CRON, MONITOR)


class Background:
    """All three jobs side by side; `step` lets the next one send one statement."""

    def __init__(self, connect: Connect, *, seed: int) -> None:
        self._connections = [connect(user) for user in BACKGROUND_USERS]
        rng = random.Random(seed)
        jobs = (_repay, _clean_up, _check_health)
        self._jobs = [job(c.cursor(), rng) for job, c in zip(jobs, self._connections, strict=True)]
        self._turn = 0

    def step(self) -> None:
        """One statement of one job, in turn; every other call does nothing."""
        self._turn += 1
        if self._turn % 2:
            next(self._jobs[self._turn // 2 % len(self._jobs)])

    def close(self) -> None:
        """Ends the connections; an open transaction rolls back."""
        for connection in self._connections:
            connection.close()


def _repay(cursor: Cursor, rng: random.Random) -> Iterator[None]:
    """Takes a late installment, locks its loan, books the payment."""
    while True:
        cursor.execute(
            "SELECT id, loan_id, amount_cents FROM installments"
            " WHERE is_paid = 0 ORDER BY due_on, id LIMIT 1"
        )
        row = cursor.fetchone()
        yield
        if row is not None:
            yield from _book(cursor, rng, *row)


def _book(
    cursor: Cursor, rng: random.Random, installment: int, loan: int, cents: int
) -> Iterator[None]:
    cursor.execute("BEGIN")
    yield
    cursor.execute("SELECT state, version FROM loans WHERE id = %s FOR UPDATE", (loan,))
    yield
    cursor.execute(
        "INSERT INTO payments (loan_id, installment_id, amount_cents, reference, created_at)"
        " VALUES (%s, %s, %s, %s, NOW(6))",
        (loan, installment, cents, "RP-" + ids.symbols(rng, 12)),
    )
    yield
    cursor.execute("UPDATE installments SET is_paid = 1 WHERE id = %s", (installment,))
    yield
    cursor.execute("COMMIT")
    yield


def _clean_up(cursor: Cursor, _: random.Random) -> Iterator[None]:
    """Takes the job's lock, looks for what is due, and for sessions that are over."""
    while True:
        cursor.execute(
            "UPDATE job_locks SET holder = 'cron-1', locked_until = NOW() + INTERVAL 60 SECOND"
            " WHERE name = 'dunning'"
        )
        yield
        cursor.execute(
            "SELECT i.id, l.user_id FROM installments i JOIN loans l ON l.id = i.loan_id"
            " WHERE i.due_on < CURDATE() - INTERVAL 3 DAY AND i.is_paid = 0 LIMIT 50"
        )
        yield
        cursor.execute("SELECT COUNT(*) FROM user_sessions WHERE expires_at < NOW()")
        yield


def _check_health(cursor: Cursor, _: random.Random) -> Iterator[None]:
    """Asks whether anybody is there, and how many are."""
    while True:
        cursor.execute("SELECT 1")
        yield
        cursor.execute("SHOW GLOBAL STATUS LIKE 'Threads_running'")
        yield

"""One checkout while it runs, as the hot loop keeps it."""

from __future__ import annotations

from readiness.load.connections import Opened


class Checkout:
    """One checkout in flight; `step` is the statement sent or due. Times are monotonic
    nanoseconds."""

    __slots__ = (
        "again", "due_ns", "first_ns", "is_over", "opened", "rolls_back", "sent_ns", "step", "tries",
        "values",
    )  # fmt: skip

    def __init__(self, due_ns: int, opened: Opened, values: list[bytes]) -> None:
        self.due_ns = due_ns
        self.opened = opened
        self.values = values
        self.step = 0
        self.again = -1  # the step whose failure is the reason for another try
        self.tries: dict[int, int] = {}  # by what Transactions.key gives
        self.sent_ns = self.first_ns = 0
        self.is_over = self.rolls_back = False

"""How far masking is, and how long it takes: one line a second at most."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from readiness.ports import Progress

_LEAST_S = 1.0


class Course:
    """Counts bytes of tables done; what was done before this process began says nothing of speed."""

    def __init__(
        self,
        weights: Mapping[str, int],
        tell: Progress,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._weights = {table: max(1, weight) for table, weight in weights.items()}
        self._done = dict.fromkeys(self._weights, 0.0)
        self._tell = tell
        self._now_s = now_s
        self._began_s = now_s()
        self._told_s = now_s() - _LEAST_S
        self._before = 0.0

    def resume(self, table: str, share: float) -> None:
        """That share of the table was done by a process before."""
        self._before += share * self._weights[table]
        self._done[table] = share

    def at(self, table: str, share: float) -> None:
        """That share of the table is done; tells it unless a line was told just now."""
        self._done[table] = share
        if self._now_s() - self._told_s < _LEAST_S:
            return
        self._told_s = self._now_s()
        self._tell(f"{table} {100 * share:.0f} %{_left(self.left_s())}")

    def finish(self, table: str, rows: int, why: str) -> None:
        """One line for each table."""
        self._done[table] = 1.0
        self._tell(f"{table} masked: {rows:,} rows ({why})")

    def left_s(self) -> float | None:
        """Seconds that all tables still take; None while nothing is known."""
        weight = sum(self._weights.values())
        done = sum(self._weights[t] * share for t, share in self._done.items())
        gained, elapsed_s = done - self._before, self._now_s() - self._began_s
        if gained <= 0 or elapsed_s <= 0:
            return None
        return elapsed_s * (weight - done) / gained


def _left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds < 90:
        return f", {seconds:.0f} s left"
    if seconds < 5400:
        return f", {seconds / 60:.0f} min left"
    return f", {seconds / 3600:.1f} h left"

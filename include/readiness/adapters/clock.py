"""The machine's clock."""

from __future__ import annotations

import time


class SystemClock:
    """`ports.Clock` of this machine."""

    def monotonic_ns(self) -> int:
        """Nanoseconds that never go back."""
        return time.monotonic_ns()

    def wall_s(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Waits."""
        time.sleep(seconds)

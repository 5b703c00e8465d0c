"""Clocks for tests."""

from __future__ import annotations

import time


class HurriedClock:
    """Runs as the machine's clock does, but a sleep only moves it forward. `slept` lists them."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def monotonic_ns(self) -> int:
        return time.monotonic_ns() + round(sum(self.slept) * 1e9)

    def wall_s(self) -> float:
        return time.time() + sum(self.slept)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

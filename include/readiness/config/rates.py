"""Rates as people write them: `2x` of the normal rate, or `120/s`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

_RATE = re.compile(r"([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*(x|/s)")


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate in checkouts per second, or a multiple of the normal rate."""

    amount: float
    is_relative: bool

    def at(self, normal_rate_per_s: float) -> float:
        """Checkouts per second, where the normal rate is `normal_rate_per_s`."""
        return self.amount * normal_rate_per_s if self.is_relative else self.amount

    def times(self, normal_rate_per_s: float) -> float:
        """How many times the normal rate, which must be above 0 where this rate is absolute."""
        return self.amount if self.is_relative else self.amount / normal_rate_per_s

    def __str__(self) -> str:
        return f"{self.amount:g}{'x' if self.is_relative else '/s'}"


@dataclass(frozen=True, slots=True)
class NormalRate:
    """The normal rate: `rate_per_s`, or (0 then) `capacity_share` of a calibration that runs the
    flow in a closed loop for `calibrate_s` seconds."""

    rate_per_s: float
    capacity_share: float = 0.0
    calibrate_s: float = 0.0

    @property
    def needs_calibration(self) -> bool:
        """Whether the capacity must be measured first."""
        return self.capacity_share > 0

    def at(self, capacity_per_s: float) -> float:
        """Checkouts per second; `capacity_per_s` counts only where calibration is needed."""
        return self.capacity_share * capacity_per_s if self.needs_calibration else self.rate_per_s


def parse_rate(text: object) -> Rate:
    """`2x` or `120/s`. Raises ValueError that says so."""
    match = _RATE.fullmatch(text.strip()) if isinstance(text, str) else None
    amount = float(match[1]) if match else 0.0
    if match is None or amount <= 0 or not math.isfinite(amount):
        raise ValueError("write 2x (times the normal rate) or 120/s (checkouts a second)")
    return Rate(amount, match[2] == "x")

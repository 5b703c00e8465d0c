"""The capacity that a closed-loop stage shows: what the server does when it is never left idle."""

from __future__ import annotations

from readiness.errors import LoadError
from readiness.model.load import StageResult

SETTLE_S = 2  # connections open and caches fill in the first seconds


def capacity(result: StageResult) -> float:
    """Checkouts per second that ended without error after the first two seconds.

    Raises LoadError when the stage was too short or nothing ended well."""
    seconds = [tick for tick in result.ticks if tick.second >= SETTLE_S]
    good = sum(tick.finished - tick.failed for tick in seconds)
    if not good:
        raise LoadError(
            f"The calibration finished no checkout after its first {SETTLE_S} s"
            f" ({result.checkouts_failed} failed).",
            hint="Run `readiness workload check` against the target: it names what fails.",
        )
    return good / len(seconds)

"""What a closed-loop stage shows: a server that is never left idle, and a generator at work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from readiness.errors import LoadError
from readiness.model.load import StageResult

GROWTH = 1.05
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


def cpu_per_checkout_s(result: StageResult, *, workers: int) -> float | None:
    """CPU seconds of the generator for one checkout, as its busiest worker has them: that one's CPU
    over its share of what ended, after the first second. None where nothing ended well."""
    seconds = [tick for tick in result.ticks if tick.second >= 1]
    good = sum(tick.finished - tick.failed for tick in seconds)
    if not good:
        return None
    return sum(tick.generator_cpu_ratio for tick in seconds) * workers / good


def rough_cpu_per_checkout_s(*, statements: int, connections: int) -> float:
    """More than the generator ever took for a checkout, TLS included: some 70 µs a paced statement
    and 4 ms a login were measured. Good for seeing that there is no doubt."""
    return statements * 100e-6 + connections * 5e-3


@dataclass(frozen=True, slots=True)
class Rung:
    """What so many closed-loop clients reached; latencies in ms (None: too few to say). `limited_by`
    is "server", "generator" or "host"; of the latter two it is no capacity of the server."""

    clients: int
    per_s: float
    response_p50_ms: float | None
    response_p99_ms: float | None
    commit_p99_ms: float | None
    generator_cpu_ratio: float
    failed_ratio: float
    limited_by: str


def clients_up_to(most: int) -> list[int]:
    """1, 2, 4, … and `most`."""
    return [*(1 << power for power in range((most - 1).bit_length())), most]


def has_stopped_growing(rungs: Sequence[Rung]) -> bool:
    """Whether the last doubling of clients brought less than 5 %."""
    return len(rungs) > 1 and rungs[-1].per_s < GROWTH * rungs[-2].per_s


def knee(rungs: Sequence[Rung]) -> Rung | None:
    """The fewest clients beyond which more brought less than 5 %; None where it still grew."""
    return rungs[-2] if has_stopped_growing(rungs) else None

"""How alike production a load is at the rate of a normal day, by what the server shows."""

from __future__ import annotations

from dataclasses import dataclass

LEAST_METRICS = 3  # fewer can agree by chance


@dataclass(frozen=True, slots=True)
class Compared:
    """One metric on production and under the load, in the catalogue's unit; `error` from 0 to 1."""

    metric: str
    production: float
    measured: float
    error: float


@dataclass(frozen=True, slots=True)
class Likeness:
    """`score` from 0 (nothing alike) to 1; `missing` are figures of production without a measured
    counterpart."""

    score: float
    compared: tuple[Compared, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """One way to make the load, tried at 1x. `doubt` says why it cannot be believed ("": it can)."""

    pacing: float
    connections: str
    likeness: Likeness
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Fidelity:
    """What was tried with which workload file, each for `seconds` at `rate_per_s`."""

    rate_per_s: float
    seconds: float
    workload_sha256: str
    trials: tuple[Trial, ...]

    @property
    def best(self) -> Trial | None:
        """The most alike of those that can be believed; None where none can."""
        believed = [trial for trial in self.trials if not trial.doubt]
        return max(believed, key=lambda trial: trial.likeness.score, default=None)

    def of(self, *, pacing: float, connections: str) -> Trial | None:
        """The trial of one way to make the load; None where it was not tried, or not believed."""
        asked = (pacing, connections)
        return next(
            (t for t in self.trials if (t.pacing, t.connections) == asked and not t.doubt), None
        )

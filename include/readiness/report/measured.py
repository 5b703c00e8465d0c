"""What each stage measured, as the report shows it, by the same reckoning as the checks.

Unlike a check, a report shows a p99 of few operations too, marked as a hint.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from readiness.analysis.figures import SUPPORT, error_ratio, latency_ms, measured_samples
from readiness.model.histogram import merged
from readiness.model.load import StageResult
from readiness.model.metrics import Sample


@dataclass(frozen=True, slots=True)
class Measured:
    """Figures of one stage; None where nothing was measured. `means` holds the time average of
    every sampled metric by its name."""

    achieved_per_s: float | None = None
    error_ratio: float | None = None
    commits: int = 0
    commit_p50_ms: float | None = None
    commit_p95_ms: float | None = None
    commit_p99_ms: float | None = None
    lag_p99_ms: float | None = None
    means: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_p99_supported(self) -> bool:
        """Whether there were enough commits to speak of a p99."""
        return self.commits >= SUPPORT["p99"]

    @property
    def iops(self) -> float | None:
        """Reads and writes per second together."""
        parts = [self.means[m] for m in ("read_iops", "write_iops") if m in self.means]
        return sum(parts) if parts else None


def measure(result: StageResult, samples: Sequence[Sample]) -> Measured:
    """The figures of one stage; `samples` may be those of the whole run."""
    ticks = result.measured
    commit, lag = merged(t.commit for t in ticks), merged(t.lag for t in ticks)
    return Measured(
        achieved_per_s=sum(t.finished for t in ticks) / len(ticks) if ticks else None,
        error_ratio=error_ratio(ticks),
        commits=commit.count,
        commit_p50_ms=latency_ms(commit, "p50"),
        commit_p95_ms=latency_ms(commit, "p95"),
        commit_p99_ms=latency_ms(commit, "p99"),
        lag_p99_ms=latency_ms(lag, "p99"),
        means=_means(measured_samples(result, samples)),
    )


def _means(samples: Sequence[Sample]) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for sample in samples:
        if math.isfinite(sample.value):
            values.setdefault(sample.metric, []).append(sample.value)
    return {metric: math.fsum(v) / len(v) for metric, v in values.items()}

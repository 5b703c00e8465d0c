"""What the flows beside the one that is judged did, stage by stage."""

from __future__ import annotations

from dataclasses import dataclass

from readiness.analysis.figures import SUPPORT, error_ratio, latency_ms
from readiness.model.histogram import merged
from readiness.model.load import StageResult
from readiness.report.view import RunView


@dataclass(frozen=True, slots=True)
class CompanionRow:
    """One flow beside the first at one stage; None where nothing was measured. Response is from the
    intended arrival to the last reply, of those that ended well after ramp and warm-up."""

    stage: str
    flow: str
    asked_per_s: float
    achieved_per_s: float | None
    count: int
    p50_ms: float | None
    p99_ms: float | None
    error_ratio: float | None

    @property
    def is_p99_supported(self) -> bool:
        """Whether there were enough of them to speak of a p99."""
        return self.count >= SUPPORT["p99"]


def companion_rows(run: RunView) -> tuple[CompanionRow, ...]:
    """A row for each stage and flow beside the first; none for a plan of one flow."""
    return tuple(
        _row(run.label(result.stage.name), flow, companion)
        for result in run.results
        for flow, companion in result.companions.items()
    )


def _row(stage: str, flow: str, result: StageResult) -> CompanionRow:
    ticks = result.measured
    response = merged(tick.checkout for tick in ticks)
    return CompanionRow(
        stage=stage,
        flow=flow,
        asked_per_s=_asked_per_s(result),
        achieved_per_s=sum(tick.finished for tick in ticks) / len(ticks) if ticks else None,
        count=response.count,
        p50_ms=latency_ms(response, "p50"),
        p99_ms=latency_ms(response, "p99"),
        error_ratio=error_ratio(ticks),
    )


def _asked_per_s(result: StageResult) -> float:
    """The rate of the stage; on the mean where a person changed it."""
    ticks = result.measured
    if result.rates and ticks:
        return sum(tick.offered for tick in ticks) / len(ticks)
    return result.stage.rate_per_s

"""The rates that a person held in a tuned stage, for how long, and what each showed."""

from __future__ import annotations

from dataclasses import dataclass

from readiness.analysis.figures import SUPPORT, error_ratio, latency_ms
from readiness.model.histogram import merged
from readiness.model.load import StageResult
from readiness.report.view import RunView


@dataclass(frozen=True, slots=True)
class TunedRow:
    """One rate of one stage; only measured seconds count, and figures are None where none was."""

    stage: str
    rate_per_s: float
    from_s: int
    held_s: int
    achieved_per_s: float | None
    response_p99_ms: float | None
    commit_p99_ms: float | None
    is_p99_supported: bool
    error_ratio: float | None


def tuned_rows(run: RunView) -> tuple[TunedRow, ...]:
    """The rates of all tuned stages in the order in which they were held."""
    return tuple(
        row
        for result in run.results
        if result.stage.is_tuned
        for row in _rows(result, run.label(result.stage.name))
    )


def _rows(result: StageResult, label: str) -> list[TunedRow]:
    over_s = max((tick.second for tick in result.ticks), default=-1) + 1
    held = [(0, result.stage.rate_per_s)]
    held += [(c.from_s, c.rate_per_s) for c in result.rates if not c.is_end]
    ends = [*(from_s for from_s, _ in held[1:]), over_s]
    return [
        _row(result, label, rate, (from_s, min(end_s, over_s)))
        for (from_s, rate), end_s in zip(held, ends, strict=True)
        if from_s < min(end_s, over_s)
    ]


def _row(result: StageResult, label: str, rate_per_s: float, window: tuple[int, int]) -> TunedRow:
    begin, end = window
    ticks = [tick for tick in result.measured if begin <= tick.second < end]
    response, commit = merged(t.checkout for t in ticks), merged(t.commit for t in ticks)
    return TunedRow(
        stage=label,
        rate_per_s=rate_per_s,
        from_s=begin,
        held_s=end - begin,
        achieved_per_s=sum(t.finished for t in ticks) / len(ticks) if ticks else None,
        response_p99_ms=latency_ms(response, "p99"),
        commit_p99_ms=latency_ms(commit, "p99"),
        is_p99_supported=min(response.count, commit.count) >= SUPPORT["p99"],
        error_ratio=error_ratio(ticks),
    )

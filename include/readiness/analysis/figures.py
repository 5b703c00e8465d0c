"""One figure a metric for each stage: from its histograms, its seconds and the server's samples.

Percentiles come from histograms merged over the measured seconds, never from percentiles of
seconds. One that too few operations support is refused, with the reason, and any other has the
bounds between which it lies with 95 %: see `intervals`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from readiness.analysis.intervals import interval, needed
from readiness.model.histogram import Histogram, merged
from readiness.model.load import StageResult, Tick
from readiness.model.metrics import Sample, of_flow
from readiness.model.verdict import Figure
from readiness.model.workload import SET_STATEMENT

_QUANTILES = {"p50": 0.50, "p95": 0.95, "p99": 0.99}
SUPPORT = {name: needed(q) for name, q in _QUANTILES.items()}  # operations that each needs
_NS_PER_MS = 1e6
_LATENCY_KINDS = {"checkout_response": "checkout", "commit": "commit", "connect": "connect"}
_STATISTICS = ("mean", "p50", "p95", "p99", "max")


def stage_figures(result: StageResult, samples: Sequence[Sample]) -> dict[str, Figure]:
    """Every metric of one stage that anything was measured or attempted for, by name; those of
    flows beside the first by `of_flow`.

    `samples` may be those of the whole run: the stage's measured part is cut out by wall clock."""
    ticks = result.measured
    return {
        **_latency_figures(result),
        **_rate_figures(ticks),
        **_ratio_figures(ticks),
        **_sample_figures(measured_samples(result, samples)),
        **_companion_figures(result),
    }


def measured_samples(result: StageResult, samples: Sequence[Sample]) -> list[Sample]:
    """The samples of the stage's measured seconds: one stands for the second before it."""
    if not result.measured:
        return []
    first = result.started_at + result.measured_from_s + 0.5
    last = result.started_at + min(result.measured[-1].second + 1, result.stage.duration_s) + 0.5
    name = result.stage.name
    return [s for s in samples if s.stage == name and first <= s.ts <= last]


def latency_ms(histogram: Histogram, statistic: str) -> float | None:
    """mean, max, p50, p95 or p99 of a histogram of nanoseconds, in ms; None when it is empty."""
    if not histogram.count:
        return None
    if statistic == "mean":
        return histogram.total / histogram.count / _NS_PER_MS
    if statistic == "max":
        return histogram.maximum / _NS_PER_MS
    value = histogram.percentile(_QUANTILES[statistic])
    return None if value is None else value / _NS_PER_MS


def interval_ms(histogram: Histogram, statistic: str) -> tuple[float, float] | None:
    """The bounds in ms between which a percentile lies with 95 %; None for what is no percentile, or
    has too few operations."""
    if statistic not in _QUANTILES:
        return None
    found = interval(histogram, _QUANTILES[statistic])
    return (found[0] / _NS_PER_MS, found[1] / _NS_PER_MS) if found else None


def achieved_ratio(ticks: Sequence[Tick]) -> float | None:
    """Checkouts finished / due; None when none was due. One that is under way at the edge of the
    window is no shortfall; finishing what an earlier second left is no surplus."""
    due, finished = sum(t.offered for t in ticks), sum(t.finished for t in ticks)
    if not due:
        return None
    short = max(0, due - finished)
    return 1 - max(0, short - (1 if finished else 0)) / due


def error_ratio(ticks: Sequence[Tick]) -> float | None:
    """Checkouts failed / finished; None when none finished."""
    finished = sum(t.finished for t in ticks)
    return sum(t.failed for t in ticks) / finished if finished else None


def tick_series(tick: Tick) -> dict[str, float]:
    """The engine's metrics that every second has."""
    return {
        "offered_rate_per_s": float(tick.offered),
        "achieved_rate_per_s": float(tick.finished),
        "goodput_per_s": float(tick.finished - tick.failed),
        "dropped_per_s": float(tick.dropped),
        "retries_per_s": float(tick.retried),
        "expired_per_s": float(tick.expired),
        "in_flight": float(tick.in_flight),
        "generator_cpu_ratio": tick.generator_cpu_ratio,
        "run_queue_delay_ratio": tick.run_queue_delay_ratio,
    }


def _companion_figures(result: StageResult) -> dict[str, Figure]:
    return {
        of_flow(metric, flow): figure
        for flow, companion in result.companions.items()
        for metric, figure in stage_figures(companion, ()).items()
    }


def _latency_figures(result: StageResult) -> dict[str, Figure]:
    ticks = result.measured
    histograms = {
        stem: merged(getattr(t, kind) for t in ticks) for stem, kind in _LATENCY_KINDS.items()
    }
    if any(t.queue.count or t.expired for t in ticks):  # else there was no gate, or no wait at it
        histograms["gate_wait"] = merged(t.queue for t in ticks)
    histograms["checkout_service"] = result.service
    own = (h for name, h in result.statements.items() if name != SET_STATEMENT)
    histograms["statement"] = merged(own)
    made = {
        f"{stem}_{statistic}_ms": _latency_figure(histogram, statistic)
        for stem, histogram in histograms.items()
        for statistic in _STATISTICS
    }
    lag = merged(t.lag for t in ticks)
    made["schedule_lag_p50_ms"] = _latency_figure(lag, "p50")
    made["schedule_lag_p99_ms"] = _latency_figure(lag, "p99")
    made["timer_floor_p99_ms"] = _latency_figure(merged(t.timer_floor for t in ticks), "p99")
    return made


def _latency_figure(histogram: Histogram, statistic: str) -> Figure:
    least = SUPPORT.get(statistic, 1)
    if histogram.count < least:
        why = f"{statistic} needs {least} operations, the stage has {histogram.count}"
        return Figure((), histogram.count, why)
    value = latency_ms(histogram, statistic)
    bounds = interval_ms(histogram, statistic)
    return Figure((math.nan if value is None else value,), histogram.count, interval=bounds)


def _rate_figures(ticks: Sequence[Tick]) -> dict[str, Figure]:
    rows = [tick_series(tick) for tick in ticks]
    names = rows[0] if rows else {}
    return {name: Figure(tuple(row[name] for row in rows), len(rows)) for name in names}


def _ratio_figures(ticks: Sequence[Tick]) -> dict[str, Figure]:
    due, finished = sum(t.offered for t in ticks), sum(t.finished for t in ticks)
    return {
        "achieved_ratio": _whole(achieved_ratio(ticks), due, "no checkout was due"),
        "error_ratio": _whole(error_ratio(ticks), finished, "no checkout finished"),
    }


def _whole(value: float | None, count: int, why: str) -> Figure:
    return Figure((), count, why) if value is None else Figure((value,), count)


def _sample_figures(samples: Sequence[Sample]) -> Mapping[str, Figure]:
    series: dict[str, list[float]] = {}
    for sample in samples:
        series.setdefault(sample.metric, []).append(sample.value)
    return {name: Figure(tuple(values), len(values)) for name, values in series.items()}

"""A run as columns of time, one stage after the other, ready to draw.

A column is one second, or so many that at most about 300 remain; figures of a column are formed anew from
its counts and histograms, so a long run is coarser but never smoothed. None is a gap.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from readiness.analysis.figures import error_ratio, latency_ms
from readiness.model.histogram import merged
from readiness.model.load import Stage, StageResult, Tick
from readiness.model.metrics import Sample
from readiness.report.view import RunView

SAMPLED = ("aas", "aas_cpu", "aas_commit", "aas_lock", "aas_io", "read_iops", "write_iops", "vcpu")
ENGINE = (
    "offered_rate_per_s",
    "achieved_rate_per_s",
    "commit_p50_ms",
    "commit_p99_ms",
    "error_ratio",
    "schedule_lag_p99_ms",
)
_MOST_COLUMNS = 300

Values = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """One stage on the time axis; seconds count from the start of the first stage, pauses between
    stages left out."""

    stage: Stage
    label: str
    brief: str  # its multiplier, or its name
    short: str  # how it is called in half a sentence
    start_s: int
    length_s: int
    wall_s: float  # the clock at its start, seconds since the epoch


@dataclass(frozen=True, slots=True)
class Timeline:
    """All columns: `edges_s` is where each begins and ends, `values` holds one row per catalogue
    metric."""

    spans: tuple[Span, ...]
    total_s: int
    step_s: int
    edges_s: tuple[tuple[float, float], ...]
    values: Mapping[str, Values]

    def row(self, metric: str) -> Values:
        """The values of one metric; () when there is not a single one."""
        row = self.values.get(metric, ())
        return row if any(v is not None for v in row) else ()

    def highest(self, *metrics: str) -> float:
        """The largest value of some metrics; 0 when there is none."""
        return max((v for m in metrics for v in self.row(m) if v is not None), default=0.0)


def timeline(run: RunView) -> Timeline:
    """The columns of every stage that has at least one second."""
    shown = [r for r in run.results if r.ticks]
    lengths = [max(t.second for t in r.ticks) + 1 for r in shown]
    step_s = max(1, math.ceil(sum(lengths) / _MOST_COLUMNS))
    spans, edges, rows, start = [], [], [], 0
    for result, length in zip(shown, lengths, strict=True):
        spans.append(_span(run, result, start, length))
        for begin, row in _columns(result, length, step_s, run.samples):
            edges.append((float(start + begin), float(start + min(begin + step_s, length))))
            rows.append(row)
        start += length
    values = {m: tuple(row.get(m) for row in rows) for m in (*ENGINE, *SAMPLED)}
    return Timeline(tuple(spans), start, step_s, tuple(edges), values)


def _span(run: RunView, result: StageResult, start_s: int, length_s: int) -> Span:
    name = result.stage.name
    return Span(
        stage=result.stage,
        label=run.label(name),
        brief=run.brief(name),
        short=run.short(name),
        start_s=start_s,
        length_s=length_s,
        wall_s=result.started_at,
    )


def _columns(
    result: StageResult, length_s: int, step_s: int, samples: Iterable[Sample]
) -> list[tuple[int, dict[str, float]]]:
    """(first second, figures) of each column of one stage."""
    ticks: dict[int, list[Tick]] = {}
    for tick in result.ticks:
        ticks.setdefault(tick.second // step_s, []).append(tick)
    sampled: dict[int, dict[str, list[float]]] = {}
    for sample in samples:
        is_ours = sample.stage == result.stage.name and sample.metric in SAMPLED
        if is_ours and math.isfinite(sample.value):
            # A sample tells of the second before it, and comes a little after its end.
            second = math.floor(sample.ts - result.started_at - 0.5)
            column = min(max(second, 0), length_s - 1) // step_s
            sampled.setdefault(column, {}).setdefault(sample.metric, []).append(sample.value)
    return [
        (column * step_s, _engine(ticks.get(column, ())) | _means(sampled.get(column, {})))
        for column in range(math.ceil(length_s / step_s))
    ]


def _engine(ticks: Sequence[Tick]) -> dict[str, float]:
    if not ticks:
        return {}
    commit, lag = merged(t.commit for t in ticks), merged(t.lag for t in ticks)
    found = {
        "offered_rate_per_s": sum(t.offered for t in ticks) / len(ticks),
        "achieved_rate_per_s": sum(t.finished for t in ticks) / len(ticks),
        "error_ratio": error_ratio(ticks),
        "commit_p50_ms": latency_ms(commit, "p50"),
        "commit_p99_ms": latency_ms(commit, "p99"),
        "schedule_lag_p99_ms": latency_ms(lag, "p99"),
    }
    return {metric: value for metric, value in found.items() if value is not None}


def _means(values: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {metric: math.fsum(v) / len(v) for metric, v in values.items()}

"""Stages that ran on paper: every second alike unless a test says otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from readiness.model.histogram import Histogram
from readiness.model.load import Stage, StageResult, Tick
from readiness.model.metrics import Sample, unit_of

BEGAN = 1_796_005_080.0


def histogram(ms: float, count: int) -> Histogram:
    """`count` values of `ms` milliseconds."""
    made = Histogram()
    for _ in range(count):
        made.record(round(ms * 1e6))
    return made


def tick(second: int = 0, **given: object) -> Tick:
    """One healthy second of ten checkouts with ten commits each; `given` replaces fields."""
    fields: dict[str, object] = {
        "offered": 10,
        "started": 10,
        "finished": 10,
        "failed": 0,
        "dropped": 0,
        "in_flight": 2,
        "checkout": histogram(80.0, 10),
        "commit": histogram(5.0, 100),
        "connect": histogram(1.0, 10),
        "lag": histogram(0.3, 10),
        "generator_cpu_ratio": 0.2,
        "run_queue_delay_ratio": 0.02,
        "timer_floor": histogram(0.1, 50),
    }
    return Tick(second=second, **{**fields, **given})  # type: ignore[arg-type]  # by name


def stage_result(
    name: str = "5x",
    *,
    rate_per_s: float = 10.0,
    seconds: int = 10,
    measured_from_s: int = 2,
    aborted_by: str = "",
    **given: object,
) -> StageResult:
    """A stage of `seconds` equal seconds; `given` replaces fields of its ticks."""
    ticks = tuple(tick(second, **given) for second in range(seconds))
    failed = sum(t.failed for t in ticks)
    return StageResult(
        stage=Stage(name, rate_per_s, float(seconds), warmup_s=float(measured_from_s)),
        started_at=BEGAN,
        ended_at=BEGAN + seconds,
        ticks=ticks,
        measured_from_s=measured_from_s,
        statements={"s001": histogram(2.0, 400), "s002": histogram(5.0, 400)},
        errors={("s001", 1213): failed} if failed else {},
        checkouts_ok=sum(t.finished for t in ticks) - failed,
        checkouts_failed=failed,
        aborted_by=aborted_by,
    )


def samples(
    stage: str = "5x",
    *,
    seconds: Sequence[int] = range(10),
    source: str = "performance_schema",
    **values: float,
) -> list[Sample]:
    """The same values in each of the seconds, taken when the second ends. `__` stands for a dot."""
    return [
        Sample(BEGAN + s + 1.02, stage, _dotted(m), v, unit_of(_dotted(m)), source)
        for s in seconds
        for m, v in (values or {"aas": 1.5}).items()
    ]


def _dotted(name: str) -> str:
    return name.replace("__", ".")

"""Invented runs: one `RunView` for each verdict, deterministic, the figures agreeing in themselves."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace

from readiness.model.histogram import Histogram
from readiness.model.load import Stage, StageResult, Tick
from readiness.model.metrics import Sample, unit_of
from readiness.model.run import RunRecord
from readiness.model.verdict import (
    Check,
    Outcome,
    Severity,
    ValidityRule,
    Verdict,
    VerdictWord,
)
from readiness.report.measured import measure
from readiness.report.view import RunView

BEGAN = 1796005080.0  # Monday 30 November 2026, 02:18 UTC
COMMITS_PER_CHECKOUT = 16
VCPU = 8.0


@dataclass(frozen=True, slots=True)
class Shape:
    """What one invented stage does to the invented server."""

    name: str
    multiple: float
    rate_per_s: float
    hold_s: int
    commit_ms: float
    error_ratio: float = 0.0
    lag_ms: float = 0.3
    aas: tuple[float, float, float, float] = (0.28, 0.25, 0.02, 0.03)  # cpu, commit, lock, io
    host_cpu: float = 0.1
    achieved: float = 1.0
    aborted_by: str = ""


HEALTHY = (
    Shape("smoke", 0.5, 1.0, 6, 2.4),
    Shape("1x", 1, 2.0, 10, 2.7, aas=(0.5, 0.5, 0.02, 0.05)),
    Shape("2x", 2, 4.0, 10, 3.3, aas=(1.1, 1.2, 0.06, 0.1)),
    Shape("5x", 5, 10.0, 20, 5.4, aas=(1.7, 3.1, 0.2, 0.2), host_cpu=0.3),
)
OVERLOADED = (
    Shape("smoke", 0.5, 6.0, 20, 2.4),
    Shape("normal", 1, 12.0, 30, 2.7, aas=(0.56, 0.52, 0.02, 0.07)),
    Shape("double", 2, 24.0, 30, 3.3, 0.0001, aas=(1.1, 1.3, 0.06, 0.14)),
    Shape("triple", 3, 36.0, 30, 6.0, 0.0002, 0.52, (1.7, 3.1, 0.2, 0.22), 0.22),
    Shape("peak", 5, 60.0, 60, 34.0, 0.0021, 1.1, (2.8, 32.5, 2.3, 0.4), 0.35, 0.995),
    Shape("recover", 1, 12.0, 30, 2.75, aas=(0.56, 0.52, 0.02, 0.07)),
)


def invented_run(word: VerdictWord = VerdictWord.READY) -> RunView:
    """A run that ends in `word`."""
    makers = {
        VerdictWord.READY: ready_run,
        VerdictWord.READY_WITH_RISK: risky_run,
        VerdictWord.NOT_READY: not_ready_run,
        VerdictWord.ABORTED: aborted_run,
        VerdictWord.INVALID: invalid_run,
    }
    return makers[word]()


def ready_run() -> RunView:
    """A demonstration that holds its peak of 10/s."""
    results, samples = _measured(HEALTHY)
    verdict = Verdict(
        VerdictWord.READY, 10.0, 10.0, "", _checks(HEALTHY, results, 250.0), _rules(HEALTHY), (),
        "demonstration", "",
    )  # fmt: skip
    return _view(HEALTHY, results, samples, verdict, plan="demo")


def risky_run() -> RunView:
    """Evidence with one warning."""
    run = ready_run()
    warned = Check(
        "commit_mean_peak", "5x", "commit_mean_ms", "value", "<=", 5.0, "ms", Severity.WARNING,
        Outcome.FAILED, 5.42, 3200, because="the mean warns before the tail does",
    )  # fmt: skip
    verdict = replace(
        run.verdict, verdict=VerdictWord.READY_WITH_RISK, checks=(*run.verdict.checks, warned),
        scope="evidence", expires_on="2026-12-14",
    )  # fmt: skip
    return replace(run, verdict=verdict)


def not_ready_run() -> RunView:
    """Commits give way at the peak of 60/s; 36/s is held."""
    results, samples = _measured(OVERLOADED)
    verdict = Verdict(
        VerdictWord.NOT_READY, 36.0, 60.0, "commit_p99_peak at peak", _checks(OVERLOADED, results, 50.0),
        _rules(OVERLOADED), ("commit_p99_peak failed at peak",), "evidence", "2026-12-14",
    )  # fmt: skip
    return _view(OVERLOADED, results, samples, verdict, plan="checkout-peak")


def aborted_run() -> RunView:
    """An abort rule stopped the peak; the stage after it never began."""
    cause = "error_ratio > 0.05 for 10 s (0.061)"
    stopped = replace(OVERLOADED[4], hold_s=22, error_ratio=0.061, aborted_by=cause)
    shapes = (*OVERLOADED[:4], stopped)
    results, samples = _measured(shapes)
    verdict = Verdict(
        VerdictWord.ABORTED, 36.0, 60.0, "error_ratio at peak", _checks(shapes, results, 50.0),
        _rules(shapes), (cause,), "evidence", "",
    )  # fmt: skip
    return _view(OVERLOADED, results, samples, verdict, plan="checkout-peak")


def invalid_run() -> RunView:
    """Another process took half of the host at the peak."""
    run = ready_run()
    rules = (
        *run.verdict.validity,
        ValidityRule(
            "native.host.foreign_cpu_ratio", "5x", 0.46, 0.25, "ratio", holds=False,
            culprit="host", why="other processes used 46 % of all cores",
        ),
    )  # fmt: skip
    verdict = replace(
        run.verdict, verdict=VerdictWord.INVALID, validity=rules, rate_held_per_s=0.0,
        reasons=("the host was busy",),
    )  # fmt: skip
    return replace(run, verdict=verdict)


def empty_run() -> RunView:
    """Nothing ran: no stage, no sample, no check, no peak."""
    verdict = Verdict(VerdictWord.ABORTED, 0.0, 0.0, "", (), (), (), "evidence", "")
    record = RunRecord("nothing", "none", "checkout", "evidence", 1, BEGAN, BEGAN, 0.0, 0.0, ())
    return RunView(record, (), (), verdict)


def first_run() -> RunView:
    """One stage without a peak in the plan, no samples, and a check that waits for a baseline."""
    shapes = HEALTHY[:1]
    results, _ = _measured(shapes)
    waiting = Check(
        "commit_p99_change", "smoke", "commit_p99_ms", "value", "<=", None, "ms", Severity.WARNING,
        Outcome.NOT_EVALUATED, 4.9, because="it should not rise from run to run",
    )  # fmt: skip
    verdict = Verdict(
        VerdictWord.READY_WITH_RISK, 1.0, 0.0, "", (waiting,), (),
        ("the plan names no peak",), "evidence", "2026-12-14",
    )  # fmt: skip
    return _view(shapes, results, (), verdict, plan="first")


def _stages(shapes: tuple[Shape, ...]) -> tuple[Stage, ...]:
    return tuple(_stage(s) for s in shapes)


def _stage(shape: Shape) -> Stage:
    return Stage(
        shape.name,
        shape.rate_per_s,
        float(shape.hold_s),
        warmup_s=2.0,
        from_rate_per_s=shape.rate_per_s,
    )


def _measured(
    shapes: tuple[Shape, ...],
) -> tuple[tuple[StageResult, ...], tuple[Sample, ...]]:
    rng = random.Random(20261130)
    results, samples, began = [], [], BEGAN
    for shape in shapes:
        result = _result(shape, began, rng)
        results.append(result)
        samples += _samples(shape, result, rng)
        began = result.ended_at + 2.0
    return tuple(results), tuple(samples)


def _result(shape: Shape, began: float, rng: random.Random) -> StageResult:
    stage = _stage(shape)
    seconds = int(stage.duration_s)
    ticks = tuple(_tick(shape, second, rng) for second in range(seconds))
    failed = sum(t.failed for t in ticks)
    return StageResult(
        stage=stage,
        started_at=began,
        ended_at=began + seconds,
        ticks=ticks,
        measured_from_s=2,
        statements=_statements(shape, seconds, rng),
        errors={("s041", 1213): failed} if failed else {},
        checkouts_ok=sum(t.finished for t in ticks) - failed,
        checkouts_failed=failed,
        aborted_by=shape.aborted_by,
    )


def _tick(shape: Shape, second: int, rng: random.Random) -> Tick:
    finished = math.floor(shape.rate_per_s * shape.achieved + rng.random())
    failed = sum(rng.random() < shape.error_ratio for _ in range(finished))
    return Tick(
        second=second,
        offered=round(shape.rate_per_s),
        started=finished,
        finished=finished,
        failed=failed,
        dropped=0,
        in_flight=round(shape.rate_per_s * 0.4),
        checkout=_spread(shape.commit_ms * 30, finished, rng),
        commit=_spread(shape.commit_ms, finished * COMMITS_PER_CHECKOUT, rng),
        connect=_spread(1.1, finished, rng),
        lag=_spread(shape.lag_ms / 2, finished, rng),
        generator_cpu_ratio=0.2,
        run_queue_delay_ratio=0.01,
        timer_floor=_spread(0.1, 50, rng),
    )


def _spread(median_ms: float, count: int, rng: random.Random) -> Histogram:
    made = Histogram()
    for _ in range(count):
        made.record(round(median_ms * 1e6 * rng.lognormvariate(0.0, 0.42)))
    return made


def _statements(shape: Shape, seconds: int, rng: random.Random) -> dict[str, Histogram]:
    means = {"s012": shape.commit_ms, "s041": shape.commit_ms * 0.9, "s017": 0.6, "s063": 0.35}
    count = min(round(shape.rate_per_s * seconds), 400)
    return {name: _spread(mean, count, rng) for name, mean in means.items()}


def _samples(shape: Shape, result: StageResult, rng: random.Random) -> list[Sample]:
    made = []
    for tick in result.ticks:
        ts = result.started_at + tick.second + 1.02
        values = _server(shape, rng)
        made += [
            Sample(ts, shape.name, metric, value, unit_of(metric), "performance_schema")
            for metric, value in values.items()
        ]
    return made


def _server(shape: Shape, rng: random.Random) -> dict[str, float]:
    cpu, commit, lock, io = (v * rng.uniform(0.88, 1.12) for v in shape.aas)
    return {
        "aas": cpu + commit + lock + io + 0.05,
        "aas_cpu": cpu,
        "aas_commit": commit,
        "aas_lock": lock,
        "aas_io": io,
        "read_iops": shape.rate_per_s * 3.5 * rng.uniform(0.95, 1.05),
        "write_iops": shape.rate_per_s * 33 * rng.uniform(0.97, 1.03),
        "host_cpu_ratio": shape.host_cpu,
        "vcpu": VCPU,
    }


def _checks(
    shapes: tuple[Shape, ...], results: tuple[StageResult, ...], commit_limit_ms: float
) -> tuple[Check, ...]:
    """The checks of the busiest stage, outcomes by the figures invented for it."""
    top = max(shapes, key=lambda s: s.rate_per_s)
    measured = measure(next(r for r in results if r.stage.name == top.name), ())
    rows = [
        ("commit_p99_peak", "commit_p99_ms", "value", commit_limit_ms, measured.commit_p99_ms or 0.0, "ms",
         Severity.CRITICAL, "one checkout waits for 16 commits in a row"),
        ("errors_peak", "error_ratio", "value", 0.01, measured.error_ratio or 0.0, "ratio",
         Severity.CRITICAL, "an error is a customer who does not pay"),
        ("sessions_peak", "aas", "mean", 24.0, sum(top.aas), "sessions",
         Severity.WARNING, "three sessions a core leave no room"),
        ("writes_peak", "write_iops", "mean", 3000.0, top.rate_per_s * 33, "/s",
         Severity.WARNING, "the volume is rated at 3,000 operations/s"),
    ]  # fmt: skip
    made = [
        Check(
            name, top.name, metric, statistic, "<=", limit, unit, severity,
            Outcome.PASSED if value <= limit else Outcome.FAILED, value, 900, because=because,
        )
        for name, metric, statistic, limit, value, unit, severity, because in rows
    ]  # fmt: skip
    achieved = Check(
        "achieved_peak", top.name, "achieved_ratio", "value", ">=", 0.98, "ratio",
        Severity.CRITICAL, Outcome.PASSED, top.achieved, 900, because="a peak not reached is not held",
    )  # fmt: skip
    return (*made, achieved)


def _rules(shapes: tuple[Shape, ...]) -> tuple[ValidityRule, ...]:
    rules = []
    for s in shapes:
        rules += [
            ValidityRule("schedule_lag_p99_ms", s.name, s.lag_ms, 10.0, "ms", holds=True, culprit=""),
            ValidityRule("generator_cpu_ratio", s.name, 0.2, 0.8, "ratio", holds=True, culprit=""),
        ]  # fmt: skip
    return tuple(rules)


def _view(
    shapes: tuple[Shape, ...],
    results: tuple[StageResult, ...],
    samples: tuple[Sample, ...],
    verdict: Verdict,
    *,
    plan: str,
) -> RunView:
    run_id = f"{plan}-20261130t021800z"
    record = RunRecord(
        run_id=run_id,
        plan=plan,
        flow="checkout",
        scope=verdict.scope,
        seed=20261130,
        started_at=BEGAN,
        ended_at=results[-1].ended_at,
        normal_rate_per_s=next((s.rate_per_s for s in shapes if s.multiple == 1), 2.0),
        peak_rate_per_s=verdict.peak_rate_per_s,
        stages=_stages(shapes),
        expectations="demo",
        target={
            "snapshot": "shop-cold",
            "clone": f"readiness-{run_id}-main",
            "engine": "MariaDB 10.11.6",
            "endpoint": "127.0.0.1:3311",
        },
        versions={"readiness": "0.1.0", "server": "MariaDB 10.11.6"},
        hashes={"plan": "3f9c1e07" * 8, "workload": "7be20c64" * 8},
        workload={"literals": 383, "groups": 100, "generated": 31, "fresh": 22, "existing": 9},
    )
    return RunView(
        record=record,
        results=results,
        samples=samples,
        verdict=verdict,
        statement_kinds={"s012": "commit", "s041": "update", "s017": "select", "s063": "insert"},
        folder=f"runs/{run_id}",
    )

"""Can a stage be believed, and if not, whose fault is it: the host, the generator, the metrics?

Host: other processes or the hypervisor took the cores, or the idle storage was slow before any load
of ours. Only that evidence blames the host: our own server, busy under our load on the same cores,
does not. Generator: checkouts started late, or a worker had no CPU left. CPU shares are means over
the stage, since one busy second is no contention; bursts show in the lag's percentile.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from readiness.analysis.figures import SUPPORT, latency_ms, measured_samples
from readiness.model.histogram import Histogram, merged
from readiness.model.load import StageResult, Tick
from readiness.model.metrics import PRODUCTION, Sample
from readiness.model.verdict import ValidityLimits, ValidityRule

HOST, GENERATOR, METRICS = "host", "generator", "metrics"
LAG = "schedule_lag_p99_ms"
GENERATOR_CPU = "generator_cpu_ratio"
RUN_QUEUE = "run_queue_delay_ratio"
MISSING_SAMPLES = "missing_samples_ratio"
FOREIGN_CPU = "native.host.foreign_cpu_ratio"
STEAL = "native.host.steal_ratio"
FSYNC_PROBE = "native.host.fsync_probe_ms"
_SERVER_SOURCE = "performance_schema"


def validity(
    results: Sequence[StageResult], samples: Sequence[Sample], limits: ValidityLimits
) -> list[ValidityRule]:
    """Every rule of every stage that ran, those that hold too; stages in the order they ran."""
    sources = {s.source for s in samples if s.metric != FSYNC_PROBE} | {_SERVER_SOURCE}
    sources.discard(PRODUCTION)  # what it left out says nothing of the target's figures
    return [rule for r in results for rule in _of_stage(r, samples, limits, sorted(sources))]


def is_invalid_by_host(
    result: StageResult, samples: Sequence[Sample], limits: ValidityLimits
) -> bool:
    """Whether the host shows contention by others at this stage: repeat it, do not judge it."""
    stage = [s for s in samples if s.stage == result.stage.name]
    measured = _measured_or_all(result, stage)
    return not all(r.holds for r in _host_rules(result.stage.name, stage, measured, limits))


def supported_percentile(histogram: Histogram) -> str:
    """The highest of p99, p95 and p50 that the operations support; p50 when none is."""
    return next((p for p in ("p99", "p95") if histogram.count >= SUPPORT[p]), "p50")


def _of_stage(
    result: StageResult, samples: Sequence[Sample], limits: ValidityLimits, sources: Sequence[str]
) -> list[ValidityRule]:
    stage = [s for s in samples if s.stage == result.stage.name]
    measured = _measured_or_all(result, stage)
    host = _host_rules(result.stage.name, stage, measured, limits)
    # A host that others used makes checkouts late and samples missing: neither has a fault of its own.
    is_starved = not all(rule.holds for rule in host)
    made = _worst_generator_rules(result, limits, HOST if is_starved else GENERATOR)
    made += host
    if result.measured:
        metrics = HOST if is_starved else METRICS
        made += [_samples_rule(result, measured, source, limits, metrics) for source in sources]
    return made


def _measured_or_all(result: StageResult, stage: Sequence[Sample]) -> Sequence[Sample]:
    """A stage that was stopped while it warmed up is looked at as a whole."""
    return measured_samples(result, stage) or stage


def _worst_generator_rules(
    result: StageResult, limits: ValidityLimits, culprit: str
) -> list[ValidityRule]:
    """Of all flows: one that came late or whose workers had no CPU left spoils the stage."""
    name = result.stage.name
    by_flow = [_generator_rules(name, result.measured or result.ticks, limits, culprit)]
    for flow, r in result.companions.items():
        rules = _generator_rules(name, r.measured or r.ticks, limits, culprit)
        by_flow.append([replace(rule, why=f"{rule.why}, flow {flow}") for rule in rules])
    return [max(same, key=_value) for same in zip(*by_flow, strict=True)]


def _value(rule: ValidityRule) -> float:
    return -1.0 if rule.value is None else rule.value


def _generator_rules(
    stage: str, ticks: Sequence[Tick], limits: ValidityLimits, culprit: str
) -> list[ValidityRule]:
    lag = merged(t.lag for t in ticks)
    percentile = supported_percentile(lag)
    cpu = _mean([t.generator_cpu_ratio for t in ticks])
    delay = _mean([t.run_queue_delay_ratio for t in ticks])
    rule = _Rules(stage)
    return [
        rule.up_to(
            Limit(LAG, limits.schedule_lag_p99_ms, "ms", culprit),
            latency_ms(lag, percentile),
            f"{percentile} of {lag.count} starts",
        ),
        rule.up_to(
            Limit(GENERATOR_CPU, limits.generator_cpu_ratio, "ratio", GENERATOR),
            cpu,
            "the busiest worker, of one core",
        ),
        rule.up_to(
            Limit(RUN_QUEUE, limits.run_queue_delay_ratio, "ratio", culprit),
            delay,
            "time the worst worker waited for a core",
        ),
    ]


def _host_rules(
    stage: str, samples: Sequence[Sample], measured: Sequence[Sample], limits: ValidityLimits
) -> list[ValidityRule]:
    """Only what was measured: a remote target's host is not seen from here."""
    rows = [
        (Limit(FOREIGN_CPU, limits.foreign_cpu_ratio, "ratio", HOST), measured,
         "CPU of other processes, of all cores"),
        (Limit(STEAL, limits.steal_ratio, "ratio", HOST), measured,
         "CPU the hypervisor gave to others"),
        (Limit(FSYNC_PROBE, limits.fsync_probe_ms, "ms", HOST), samples,
         "one flush of the storage before the stage, the target idle"),
    ]  # fmt: skip
    rule, made = _Rules(stage), []
    for limit, among, why in rows:
        value = _mean([s.value for s in among if s.metric == limit.name])
        if value is not None:
            made.append(rule.up_to(limit, value, why))
    return made


def _samples_rule(
    result: StageResult,
    measured: Sequence[Sample],
    source: str,
    limits: ValidityLimits,
    culprit: str,
) -> ValidityRule:
    """The share of measured seconds without a sample of the source; one second may slip."""
    expected = len(result.measured)
    present = len({s.ts for s in measured if s.source == source})
    missing = max(0, expected - present - (1 if present else 0))
    return _Rules(result.stage.name).up_to(
        Limit(MISSING_SAMPLES, limits.missing_samples_ratio, "ratio", culprit),
        missing / expected,
        f"{source} gave samples in {min(present, expected)} of {expected} seconds",
    )


@dataclass(frozen=True, slots=True)
class Limit:
    """Up to where a metric is believed, and whose fault it is beyond."""

    name: str
    limit: float
    unit: str
    culprit: str


@dataclass(frozen=True, slots=True)
class _Rules:
    """Makes the rules of one stage."""

    stage: str

    def up_to(self, limit: Limit, value: float | None, why: str) -> ValidityRule:
        """Nothing measured (no checkout due, no tick) is no reason to doubt."""
        is_held = value is None or value <= limit.limit
        return ValidityRule(
            limit.name, self.stage, value, limit.limit, limit.unit, is_held, limit.culprit, why
        )


def _mean(values: Sequence[float]) -> float | None:
    return statistics.fmean(values) if values else None

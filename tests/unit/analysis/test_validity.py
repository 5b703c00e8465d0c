"""A stage is doubted on evidence, and the evidence says whose fault it is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.fakes.stages import BEGAN, histogram, samples, stage_result

from readiness.analysis.validity import (
    GENERATOR,
    HOST,
    METRICS,
    is_invalid_by_host,
    validity,
)
from readiness.model.load import StageResult
from readiness.model.metrics import Sample
from readiness.model.verdict import ValidityLimits

LIMITS = ValidityLimits()
QUIET = {"native__host__foreign_cpu_ratio": 0.05, "native__host__steal_ratio": 0.0}


def broken(result: StageResult, taken: list[Sample] | None = None) -> dict[str, str]:
    """The rules that do not hold, with whom they blame."""
    found = validity([result], samples() if taken is None else taken, LIMITS)
    return {rule.name: rule.culprit for rule in found if not rule.holds}


def host(**values: float) -> list[Sample]:
    return samples() + samples(source="host", **{**QUIET, **values})


def test_a_healthy_stage_is_believed() -> None:
    assert broken(stage_result(), host()) == {}


def test_late_starts_are_the_generators_fault() -> None:
    result = stage_result(lag=histogram(80.0, 100))
    assert broken(result, host()) == {"schedule_lag_p99_ms": GENERATOR}


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"lag": histogram(80.0, 100)}, "schedule_lag_p99_ms"),
        ({"generator_cpu_ratio": 0.95}, "generator_cpu_ratio"),
        ({"run_queue_delay_ratio": 0.6}, "run_queue_delay_ratio"),
    ],
)
def test_the_worst_of_all_flows_decides_whether_a_stage_is_believed(
    given: dict[str, object], rule: str
) -> None:
    beside = {"refund": stage_result(), "repayment": stage_result(**given)}  # type: ignore[arg-type]
    result = replace(stage_result(), companions=beside)
    (found,) = [r for r in validity([result], host(), LIMITS) if not r.holds]
    assert (found.name, found.culprit) == (rule, GENERATOR)
    assert found.why.endswith(", flow repayment")


def test_late_starts_on_a_busy_host_are_the_hosts_fault() -> None:
    result = stage_result(lag=histogram(80.0, 100))
    taken = host(native__host__foreign_cpu_ratio=0.4)
    assert broken(result, taken) == {
        "schedule_lag_p99_ms": HOST,
        "native.host.foreign_cpu_ratio": HOST,
    }


def test_a_generator_out_of_cpu_is_never_the_hosts_fault() -> None:
    result = stage_result(generator_cpu_ratio=0.95)
    taken = host(native__host__foreign_cpu_ratio=0.4)
    assert broken(result, taken)["generator_cpu_ratio"] == GENERATOR


def test_a_slow_server_is_the_answer_and_no_doubt() -> None:
    """Arrivals are met on time, and checkouts pile up: nobody but the server can be meant."""
    result = stage_result(checkout=histogram(9000.0, 10), in_flight=500, dropped=20)
    assert broken(result, host()) == {}


def test_our_own_server_on_the_same_cores_does_not_blame_the_host() -> None:
    result = stage_result(run_queue_delay_ratio=0.6)
    taken = host() + samples(source="host", host_cpu_ratio=1.0)
    assert broken(result, taken) == {"run_queue_delay_ratio": GENERATOR}


@pytest.mark.parametrize(
    ("metric", "value"),
    [("native__host__foreign_cpu_ratio", 0.26), ("native__host__steal_ratio", 0.06)],
)
def test_cores_that_others_took_blame_the_host(metric: str, value: float) -> None:
    assert broken(stage_result(), host(**{metric: value})) == {metric.replace("__", "."): HOST}


def test_slow_idle_storage_blames_the_host() -> None:
    probe = Sample(BEGAN - 1, "5x", "native.host.fsync_probe_ms", 90.0, "ms", "host")
    assert broken(stage_result(), [probe, *host()]) == {"native.host.fsync_probe_ms": HOST}
    assert is_invalid_by_host(stage_result(), [probe, *host()], LIMITS)


def test_a_healthy_host_is_not_blamed() -> None:
    assert not is_invalid_by_host(stage_result(lag=histogram(80.0, 100)), host(), LIMITS)


def test_missing_seconds_are_counted_for_each_source() -> None:
    taken = samples() + samples(source="host", seconds=[2, 3, 4], **QUIET)
    assert broken(stage_result(), taken) == {"missing_samples_ratio": METRICS}


def test_missing_seconds_on_a_busy_host_are_the_hosts_fault() -> None:
    busy = {**QUIET, "native__host__foreign_cpu_ratio": 0.4}
    taken = samples() + samples(source="host", seconds=[2, 3, 4], **busy)
    assert broken(stage_result(), taken) == {
        "native.host.foreign_cpu_ratio": HOST,
        "missing_samples_ratio": HOST,
    }


def test_one_missing_second_may_slip() -> None:
    assert broken(stage_result(), samples(seconds=[2, 3, 4, 5, 6, 8, 9])) == {}


def test_a_stage_without_any_server_sample_is_doubted() -> None:
    assert broken(stage_result(), []) == {"missing_samples_ratio": METRICS}


@pytest.mark.parametrize(("starts", "named"), [(400, "p99 of"), (80, "p95 of"), (8, "p50 of")])
def test_the_lag_is_the_highest_percentile_that_the_starts_support(starts: int, named: str) -> None:
    result = stage_result(seconds=1, measured_from_s=0, lag=histogram(1.0, starts))
    (lag, *_) = validity([result], [], LIMITS)
    assert lag.why.startswith(named)


def test_a_stage_stopped_while_warming_up_is_looked_at_as_a_whole() -> None:
    result = stage_result(seconds=2, measured_from_s=5, lag=histogram(80.0, 100))
    taken = samples(source="host", seconds=[0, 1], native__host__foreign_cpu_ratio=0.5)
    assert broken(result, taken)["schedule_lag_p99_ms"] == HOST

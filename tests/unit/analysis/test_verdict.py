"""What outranks what in a verdict, and what it names."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from tests.fakes.stages import stage_result

from readiness.analysis.verdict import Evidence, decide
from readiness.model.load import RateChange, Stage
from readiness.model.verdict import Check, Outcome, Severity, ValidityRule, VerdictWord

RATES = {"1x": 2.0, "2x": 4.0, "5x": 10.0}
RULE = "error_ratio > 0.05 for 5 s (0.31)"


def check(
    stage: str = "5x",
    outcome: Outcome = Outcome.PASSED,
    severity: Severity = Severity.CRITICAL,
    metric: str = "commit_p99_ms",
    value: float | None = 40.0,
) -> Check:
    unit = "ms" if metric.endswith("_ms") else "ratio"
    why = "nothing measured it" if outcome is Outcome.MISSING else ""
    return Check(
        "an-id", stage, metric, "value", "<=", 50.0, unit, severity, outcome, value, 400, why
    )


def doubt(name: str, culprit: str, stage: str = "5x", value: float = 80.0) -> ValidityRule:
    return ValidityRule(name, stage, value, 50.0, "ms", False, culprit, "measured")


def evidence(*checks: Check, **given: object) -> Evidence:
    """A demonstration that ran 1x, 2x and 5x to the end, with a peak of 5x."""
    made = Evidence(
        stages=tuple(Stage(n, r, 10.0) for n, r in RATES.items()),
        results=tuple(stage_result(n, rate_per_s=r) for n, r in RATES.items()),
        checks=checks or tuple(check(stage) for stage in RATES),
        validity=(),
        peak_rate_per_s=10.0,
        scope="demonstration",
        run_date=date(2026, 11, 30),
        evidence_valid_days=14,
    )
    return replace(made, **given)  # type: ignore[arg-type]  # by name


def aborted(by: str = RULE) -> tuple[object, ...]:
    results = [stage_result(n, rate_per_s=r) for n, r in RATES.items()]
    return (*results[:2], replace(results[2], aborted_by=by))


def test_a_peak_that_ran_and_passed_is_ready() -> None:
    verdict = decide(evidence())
    assert verdict.verdict is VerdictWord.READY
    assert verdict.rate_held_per_s == 10.0
    assert verdict.limited_by == ""


def test_a_critical_failure_up_to_the_peak_is_not_ready_and_is_named() -> None:
    failed = check("5x", Outcome.FAILED, value=94.1)
    verdict = decide(evidence(check("1x"), check("2x"), failed))
    assert verdict.verdict is VerdictWord.NOT_READY
    assert verdict.limited_by == "an-id at 5x"
    assert verdict.rate_held_per_s == 4.0
    assert "94.1 ms" in verdict.reasons[0]


def test_the_lowest_stage_that_failed_limits() -> None:
    failures = [check(stage, Outcome.FAILED, value=90.0) for stage in ("5x", "2x")]
    assert decide(evidence(check("1x"), *failures)).limited_by == "an-id at 2x"


def test_a_failure_above_the_peak_does_not_matter() -> None:
    failed = check("5x", Outcome.FAILED, value=90.0)
    verdict = decide(evidence(check("1x"), check("2x"), failed, peak_rate_per_s=4.0))
    assert verdict.verdict is VerdictWord.READY
    assert verdict.rate_held_per_s == 4.0


def test_a_peak_that_no_stage_reached_is_not_shown() -> None:
    verdict = decide(evidence(peak_rate_per_s=12.0))
    assert verdict.verdict is VerdictWord.NOT_READY
    assert verdict.limited_by == "the peak was not shown"


def test_a_peak_stage_without_a_critical_check_shows_nothing() -> None:
    assert decide(evidence(check("1x"), check("2x"))).verdict is VerdictWord.NOT_READY


@pytest.mark.parametrize(
    "risk",
    [
        check("5x", Outcome.FAILED, Severity.WARNING, value=60.0),
        check("5x", Outcome.MISSING, Severity.WARNING, value=None),
        check("5x", Outcome.NOT_EVALUATED, Severity.CRITICAL),
    ],
)
def test_warnings_and_checks_without_a_limit_are_a_risk(risk: Check) -> None:
    verdict = decide(evidence(*(check(stage) for stage in RATES), risk))
    assert verdict.verdict is VerdictWord.READY_WITH_RISK
    assert verdict.limited_by == "an-id at 5x"
    assert verdict.reasons


def test_what_is_for_information_changes_nothing() -> None:
    told = check("5x", Outcome.FAILED, Severity.INFO, value=60.0)
    verdict = decide(evidence(*(check(stage) for stage in RATES), told))
    assert verdict.verdict is VerdictWord.READY


def test_without_a_peak_nothing_says_whether_it_is_enough() -> None:
    verdict = decide(evidence(peak_rate_per_s=0.0))
    assert verdict.verdict is VerdictWord.READY_WITH_RISK
    assert "no peak" in verdict.reasons[0]


def test_a_critical_number_that_is_missing_is_invalid_never_ready() -> None:
    missing = check("5x", Outcome.MISSING, value=None)
    verdict = decide(evidence(check("1x"), check("2x"), missing))
    assert verdict.verdict is VerdictWord.INVALID
    assert verdict.limited_by == "an-id at 5x"


def test_a_pattern_that_matched_no_stage_is_invalid() -> None:
    lost = check("peak*", Outcome.MISSING, value=None)
    verdict = decide(evidence(*(check(stage) for stage in RATES), lost))
    assert verdict.verdict is VerdictWord.INVALID


@pytest.mark.parametrize("culprit", ["host", "generator", "metrics"])
def test_a_doubt_outranks_a_pass(culprit: str) -> None:
    verdict = decide(evidence(validity=(doubt("schedule_lag_p99_ms", culprit),)))
    assert verdict.verdict is VerdictWord.INVALID
    assert verdict.limited_by == f"schedule_lag_p99_ms at 5x ({culprit})"


def test_a_doubt_above_the_peak_does_not_matter() -> None:
    doubts = (doubt("schedule_lag_p99_ms", "generator"),)
    assert decide(evidence(validity=doubts, peak_rate_per_s=4.0)).verdict is VerdictWord.READY


@pytest.mark.parametrize("stage", list(RATES))
def test_host_contention_is_never_not_ready(stage: str) -> None:
    failed = [check(s, Outcome.FAILED, value=5000.0) for s in RATES]
    doubts = (doubt("native.host.foreign_cpu_ratio", "host", stage),)
    assert decide(evidence(*failed, validity=doubts)).verdict is VerdictWord.INVALID


def test_a_latency_over_its_limit_beyond_all_lag_is_believed() -> None:
    failed = check("5x", Outcome.FAILED, value=400.0)
    doubts = (doubt("schedule_lag_p99_ms", "generator", value=80.0),)
    verdict = decide(evidence(failed, validity=doubts))
    assert verdict.verdict is VerdictWord.NOT_READY
    assert any("schedule_lag_p99_ms" in reason for reason in verdict.reasons)


def test_a_latency_that_the_lag_explains_is_not() -> None:
    failed = check("5x", Outcome.FAILED, value=120.0)
    doubts = (doubt("schedule_lag_p99_ms", "generator", value=80.0),)
    assert decide(evidence(failed, validity=doubts)).verdict is VerdictWord.INVALID


@pytest.mark.parametrize("metric", ["error_ratio", "achieved_ratio", "aas"])
def test_the_servers_own_failure_is_believed_in_spite_of_lag(metric: str) -> None:
    failed = check("5x", Outcome.FAILED, metric=metric, value=60.0)
    doubts = (doubt("run_queue_delay_ratio", "generator"),)
    assert decide(evidence(failed, validity=doubts)).verdict is VerdictWord.NOT_READY


def test_a_generator_without_cpu_explains_any_failure() -> None:
    failed = check("5x", Outcome.FAILED, metric="achieved_ratio", value=60.0)
    doubts = (doubt("generator_cpu_ratio", "generator"),)
    assert decide(evidence(failed, validity=doubts)).verdict is VerdictWord.INVALID


def test_missing_samples_do_not_explain_what_the_engine_measured() -> None:
    doubts = (doubt("missing_samples_ratio", "metrics"),)
    engines = check("5x", Outcome.FAILED, metric="error_ratio", value=60.0)
    servers = check("5x", Outcome.FAILED, metric="aas", value=60.0)
    assert decide(evidence(engines, validity=doubts)).verdict is VerdictWord.NOT_READY
    assert decide(evidence(servers, validity=doubts)).verdict is VerdictWord.INVALID


@pytest.mark.parametrize("name", ["schedule_lag_p99_ms", "run_queue_delay_ratio"])
def test_an_abort_by_the_server_stands_though_it_starved_the_generator(name: str) -> None:
    """Overload on shared cores: the contention is our own server's."""
    verdict = decide(evidence(results=aborted(), validity=(doubt(name, "generator"),)))
    assert verdict.verdict is VerdictWord.ABORTED
    assert verdict.limited_by == f"{RULE} at 5x"
    assert verdict.rate_held_per_s == 4.0


@pytest.mark.parametrize(
    ("name", "culprit"),
    [("native.host.foreign_cpu_ratio", "host"), ("schedule_lag_p99_ms", "host"),
     ("generator_cpu_ratio", "generator")],
)  # fmt: skip
def test_an_abort_on_a_busy_host_or_a_full_generator_is_invalid(name: str, culprit: str) -> None:
    verdict = decide(evidence(results=aborted(), validity=(doubt(name, culprit),)))
    assert verdict.verdict is VerdictWord.INVALID
    assert verdict.limited_by == f"{name} at 5x ({culprit})"


def test_an_abort_by_a_rule_about_the_generator_is_invalid() -> None:
    rule = "schedule_lag_p99_ms > 500 for 5 s (900)"
    verdict = decide(evidence(results=aborted(rule)))
    assert verdict.verdict is VerdictWord.INVALID
    assert verdict.limited_by == f"{rule} at 5x"


def test_a_run_stopped_by_hand_is_aborted_whatever_was_measured() -> None:
    doubts = (doubt("native.host.foreign_cpu_ratio", "host"),)
    verdict = decide(evidence(results=aborted("SIGINT"), validity=doubts))
    assert verdict.verdict is VerdictWord.ABORTED


def test_a_rate_is_held_only_when_all_lower_ones_are() -> None:
    failed = check("1x", Outcome.FAILED, value=60.0)
    assert decide(evidence(failed, check("2x"), check("5x"))).rate_held_per_s == 0.0


def test_a_doubted_stage_holds_no_rate() -> None:
    doubts = (doubt("schedule_lag_p99_ms", "generator", "2x"),)
    assert decide(evidence(validity=doubts)).rate_held_per_s == 2.0


def test_evidence_expires_and_a_demonstration_is_none() -> None:
    assert decide(evidence()).expires_on == ""
    assert decide(evidence(scope="evidence")).expires_on == "2026-12-14"


def test_what_cannot_be_believed_is_no_evidence() -> None:
    doubts = (doubt("schedule_lag_p99_ms", "host"),)
    assert decide(evidence(scope="evidence", validity=doubts)).expires_on == ""


def test_a_stage_that_a_person_turned_down_holds_what_it_held_all_the_time() -> None:
    *before, peak = evidence().results
    turned = replace(peak, rates=(RateChange(2, 3.0), RateChange(5, 90.0), RateChange(8, 0.0)))
    verdict = decide(evidence(results=(*before, turned)))
    assert verdict.verdict is VerdictWord.NOT_READY
    assert verdict.limited_by == "the peak was not shown"
    assert verdict.rate_held_per_s == 4.0


def test_a_stage_that_a_person_turned_up_holds_at_least_what_was_planned() -> None:
    *before, peak = evidence().results
    turned = replace(peak, rates=(RateChange(2, 90.0),))
    verdict = decide(evidence(results=(*before, turned)))
    assert (verdict.verdict, verdict.rate_held_per_s) == (VerdictWord.READY, 10.0)

"""Whatever happened in a run, READY is said only of what was shown, and no doubt about the host
ever becomes the database's fault."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.stages import stage_result

from readiness.analysis.verdict import Evidence, decide
from readiness.model.load import Stage
from readiness.model.verdict import Check, Outcome, Severity, ValidityRule, VerdictWord

NAMES = ("1x", "2x", "5x", "6x")
RATES = dict(zip(NAMES, (2.0, 4.0, 10.0, 12.0), strict=True))
METRICS = ("commit_p99_ms", "error_ratio", "aas", "native.x.y")
RULES = ("schedule_lag_p99_ms", "generator_cpu_ratio", "missing_samples_ratio")

checks = st.builds(
    Check,
    expectation=st.just("an-id"),
    stage=st.sampled_from(NAMES),
    metric=st.sampled_from(METRICS),
    statistic=st.just("value"),
    op=st.just("<="),
    limit=st.just(50.0),
    unit=st.sampled_from(["ms", "ratio"]),
    severity=st.sampled_from(Severity),
    outcome=st.sampled_from(Outcome),
    value=st.just(90.0),
)
rules = st.builds(
    ValidityRule,
    name=st.sampled_from(RULES),
    stage=st.sampled_from(NAMES),
    value=st.just(90.0),
    limit=st.just(50.0),
    unit=st.just("ms"),
    holds=st.booleans(),
    culprit=st.sampled_from(["host", "generator", "metrics"]),
)


@st.composite
def evidences(draw: st.DrawFn) -> Evidence:
    ran = draw(st.integers(0, len(NAMES)))
    results = [stage_result(n, rate_per_s=RATES[n], seconds=1) for n in NAMES[:ran]]
    return Evidence(
        stages=tuple(Stage(n, r, 10.0) for n, r in RATES.items()),
        results=tuple(results),
        checks=tuple(draw(st.lists(checks, max_size=6))),
        validity=tuple(draw(st.lists(rules, max_size=4))),
        peak_rate_per_s=draw(st.sampled_from([0.0, 4.0, 10.0, 11.0, 50.0])),
        scope="evidence",
        run_date=date(2026, 11, 30),
        evidence_valid_days=14,
    )


def matters(evidence: Evidence, stage: str) -> bool:
    peak = evidence.peak_rate_per_s
    proving = [r for r in RATES.values() if r >= peak]
    return not peak or not proving or RATES[stage] <= min(proving)


@given(evidences())
def test_ready_means_that_the_peak_ran_and_passed(evidence: Evidence) -> None:
    verdict = decide(evidence)
    if verdict.verdict is VerdictWord.READY:
        assert verdict.rate_held_per_s >= evidence.peak_rate_per_s > 0
        assert all(r.holds for r in evidence.validity if matters(evidence, r.stage))
        critical = [c for c in evidence.checks if c.severity is Severity.CRITICAL]
        assert all(c.outcome is Outcome.PASSED for c in critical if matters(evidence, c.stage))


@given(evidences())
def test_contention_on_the_host_is_always_invalid(evidence: Evidence) -> None:
    guilty = [r for r in evidence.validity if r.culprit == "host" and not r.holds]
    if any(matters(evidence, r.stage) for r in guilty):
        assert decide(evidence).verdict is VerdictWord.INVALID


@given(evidences())
def test_what_is_not_ready_says_what_limits_and_why(evidence: Evidence) -> None:
    verdict = decide(evidence)
    if verdict.verdict in {VerdictWord.NOT_READY, VerdictWord.INVALID, VerdictWord.ABORTED}:
        assert verdict.limited_by
        assert verdict.reasons


@given(evidences())
def test_a_rate_that_did_not_run_is_never_held(evidence: Evidence) -> None:
    ran = {r.stage.rate_per_s for r in evidence.results}
    assert decide(evidence).rate_held_per_s in ran | {0.0}

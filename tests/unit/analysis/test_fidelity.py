"""The score of a load's likeness, and what a low one does to a verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.analysis.test_verdict import RATES, check, evidence

from readiness.analysis.fidelity import fidelity_rules, likeness
from readiness.analysis.verdict import decide
from readiness.errors import AnalysisError
from readiness.model.verdict import Outcome, ValidityLimits, VerdictWord

PRODUCTION = {"commits_per_s": 100.0, "threads_running": 2.0, "connections": 40.0, "aas": 0.5}
VALUES = st.floats(0.0, 1e6)
VECTORS = st.fixed_dictionaries(dict.fromkeys(PRODUCTION, VALUES))
LIMITS = ValidityLimits(fidelity_min=0.8)


def test_the_score_is_one_less_the_mean_relative_error() -> None:
    measured = {"commits_per_s": 90.0, "threads_running": 2.6, "connections": 40.0}
    found = likeness(PRODUCTION, measured)
    assert found.score == pytest.approx(1 - (0.1 + 0.3 + 0.0) / 3)
    assert [c.error for c in found.compared] == pytest.approx([0.1, 0.3, 0.0])
    assert found.missing == ("aas",)


def test_a_figure_twice_as_high_or_ten_times_is_simply_wrong() -> None:
    twice = likeness(PRODUCTION, {**PRODUCTION, "aas": 1.0})
    assert twice.score == likeness(PRODUCTION, {**PRODUCTION, "aas": 5.0}).score == 0.75


def test_where_production_shows_nothing_only_nothing_is_right() -> None:
    production = {**PRODUCTION, "deadlocks_per_s": 0.0}
    assert likeness(production, {**PRODUCTION, "deadlocks_per_s": 0.0}).score == 1.0
    assert likeness(production, {**PRODUCTION, "deadlocks_per_s": 0.01}).score == 0.8


def test_two_metrics_can_agree_by_chance() -> None:
    with pytest.raises(AnalysisError, match=r"2 metrics .* Not measured here: connections, aas"):
        likeness(PRODUCTION, {"commits_per_s": 100.0, "threads_running": 2.0})


@given(VECTORS, VECTORS)
def test_a_score_is_a_share_and_only_a_twin_has_one(
    production: dict[str, float], measured: dict[str, float]
) -> None:
    assert 0.0 <= likeness(production, measured).score <= 1.0
    assert likeness(production, production).score == 1.0


def test_without_a_fidelity_there_is_no_rule() -> None:
    assert fidelity_rules(None, LIMITS) == []


def test_a_load_that_is_not_like_production_proves_nothing() -> None:
    failed = check("5x", Outcome.FAILED, value=94.0)
    for checks in ([check(s) for s in RATES], [failed]):
        verdict = decide(evidence(*checks, validity=tuple(fidelity_rules(0.62, LIMITS))))
        assert verdict.verdict is VerdictWord.INVALID
        assert verdict.limited_by == "fidelity (workload)"
        assert "fidelity is 0.62 ratio, believed from 0.8" in verdict.reasons[0]
        assert verdict.rate_held_per_s == 0.0


def test_one_that_is_changes_nothing() -> None:
    (rule,) = fidelity_rules(0.8, LIMITS)
    assert rule.holds
    assert decide(evidence(validity=(rule,))).verdict is VerdictWord.READY
    (unasked,) = fidelity_rules(0.1, replace(LIMITS, fidelity_min=0.0))
    assert unasked.holds

"""Great Expectations and the checks without it give the same answers, missing data included."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readiness.adapters.expectations import GreatExpectationsJudge
from readiness.analysis.checks import judge
from readiness.config.expectations import load_expectations
from readiness.errors import ConfigError
from readiness.model.verdict import Expectation, Figure, NativeExpectation, Outcome, Severity

STAGES = ("1x", "5x")
values = st.floats(-1e6, 1e6) | st.sampled_from([math.nan, math.inf, 10.0])
series = st.lists(values, max_size=4).map(lambda v: Figure(tuple(v), len(v), "" if v else "none"))
figures = st.dictionaries(
    st.sampled_from(STAGES), st.dictionaries(st.sampled_from(["aas", "connections"]), series)
)
expectations = st.builds(
    Expectation,
    id=st.uuids().map(str),
    metric=st.sampled_from(["aas", "connections"]),
    statistic=st.sampled_from(["min", "max", "mean", "p50", "p95"]),
    stages=st.lists(st.sampled_from(["*", "5x", "peak"]), min_size=1, unique=True).map(tuple),
    op=st.sampled_from(["<", "<=", ">", ">="]),
    limit=st.none() | st.sampled_from([10.0, math.nan]),
    unit=st.just("sessions"),
    severity=st.sampled_from(Severity),
)


@settings(max_examples=8)
@given(st.lists(expectations, max_size=4), figures)
def test_both_give_the_same_checks(
    asked: list[Expectation], measured: dict[str, dict[str, Figure]]
) -> None:
    own = judge(asked, STAGES, measured)
    assert str(GreatExpectationsJudge()(asked, STAGES, measured)) == str(own)


def test_the_demonstrations_expectations_are_all_answered() -> None:
    asked = load_expectations("demo").expectations
    judged = GreatExpectationsJudge()
    checks = judged(asked, ["smoke", "1x", "2x", "5x"], {})
    assert {c.expectation for c in checks} == {e.id for e in asked}
    assert {c.outcome for c in checks} == {Outcome.MISSING}


def native(kind: str, **arguments: object) -> NativeExpectation:
    return NativeExpectation("a-native", kind, "aas", ("5x",), arguments, Severity.WARNING)


def judged_natively(kind: str, figure: Figure, **arguments: object) -> Outcome:
    (check,) = GreatExpectationsJudge([native(kind, **arguments)])(
        [], STAGES, {"5x": {"aas": figure}}
    )
    return check.outcome


@pytest.mark.parametrize(
    ("figure", "outcome"),
    [
        (Figure((1.0, 2.0), 2), Outcome.PASSED),
        (Figure((1.0, 9.0), 2), Outcome.FAILED),
        (Figure((1.0, math.nan), 2), Outcome.MISSING),
        (Figure((), 0, "nothing"), Outcome.MISSING),
    ],
)
def test_a_native_expectation_never_passes_on_missing_data(
    figure: Figure, outcome: Outcome
) -> None:
    kind = "expect_column_values_to_be_between"
    assert judged_natively(kind, figure, min_value=0, max_value=5) is outcome


def test_a_native_expectation_that_compares_a_quantile_is_a_plain_outcome() -> None:
    ranges = {"quantiles": [0.5], "value_ranges": [[0, 5]]}
    kind = "expect_column_quantile_values_to_be_between"
    outcome = judged_natively(kind, Figure((1.0, 2.0), 2), quantile_ranges=ranges)
    assert outcome is Outcome.PASSED


def test_a_native_expectation_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ConfigError, match="expect_nothing"):
        judged_natively("expect_nothing", Figure((1.0,), 1))


def test_arguments_that_it_does_not_take_are_refused() -> None:
    with pytest.raises(ConfigError, match="arguments") as refused:
        judged_natively("expect_column_mean_to_be_between", Figure((1.0,), 1), maximum=3)
    assert "maximum" in refused.value.hint


def test_its_own_result_can_be_kept_as_json() -> None:
    figures = {"5x": {"aas": Figure((1.0, 2.0), 2)}}
    judged = GreatExpectationsJudge([native("expect_column_mean_to_be_between", max_value=5)])
    judged(load_expectations("demo").expectations, STAGES, figures)
    kept = json.loads(json.dumps(judged.result, allow_nan=False))
    assert [r["success"] for r in kept["native"]] == [True]
    assert len(kept["expectations"]) == 7

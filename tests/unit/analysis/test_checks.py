"""A check passes only on a number that holds its limit; nothing missing passes silently."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.fakes.stages import stage_result

from readiness.analysis.checks import evaluate, holds, judge, statistic_of
from readiness.analysis.figures import stage_figures
from readiness.errors import AnalysisError
from readiness.model.verdict import Expectation, Figure, Outcome, Severity

STAGES = ["smoke", "1x", "5x"]


def expectation(
    *patterns: str, op: str = "<=", limit: float | None = 10.0, statistic: str = "max"
) -> Expectation:
    return Expectation(
        "sessions", "aas", statistic, patterns or ("5x",), op, limit, "sessions", Severity.CRITICAL
    )


def outcomes(e: Expectation, series: tuple[float, ...] = (1.0, 9.0)) -> list[tuple[str, Outcome]]:
    figures = {name: {"aas": Figure(series, len(series))} for name in STAGES}
    return [(c.stage, c.outcome) for c in evaluate(e, STAGES, figures)]


def test_a_pattern_selects_planned_stages_in_their_order() -> None:
    assert [s for s, _ in outcomes(expectation("*x", "smoke"))] == STAGES


def test_a_pattern_that_matches_nothing_is_one_missing_check() -> None:
    assert outcomes(expectation("peak*")) == [("peak*", Outcome.MISSING)]


def test_a_stage_that_did_not_run_is_missing() -> None:
    (check,) = evaluate(expectation("5x"), STAGES, {})
    assert (check.outcome, check.why) == (Outcome.MISSING, "the stage did not run")


def test_a_metric_nobody_measured_is_missing() -> None:
    (check,) = evaluate(expectation("5x"), STAGES, {"5x": {}})
    assert (check.outcome, check.why) == (Outcome.MISSING, "nothing measured it")


def test_an_expectation_looks_at_the_figures_of_its_flow() -> None:
    beside = stage_result(failed=5)
    figures = {"5x": stage_figures(replace(stage_result(), companions={"repayment": beside}), [])}
    first = Expectation(
        "errors", "error_ratio", "value", ("5x",), "<", 0.1, "ratio", Severity.CRITICAL
    )
    found = judge([first, replace(first, flow="repayment")], STAGES, figures)
    assert [(c.flow, c.value, c.outcome) for c in found] == [
        ("", 0.0, Outcome.PASSED),
        ("repayment", 0.5, Outcome.FAILED),
    ]


def test_a_flow_that_did_not_run_is_missing() -> None:
    of_flow = replace(expectation("5x"), flow="repayment")
    (check,) = evaluate(of_flow, STAGES, {"5x": {"aas": Figure((1.0,), 1)}})
    assert (check.outcome, check.why) == (Outcome.MISSING, "nothing measured it")


def test_a_figure_without_a_value_says_why() -> None:
    figures = {"5x": {"aas": Figure((), 7, "p99 needs 368 operations, the stage has 7")}}
    (check,) = evaluate(expectation("5x"), STAGES, figures)
    assert check.outcome is Outcome.MISSING
    assert check.why.startswith("p99 needs 368")
    assert check.count == 7


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_one_sample_that_is_no_number_makes_the_check_missing(bad: float) -> None:
    assert outcomes(expectation("5x"), (1.0, bad)) == [("5x", Outcome.MISSING)]


def test_a_limit_that_does_not_exist_yet_is_not_evaluated() -> None:
    assert outcomes(expectation("5x", limit=None)) == [("5x", Outcome.NOT_EVALUATED)]


def test_a_limit_that_is_no_number_never_passes() -> None:
    assert outcomes(expectation("5x", limit=math.nan)) == [("5x", Outcome.MISSING)]


@pytest.mark.parametrize(
    ("op", "outcome"),
    [("<", "failed"), ("<=", "passed"), (">", "failed"), (">=", "passed")],
)
def test_at_the_limit_the_operator_decides(op: str, outcome: str) -> None:
    assert outcomes(expectation("5x", op=op, limit=9.0)) == [("5x", Outcome(outcome))]


@pytest.mark.parametrize(
    ("statistic", "value"),
    [("min", 1.0), ("max", 5.0), ("mean", 3.0), ("p50", 3.0), ("p95", 4.8)],
)
def test_statistics_are_over_the_seconds(statistic: str, value: float) -> None:
    assert statistic_of([5.0, 1.0, 4.0, 2.0, 3.0], statistic) == pytest.approx(value)


def test_value_is_the_only_one_of_the_stage() -> None:
    assert statistic_of([4.0], "value") == 4.0
    with pytest.raises(AnalysisError, match="one value per stage"):
        statistic_of([4.0, 5.0], "value")


def test_what_does_not_exist_is_refused_by_name() -> None:
    with pytest.raises(AnalysisError, match="p42"):
        statistic_of([1.0], "p42")
    with pytest.raises(AnalysisError, match="=="):
        holds(1.0, "==", 1.0)


def test_judging_keeps_the_order_of_the_expectations() -> None:
    asked = [expectation("5x"), expectation("smoke")]
    assert [c.stage for c in judge(asked, STAGES, {})] == ["5x", "smoke"]

"""An expectation over figures: passed, failed, missing or not evaluated; never a silent pass.

Missing is a metric nobody measured, a stage that did not run, a pattern that matches no planned
stage, a NaN: it counts as a failure. Patterns are matched against the planned stages, not those
that left data. The same functions serve the abort rules and the Great Expectations adapter.
"""

from __future__ import annotations

import fnmatch
import math
import operator
from collections.abc import Callable, Mapping, Sequence

from readiness.errors import AnalysisError
from readiness.model.verdict import Check, Expectation, Figure, Outcome

StageFigures = Mapping[str, Mapping[str, Figure]]

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_QUANTILES = {"p50": 0.50, "p95": 0.95}


def judge(
    expectations: Sequence[Expectation], stages: Sequence[str], figures: StageFigures
) -> list[Check]:
    """A `ports.Judge`: one check per expectation and matching planned stage, in order."""
    return [check for e in expectations for check in evaluate(e, stages, figures)]


def evaluate(expectation: Expectation, stages: Sequence[str], figures: StageFigures) -> list[Check]:
    """One check per planned stage that a pattern matches, and one for each pattern that matches
    none. Raises AnalysisError for an operator or statistic that does not exist."""
    found, lost = matching(expectation.stages, stages)
    checks = [_check(expectation, stage, _figure(expectation, stage, figures)) for stage in found]
    nothing = Figure((), 0, "the pattern matches no planned stage")
    return checks + [_check(expectation, pattern, nothing) for pattern in lost]


def matching(patterns: Sequence[str], stages: Sequence[str]) -> tuple[list[str], list[str]]:
    """The planned stages that match any pattern, and the patterns that match no stage."""
    found = [s for s in stages if any(fnmatch.fnmatchcase(s, p) for p in patterns)]
    lost = [p for p in patterns if not any(fnmatch.fnmatchcase(s, p) for s in stages)]
    return found, lost


def holds(value: float, op: str, limit: float) -> bool:
    """Whether `value op limit`; never for a NaN. Raises AnalysisError for another operator."""
    if op not in OPERATORS:
        raise AnalysisError(f"The operator {op!r} is none of {', '.join(OPERATORS)}.")
    return OPERATORS[op](value, limit)


def statistic_of(series: Sequence[float], statistic: str) -> float | None:
    """A statistic over seconds, or `value` of the only one; None when empty or not all finite.

    p50 and p95 interpolate between seconds. Raises AnalysisError for another statistic."""
    if not series or not all(math.isfinite(v) for v in series):
        return None
    if statistic == "value":
        if len(series) != 1:
            raise AnalysisError("The statistic 'value' takes a metric with one value per stage.")
        return series[0]
    if statistic in _QUANTILES:
        return _quantile(sorted(series), _QUANTILES[statistic])
    simple = {"min": min(series), "max": max(series), "mean": math.fsum(series) / len(series)}
    if statistic not in simple:
        allowed = ", ".join(["value", *simple, *_QUANTILES])
        raise AnalysisError(f"The statistic {statistic!r} is none of {allowed}.")
    return simple[statistic]


def outcome_of(value: float | None, op: str, limit: float | None) -> Outcome:
    """A limit that does not exist yet comes before a value that is missing."""
    if limit is None:
        return Outcome.NOT_EVALUATED
    if value is None or not math.isfinite(value) or not math.isfinite(limit):
        return Outcome.MISSING
    return Outcome.PASSED if holds(value, op, limit) else Outcome.FAILED


def make_check(
    expectation: Expectation, stage: str, figure: Figure, *, value: float | None
) -> Check:
    """The check of one stage: the value that the expectation's statistic makes of its figure, None
    where it makes none."""
    why = missing_why(figure) if value is None else ""
    outcome = outcome_of(value, expectation.op, expectation.limit)
    if outcome is Outcome.NOT_EVALUATED:
        why = "there is no baseline yet to take the limit from"
    return Check(
        expectation=expectation.id,
        stage=stage,
        metric=expectation.metric,
        statistic=expectation.statistic,
        op=expectation.op,
        limit=expectation.limit,
        unit=expectation.unit,
        severity=expectation.severity,
        outcome=outcome,
        value=value,
        count=figure.count,
        why=why if outcome in {Outcome.MISSING, Outcome.NOT_EVALUATED} else "",
        because=expectation.because,
        flow=expectation.flow,
        interval=figure.interval,
    )


def missing_why(figure: Figure) -> str:
    """Why a figure gives no value: its own reason, or that a sample is no number."""
    return figure.why or ("a sample is not a number" if figure.series else "no samples")


def figure_of(figures: StageFigures, stage: str, metric: str) -> Figure:
    """The figure of one stage; an empty one with the reason when there is none."""
    if stage not in figures:
        return Figure((), 0, "the stage did not run")
    return figures[stage].get(metric) or Figure((), 0, "nothing measured it")


def _figure(expectation: Expectation, stage: str, figures: StageFigures) -> Figure:
    return figure_of(figures, stage, expectation.figure)


def _check(expectation: Expectation, stage: str, figure: Figure) -> Check:
    value = statistic_of(figure.series, expectation.statistic)
    return make_check(expectation, stage, figure, value=value)


def _quantile(ordered: Sequence[float], q: float) -> float:
    position = q * (len(ordered) - 1)
    low = math.floor(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)

"""Expectations evaluated by Great Expectations: one expectation of its own kind per line of ours,
over all its stages, and any `native` one over a slice that is not empty and holds no NaN.

Great Expectations lets missing data pass (an empty frame, a NaN among numbers, a typo in a type
name drops the expectation), so the selection of stages, the statistic and the outcome come from
`analysis.checks`, the results are counted against what was asked, and a slice is looked at before a
native expectation sees it. Importing it takes 4 to 6 s and 200 MB: only while judging.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from readiness.analysis import checks
from readiness.errors import AnalysisError, ConfigError
from readiness.model.metrics import unit_of
from readiness.model.verdict import Check, Expectation, Figure, NativeExpectation, Outcome

if TYPE_CHECKING:
    import pandas as pd

_METRIC = "readiness.stage_statistic"
_SUCCESS_KEYS = ("metric", "statistic", "stages", "op", "limit")


class GreatExpectationsJudge:
    """A `ports.Judge`. After a call, `result` is what Great Expectations itself said, as JSON.

    Raises ConfigError for a native expectation that does not exist, AnalysisError when Great
    Expectations answers for fewer expectations than it was asked."""

    def __init__(self, native: Sequence[NativeExpectation] = ()) -> None:
        self._native = tuple(native)
        self.result: dict[str, object] = {}

    def __call__(
        self,
        expectations: Sequence[Expectation],
        stages: Sequence[str],
        figures: checks.StageFigures,
    ) -> list[Check]:
        """One check per expectation and matching planned stage, then those of the native ones."""
        frame = frame_of(figures)
        made, own = self._judge_own(expectations, stages, figures, frame)
        native = [
            pair for n in self._native for pair in self._judge_native(n, stages, figures, frame)
        ]
        self.result = {
            "great_expectations_version": _version(),
            "expectations": own,
            "native": [result for _, result in native if result],
        }
        return made + [check for check, _ in native]

    def _judge_own(
        self,
        expectations: Sequence[Expectation],
        stages: Sequence[str],
        figures: checks.StageFigures,
        frame: pd.DataFrame,
    ) -> tuple[list[Check], list[dict[str, Any]]]:
        evaluated = [e for e in expectations if e.limit is not None]
        results = _validate(frame, [_stage_expectation(e, stages) for e in evaluated])
        by_id = {e.id: result for e, result in zip(evaluated, results, strict=True)}
        made: list[Check] = []
        for expectation in expectations:
            if expectation.id in by_id:
                rows = _rows(by_id[expectation.id], checks.matching(expectation.stages, stages))
                made += [_check(expectation, row, figures, stages) for row in rows]
            else:
                made += checks.evaluate(expectation, stages, figures)
        return made, results

    def _judge_native(
        self,
        native: NativeExpectation,
        stages: Sequence[str],
        figures: checks.StageFigures,
        frame: pd.DataFrame,
    ) -> list[tuple[Check, dict[str, Any]]]:
        found, lost = checks.matching(native.stages, stages)
        nothing = "the pattern matches no planned stage"
        made = [(_native_check(native, pattern, None, nothing), _NO_RESULT) for pattern in lost]
        for stage in found:
            figure = checks.figure_of(figures, stage, native.metric)
            if not figure.series or not all(map(math.isfinite, figure.series)):
                check = _native_check(native, stage, None, checks.missing_why(figure))
                made.append((check, _NO_RESULT))
                continue
            part = frame[(frame["stage"] == stage) & (frame["metric"] == native.metric)]
            result = _validate(part, [_native_expectation(native)])[0]
            made.append((_native_check(native, stage, result, ""), result))
        return made


_NO_RESULT: dict[str, Any] = {}


def frame_of(figures: checks.StageFigures) -> pd.DataFrame:
    """Every value behind the figures in long form: stage, metric, value."""
    import pandas as pd

    rows = [
        (stage, metric, value)
        for stage, by_metric in figures.items()
        for metric, figure in by_metric.items()
        for value in figure.series
    ]
    frame = pd.DataFrame(rows, columns=["stage", "metric", "value"])
    return frame.astype({"stage": "object", "metric": "object", "value": "float64"})


def _check(
    expectation: Expectation,
    row: Mapping[str, Any],
    figures: checks.StageFigures,
    stages: Sequence[str],
) -> Check:
    """The value is what Great Expectations found; the figure says how many operations it had."""
    stage = str(row["stage"])
    figure = checks.figure_of(figures, stage, expectation.figure)
    if stage not in stages:
        figure = Figure((), 0, "the pattern matches no planned stage")
    check = checks.make_check(expectation, stage, figure, value=row["value"])
    if bool(row["ok"]) != (check.outcome is Outcome.PASSED):
        raise AnalysisError(f"Great Expectations and the check of {check.expectation} disagree.")
    return check


def _rows(result: Mapping[str, Any], selected: tuple[list[str], list[str]]) -> list[dict[str, Any]]:
    """One row for each selected stage and each pattern that selects none."""
    rows: list[dict[str, Any]] = result["result"].get("details", {}).get("stages", [])
    if len(rows) != len(selected[0]) + len(selected[1]):
        said = result.get("exception_info", {}).get("exception_message", "nothing")
        raise AnalysisError(f"Great Expectations could not evaluate an expectation: {said}.")
    return rows


def _native_check(
    native: NativeExpectation, stage: str, result: Mapping[str, Any] | None, why: str
) -> Check:
    observed = (result or {}).get("result", {}).get("observed_value")
    number = observed if isinstance(observed, int | float) else None
    outcome = Outcome.MISSING
    if result is not None and "observed_value" not in result["result"] and _raised(result):
        why = "Great Expectations could not evaluate it"
    elif result is not None:
        outcome = Outcome.PASSED if result["success"] else Outcome.FAILED
    return Check(
        expectation=native.id,
        stage=stage,
        metric=native.metric,
        statistic=native.expectation,
        op="",
        limit=None,
        unit=unit_of(native.metric),
        severity=native.severity,
        outcome=outcome,
        value=None if number is None else float(number),
        why=why,
        because=native.because,
    )


def _raised(result: Mapping[str, Any]) -> bool:
    info = result.get("exception_info") or {}
    nested = [v for v in info.values() if isinstance(v, dict)]
    return any(bool(i.get("raised_exception")) for i in [info, *nested])


def _validate(frame: pd.DataFrame, expectations: Sequence[Any]) -> list[dict[str, Any]]:
    """Results as JSON values in the order asked, `success` a bool."""
    if not expectations:
        return []
    import great_expectations as gx
    from great_expectations.data_context.types.base import ProgressBarsConfig

    # A context of its own: a shared one is not safe between threads.
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False, metric_calculations=False)
    asset = context.data_sources.add_pandas("run").add_dataframe_asset("figures")
    batch = asset.add_batch_definition_whole_dataframe("all").get_batch(
        batch_parameters={"dataframe": frame}
    )
    # The constructor, not add_expectation, which compares every pair.
    suite = gx.ExpectationSuite("readiness", expectations=list(expectations))
    results = batch.validate(suite, result_format="COMPLETE").results
    if len(results) != len(expectations):
        asked, given = len(expectations), len(results)
        raise AnalysisError(f"Great Expectations was asked {asked} things and answered {given}.")
    return [_plain(result) for result in results]


def _plain(result: Any) -> dict[str, Any]:
    """Numpy scalars become Python's, and `success` a bool, so that JSON takes it."""
    content: dict[str, Any] = _jsonable(result.to_json_dict())
    return {**content, "success": bool(result.success)}


def _jsonable(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _jsonable(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(v) for v in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _stage_expectation(expectation: Expectation, stages: Sequence[str]) -> Any:
    found, lost = checks.matching(expectation.stages, stages)
    return _expectation_class()(
        column="value",
        metric=expectation.figure,
        statistic=expectation.statistic,
        stages=[*found, *lost],
        op=expectation.op,
        limit=expectation.limit,
        severity=str(expectation.severity),
        description=expectation.because or expectation.id,
        meta={"id": expectation.id, "unit": expectation.unit},
    )


def _native_expectation(native: NativeExpectation) -> Any:
    import great_expectations.expectations as gxe
    from great_expectations.exceptions import GreatExpectationsError

    name = "".join(part.capitalize() for part in native.expectation.split("_"))
    kind = getattr(gxe, name, None)
    if kind is None:
        message = f"{native.id}: Great Expectations has no {native.expectation}."
        raise ConfigError(message, hint="Its names look like expect_column_mean_to_be_between.")
    column = {"column": "value"} if "column" in kind.__fields__ else {}
    try:
        return kind(**column, **native.arguments, severity=str(native.severity))
    except (TypeError, ValueError, GreatExpectationsError) as error:
        message = f"{native.id}: {native.expectation} does not take these arguments."
        raise ConfigError(message, hint=" ".join(str(error).split())) from error


def _version() -> str:
    from importlib.metadata import version

    return version("great-expectations")


@functools.cache
def _expectation_class() -> type[Any]:
    """The expectation and its metric; defining them registers them, once a process."""
    from great_expectations.core.metric_domain_types import MetricDomainTypes
    from great_expectations.execution_engine import PandasExecutionEngine
    from great_expectations.expectations.expectation import ColumnAggregateExpectation
    from great_expectations.expectations.metrics.column_aggregate_metric_provider import (
        ColumnAggregateMetricProvider,
    )
    from great_expectations.expectations.metrics.metric_provider import metric_value

    class StageStatistic(ColumnAggregateMetricProvider):  # type: ignore[misc]  # untyped base
        """The statistic of one of our metrics in each stage."""

        metric_name = _METRIC
        value_keys = ("metric", "statistic", "stages")

        @metric_value(engine=PandasExecutionEngine)  # type: ignore[untyped-decorator]
        def _pandas(
            cls,  # noqa: N805 - the decorator makes it a class method
            execution_engine: Any,
            metric_domain_kwargs: Any,
            metric_value_kwargs: Any,
            **_unused: Any,
        ) -> dict[str, float | None]:
            frame, _, _ = execution_engine.get_compute_domain(
                metric_domain_kwargs, domain_type=MetricDomainTypes.COLUMN
            )
            return _statistics(frame, metric_value_kwargs)

    class ExpectStageStatistic(ColumnAggregateExpectation):  # type: ignore[misc]  # untyped base
        """In every stage, the statistic of the metric must hold `op limit`; missing fails."""

        metric: str
        statistic: str
        stages: list[str]
        op: str
        limit: float
        metric_dependencies: ClassVar[tuple[str, ...]] = (_METRIC,)
        success_keys: ClassVar[tuple[str, ...]] = _SUCCESS_KEYS

        def _validate(self, metrics: Any, **_unused: Any) -> dict[str, Any]:
            return _verdict_of_stages(metrics[_METRIC], op=self.op, limit=self.limit)

    return ExpectStageStatistic


def _statistics(frame: pd.DataFrame, asked: Mapping[str, Any]) -> dict[str, float | None]:
    of_metric = frame[frame["metric"] == asked["metric"]]
    return {
        stage: checks.statistic_of(
            of_metric.loc[of_metric["stage"] == stage, "value"].tolist(), asked["statistic"]
        )
        for stage in asked["stages"]
    }


def _verdict_of_stages(
    values: Mapping[str, float | None], *, op: str, limit: float
) -> dict[str, Any]:
    rows = [
        {
            "stage": stage,
            "value": value,
            "ok": checks.outcome_of(value, op, limit) is Outcome.PASSED,
        }
        for stage, value in values.items()
    ]
    known = [value for value in values.values() if value is not None]
    worst = (max if op.startswith("<") else min)(known, default=None)
    success = bool(rows) and all(row["ok"] for row in rows)
    return {"success": success, "result": {"observed_value": worst, "details": {"stages": rows}}}

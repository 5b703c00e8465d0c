"""Expectations files: `load_expectations` gives frozen expectations, or all mistakes at once.

Percentiles come from the histogram of a whole stage (`commit_p99_ms`, statistic `value`); a
percentile of per-second percentiles is refused, since it is no percentile of anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from readiness.config.mistakes import Form, in_order, name_of, read_form
from readiness.config.nearest import did_you_mean
from readiness.config.places import find
from readiness.config.yaml_file import YamlFile, read_yaml
from readiness.errors import Mistake
from readiness.model.metrics import CATALOGUE, Origin
from readiness.model.verdict import Expectation, NativeExpectation, Severity

_WHAT = "The expectations file"
_OVER_TIME = ("mean", "min", "max", "p50", "p95")


@dataclass(frozen=True, slots=True)
class Expectations:
    """The content of one file; `native` are run by Great Expectations alone."""

    path: Path
    sha256: str
    expectations: tuple[Expectation, ...]
    native: tuple[NativeExpectation, ...]

    def of_plan(self, first_flow: str) -> tuple[Expectation, ...]:
        """The expectations; to name the flow that a plan stages is to name none."""
        return tuple(replace(e, flow="") if e.flow == first_flow else e for e in self.expectations)


def _known_metric(name: str) -> str:
    parts = name.split(".", 2)
    if parts[0] == "native" and len(parts) == 3 and all(parts):
        return name
    if name not in CATALOGUE:
        told = did_you_mean(name, CATALOGUE) or " Others are called native.<source>.<name>."
        raise ValueError(f"no such metric.{told}")
    return name


def _as_list(written: Any) -> Any:
    return [written] if isinstance(written, str) else written


Metric = Annotated[str, AfterValidator(_known_metric)]
Stages = Annotated[
    list[Annotated[str, Field(min_length=1)]], BeforeValidator(_as_list), Field(min_length=1)
]
Id = Annotated[str, AfterValidator(name_of(r"[a-z0-9]+([._-][a-z0-9]+)*", "a-z, 0-9 and . _ -"))]


class ExpectationForm(Form):
    """One expectation."""

    WHAT: ClassVar[str] = "an expectation"
    id: Id
    metric: Metric
    statistic: str = "value"
    stages: Stages
    op: Literal["<", "<=", ">", ">="]
    limit: float
    unit: str
    severity: Literal["critical", "warning", "info"]
    because: str = ""
    flow: str = ""


class NativeForm(Form):
    """One expectation of Great Expectations."""

    WHAT: ClassVar[str] = "a native expectation"
    id: Id
    expectation: Annotated[str, AfterValidator(name_of(r"expect_[a-z_]+", "expect_ and a-z_"))]
    metric: Metric
    stages: Stages
    arguments: dict[str, Any] = Field(default_factory=dict)
    severity: Literal["critical", "warning", "info"]
    because: str = ""


class ExpectationsForm(Form):
    """An expectations file."""

    WHAT: ClassVar[str] = "an expectations file"
    version: Literal[1]
    expectations: Annotated[list[ExpectationForm], Field(min_length=1)]
    native: list[NativeForm] = Field(default_factory=list)


def load_expectations(name_or_path: str | Path) -> Expectations:
    """The expectations of a path, or of a name in `include/expectations/`.

    Raises ConfigError when there is no such file, ConfigMistakes when it is wrong."""
    file, form = _read(name_or_path)
    return Expectations(
        file.path,
        file.sha256,
        tuple(_expectation(e) for e in form.expectations),
        tuple(_native(n) for n in form.native),
    )


def not_planned(path: Path, *, stages: Sequence[str], flows: Sequence[str]) -> list[Mistake]:
    """A mistake for each pattern that matches no planned stage, and each flow that is none of the
    plan's: it could only fail, and late.

    Raises like `load_expectations`."""
    file, form = _read(path)
    return [*_lost_stages(file, form, stages), *_lost_flows(file, form, flows)]


def _lost_flows(file: YamlFile, form: ExpectationsForm, planned: Sequence[str]) -> list[Mistake]:
    return [
        file.at_value(
            ("expectations", i, "flow"), f"the plan has no such flow.{_close(e.flow, planned)}"
        )
        for i, e in enumerate(form.expectations)
        if e.flow and e.flow not in planned
    ]


def _lost_stages(file: YamlFile, form: ExpectationsForm, planned: Sequence[str]) -> list[Mistake]:
    written: list[tuple[str, int, list[str]]] = [
        ("expectations", i, e.stages) for i, e in enumerate(form.expectations)
    ]
    written += [("native", i, n.stages) for i, n in enumerate(form.native)]
    return [
        file.at_value((kind, i, "stages", n), f"the plan has no such stage.{_close(name, planned)}")
        for kind, i, names in written
        for n, name in enumerate(names)
        if not any(fnmatchcase(stage, name) for stage in planned)
    ]


def _close(name: str, planned: Sequence[str]) -> str:
    return did_you_mean(name, planned) or f" It has: {', '.join(planned)}"


def _read(name_or_path: str | Path) -> tuple[YamlFile, ExpectationsForm]:
    file = read_yaml(find(str(name_or_path), kind="expectations"), what=_WHAT)
    form = read_form(file, ExpectationsForm, what=_WHAT)
    mistakes = [*_same_ids(file, form)]
    for i, written in enumerate(form.expectations):
        mistakes += _against_catalogue(file, i, written)
    if mistakes:
        raise in_order(_WHAT, mistakes)
    return file, form


def _same_ids(file: YamlFile, form: ExpectationsForm) -> list[Mistake]:
    places = [("expectations", i, e.id) for i, e in enumerate(form.expectations)]
    places += [("native", i, n.id) for i, n in enumerate(form.native)]
    seen: set[str] = set()
    mistakes = []
    for kind, i, name in places:
        if name in seen:
            mistakes.append(file.at_value((kind, i, "id"), f"another one is called {name}"))
        seen.add(name)
    return mistakes


def _against_catalogue(file: YamlFile, i: int, written: ExpectationForm) -> list[Mistake]:
    metric = CATALOGUE.get(written.metric)
    allowed = metric.statistics if metric else _OVER_TIME
    mistakes = []
    if written.statistic not in allowed:
        told = f"allowed for {written.metric}: {', '.join(allowed)}"
        if allowed == ("value",):
            told += " (it is already the figure of the whole stage)"
        mistakes.append(file.at_value(("expectations", i, "statistic"), told))
    if metric and written.unit != metric.unit:
        told = f"{written.metric} is measured in {metric.unit}"
        mistakes.append(file.at_value(("expectations", i, "unit"), told))
    if written.flow and (metric is None or metric.origin is not Origin.ENGINE):
        told = f"{written.metric} is of the whole target, not of one flow"
        mistakes.append(file.at_value(("expectations", i, "flow"), told))
    return mistakes


def _expectation(form: ExpectationForm) -> Expectation:
    return Expectation(
        id=form.id,
        metric=form.metric,
        statistic=form.statistic,
        stages=tuple(form.stages),
        op=form.op,
        limit=form.limit,
        unit=form.unit,
        severity=Severity(form.severity),
        because=form.because,
        flow=form.flow,
    )


def _native(form: NativeForm) -> NativeExpectation:
    return NativeExpectation(
        id=form.id,
        expectation=form.expectation,
        metric=form.metric,
        stages=tuple(form.stages),
        arguments=dict(form.arguments),
        severity=Severity(form.severity),
        because=form.because,
    )

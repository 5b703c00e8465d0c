"""What production said of itself while its clone was loaded, stage by stage."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from readiness.model.metrics import ON_PRODUCTION, PRODUCTION, of_production, unit_of
from readiness.report import numbers, words
from readiness.report.view import RunView


@dataclass(frozen=True, slots=True)
class ProductionRow:
    """One metric of production at one stage: its mean, and the least and the most of a second."""

    stage: str
    what: str
    mean: str
    least: str
    most: str


def production_rows(run: RunView) -> tuple[ProductionRow, ...]:
    """A row for each stage and metric; none where production was not watched. A metric is named as
    the plan may ask for it; the whole of each stage counts, its warm-up too."""
    return tuple(
        _row(run, result.stage.name, metric, values)
        for result in run.results
        for metric in ON_PRODUCTION
        if (values := list(_values(run, result.stage.name, of_production(metric))))
    )


def _values(run: RunView, stage: str, metric: str) -> Iterator[float]:
    wanted = (PRODUCTION, stage, metric)
    for sample in run.samples:
        if (sample.source, sample.stage, sample.metric) == wanted and math.isfinite(sample.value):
            yield sample.value


def _row(run: RunView, stage: str, metric: str, values: list[float]) -> ProductionRow:
    unit, mean = unit_of(metric), math.fsum(values) / len(values)
    told = [numbers.quantity(value, unit) for value in (mean, min(values), max(values))]
    return ProductionRow(run.label(stage), words.title(metric), *told)

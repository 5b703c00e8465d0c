"""How alike two vectors of metrics are: those of production, and those under a load at the same rate.

score = 1 - mean over the metrics of min(1, |measured - production| / production)

Each metric counts alike, and a figure that is twice production's or more is simply wrong. Where
production shows 0, only 0 is right.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from readiness.errors import AnalysisError
from readiness.model.fidelity import LEAST_METRICS, Compared, Likeness
from readiness.model.verdict import ValidityLimits, ValidityRule

FIDELITY = "fidelity"
WORKLOAD = "workload"


def likeness(production: Mapping[str, float], measured: Mapping[str, float]) -> Likeness:
    """The score of the metrics that both have, each on its own, and what production alone has.

    Raises AnalysisError where fewer than three can be compared."""
    compared = tuple(
        Compared(name, value, measured[name], _error(value, measured[name]))
        for name, value in production.items()
        if name in measured
    )
    missing = tuple(name for name in production if name not in measured)
    if len(compared) < LEAST_METRICS:
        told = f" Not measured here: {', '.join(missing)}." if missing else ""
        raise AnalysisError(
            f"{len(compared)} metrics can be compared with production's,"
            f" at least {LEAST_METRICS} are needed.{told}",
            hint="Add metrics of the server that this target gives, such as commits_per_s,"
            " statements_per_s, threads_running, connections.",
        )
    return Likeness(1 - statistics.fmean(c.error for c in compared), compared, missing)


def _error(production: float, measured: float) -> float:
    if not production:
        return float(measured != 0)
    return min(1.0, abs(measured - production) / abs(production))


def fidelity_rules(score: float | None, limits: ValidityLimits) -> list[ValidityRule]:
    """The rule of the whole run; none where the plan names no fidelity."""
    if score is None:
        return []
    least = limits.fidelity_min
    why = "likeness of the load to production's own figures at 1x"
    return [ValidityRule(FIDELITY, "", score, least, "ratio", score >= least, WORKLOAD, why)]

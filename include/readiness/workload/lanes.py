"""Which fresh variables number their values together, so that they never meet."""

from __future__ import annotations

from readiness.model.workload import Variable


def lane_key(variable: Variable) -> str:
    """Variables of one column and generator share it, and with it one permutation."""
    return f"{variable.column or variable.name} {variable.generator}"

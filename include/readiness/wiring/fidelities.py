"""The score of the file that a plan names by `fidelity`, for the way in which that plan loads."""

from __future__ import annotations

import hashlib
from pathlib import Path

from readiness.artifacts.fidelity_file import read_fidelity
from readiness.config.plan import Plan
from readiness.errors import ConfigError


def fidelity_score(plan: Plan, workload: Path) -> tuple[float | None, tuple[str, ...]]:
    """The score, None where the plan names no file; and a note where another workload was compared.

    Raises ConfigError where the plan's way was not tried, ArtifactError for a broken file."""
    if plan.fidelity is None:
        return None, ()
    found = read_fidelity(plan.fidelity)
    options = plan.options
    trial = found.of(pacing=options.pacing, connections=options.connections)
    if trial is None:
        raise ConfigError(
            f"{plan.fidelity} knows nothing of pacing {options.pacing:g} with connections"
            f" {options.connections}: it was not tried, or could not be believed.",
            hint="readiness calibrate --target … --workload … --like FILE --rate"
            f" {found.rate_per_s:g} --pacing {options.pacing or 'none'}"
            f" --connections {options.connections} -o {plan.fidelity.name}",
        )
    is_same = hashlib.sha256(workload.read_bytes()).hexdigest() == found.workload_sha256
    note = f"{plan.fidelity.name} was measured with another workload file than this run's"
    return trial.likeness.score, () if is_same else (note,)

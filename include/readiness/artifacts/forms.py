"""Run record, checks and verdict as JSON objects, and back: from_json(to_json(x)) == x."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from readiness.errors import ArtifactError
from readiness.model.load import Stage
from readiness.model.run import RunRecord
from readiness.model.verdict import Check, Outcome, Severity, ValidityRule, Verdict, VerdictWord


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turns a missing, surplus or mistyped key into an ArtifactError that names the file."""
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        raise ArtifactError(f"{path} is broken: {type(error).__name__} {error}.") from error


def run_to_json(record: RunRecord) -> dict[str, Any]:
    """The run record as plain JSON values."""
    return {**asdict(record), "stages": [asdict(stage) for stage in record.stages]}


def run_from_json(content: Mapping[str, Any]) -> RunRecord:
    """The inverse of `run_to_json`; raises KeyError or TypeError for other keys."""
    stages = tuple(Stage(**stage) for stage in content["stages"])
    return RunRecord(**{**content, "stages": stages, "notes": tuple(content["notes"])})


def check_to_json(check: Check) -> dict[str, Any]:
    """One check as plain JSON values; `interval` only where it has one."""
    content = {**asdict(check), "severity": str(check.severity), "outcome": str(check.outcome)}
    if check.interval is None:
        del content["interval"]
    return content


def check_from_json(content: Mapping[str, Any]) -> Check:
    """The inverse of `check_to_json`; raises KeyError, TypeError or ValueError."""
    severity, outcome = Severity(content["severity"]), Outcome(content["outcome"])
    bounds = content.get("interval")
    interval = None if bounds is None else tuple(bounds)
    return Check(**{**content, "severity": severity, "outcome": outcome, "interval": interval})


def verdict_to_json(verdict: Verdict) -> dict[str, Any]:
    """The verdict as plain JSON values, the answer first."""
    return {
        "verdict": str(verdict.verdict),
        "rate_held_per_s": verdict.rate_held_per_s,
        "peak_rate_per_s": verdict.peak_rate_per_s,
        "limited_by": verdict.limited_by,
        "checks": [check_to_json(check) for check in verdict.checks],
        "validity": [asdict(rule) for rule in verdict.validity],
        "reasons": list(verdict.reasons),
        "scope": verdict.scope,
        "expires_on": verdict.expires_on,
    }


def verdict_from_json(content: Mapping[str, Any]) -> Verdict:
    """The inverse of `verdict_to_json`; raises KeyError, TypeError or ValueError."""
    parts = {
        "verdict": VerdictWord(content["verdict"]),
        "checks": tuple(check_from_json(check) for check in content["checks"]),
        "validity": tuple(ValidityRule(**rule) for rule in content["validity"]),
        "reasons": tuple(content["reasons"]),
    }
    return Verdict(**{**content, **parts})

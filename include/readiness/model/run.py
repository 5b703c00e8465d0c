"""What a run is: its names, inputs and planned stages. Everything that is not a measurement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from readiness.model.load import Stage


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The content of `run.json`. Times are wall clock, seconds since the epoch; rates are checkouts
    per second; `stages` are the planned ones, run or not; `peak_rate_per_s` is 0 without a peak.

    `versions` (readiness, python, server), `hashes` (sha256 of plan, workload, expectations),
    `target` (engine, endpoint, clone, snapshot) and `workload` (the funnel) hold what the run knows.
    `capacity_per_s` is what a calibration measured, 0 without one; `fidelity_score` how alike
    production the plan's way to load is, None where the plan names no such file.
    `clock` pairs the wall clock with the monotonic one at the start: `wall_s`, `monotonic_s`."""

    run_id: str
    plan: str
    flow: str
    scope: str  # "demonstration" or "evidence"
    seed: int
    started_at: float
    ended_at: float
    normal_rate_per_s: float
    peak_rate_per_s: float
    stages: tuple[Stage, ...]
    expectations: str = ""
    target: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)
    workload: Mapping[str, int] = field(default_factory=dict)
    clock: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    airflow_run_id: str = ""
    capacity_per_s: float = 0.0
    fidelity_score: float | None = None

"""Checks, validity and the verdict of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from readiness.model.metrics import of_flow

INVARIANT = "native.invariant."  # what the metric of a check on the data begins with


class VerdictWord(StrEnum):
    """The word a run ends in."""

    READY = "READY"
    READY_WITH_RISK = "READY_WITH_RISK"
    NOT_READY = "NOT_READY"
    INVALID = "INVALID"
    ABORTED = "ABORTED"


EXIT_CODES = {
    VerdictWord.READY: 0,
    VerdictWord.READY_WITH_RISK: 0,
    VerdictWord.NOT_READY: 1,
    VerdictWord.INVALID: 4,
    VerdictWord.ABORTED: 5,
}


class Severity(StrEnum):
    """What a failed check costs: critical decides, warning makes a risk, info is told."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"


class Outcome(StrEnum):
    """How a check ended; missing numbers fail, an absent baseline is not evaluated."""

    PASSED = "passed"
    FAILED = "failed"
    MISSING = "missing"
    NOT_EVALUATED = "not_evaluated"


@dataclass(frozen=True, slots=True)
class Expectation:
    """One line of an expectations file. `stages` are fnmatch patterns over planned stages; `flow`
    is "" for the flow that is staged."""

    id: str
    metric: str
    statistic: str
    stages: tuple[str, ...]
    op: str
    limit: float | None  # None: relative to a baseline that does not exist yet
    unit: str
    severity: Severity
    because: str = ""
    flow: str = ""

    @property
    def figure(self) -> str:
        """What it looks at among the figures of a stage."""
        return of_flow(self.metric, self.flow)


@dataclass(frozen=True, slots=True)
class NativeExpectation:
    """Any expectation of Great Expectations by its snake-case name, over the samples (column
    `value`) of one metric in the stages that match; `arguments` are its own. Severity as above."""

    id: str
    expectation: str
    metric: str
    stages: tuple[str, ...]
    arguments: Mapping[str, object]
    severity: Severity
    because: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One expectation at one stage, with what was measured (None: nothing); `flow` is "" for the
    flow that is staged."""

    expectation: str
    stage: str
    metric: str
    statistic: str
    op: str
    limit: float | None
    unit: str
    severity: Severity
    outcome: Outcome
    value: float | None
    count: int = 0  # samples or operations behind the value
    why: str = ""
    because: str = ""
    flow: str = ""
    interval: tuple[float, float] | None = None

    @property
    def is_invariant(self) -> bool:
        """Whether it is about the data that a run leaves, not about how it went."""
        return self.metric.startswith(INVARIANT)

    @property
    def is_close(self) -> bool:
        """Whether the limit lies where the value may lie: another run may well end otherwise."""
        if self.interval is None or self.limit is None:
            return False
        return self.interval[0] <= self.limit <= self.interval[1]

    @property
    def what(self) -> str:
        """The metric, and of which flow: "commit_p99_ms of repayment"."""
        return f"{self.metric} of {self.flow}" if self.flow else self.metric


@dataclass(frozen=True, slots=True)
class Figure:
    """One metric of one stage: its value in each measured second, or the one value of the whole
    stage where the metric comes from a histogram. `count` is the samples or operations behind it;
    an empty `series` says in `why` what is missing. A percentile has the `interval` in which it lies
    with 95 %."""

    series: tuple[float, ...]
    count: int
    why: str = ""
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class ValidityRule:
    """One reason to believe, or not to: `culprit` is "host", "generator", "metrics", "workload"."""

    name: str
    stage: str
    value: float | None
    limit: float
    unit: str
    holds: bool
    culprit: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer; rates are checkouts per second. `rate_held_per_s` is the highest stage rate of
    which every critical check passed, with all stages below it passing too (0: none)."""

    verdict: VerdictWord
    rate_held_per_s: float
    peak_rate_per_s: float
    limited_by: str
    checks: tuple[Check, ...]
    validity: tuple[ValidityRule, ...]
    reasons: tuple[str, ...]
    scope: str  # "demonstration" or "evidence"
    expires_on: str  # ISO date, "" when the verdict is no evidence


@dataclass(frozen=True, slots=True)
class AbortRule:
    """Stops the load when `metric` stands `op` `limit` for `for_s` seconds on end."""

    metric: str
    op: str
    limit: float
    for_s: float

    @property
    def text(self) -> str:
        """The rule in words: `error_ratio > 0.05 for 10 s`."""
        return f"{self.metric} {self.op} {self.limit:g} for {self.for_s:g} s"


@dataclass(frozen=True, slots=True)
class ValidityLimits:
    """Up to where a run is believed: `_ms` in milliseconds, `_ratio` as shares from 0 to 1."""

    schedule_lag_p99_ms: float = 50.0
    generator_cpu_ratio: float = 0.8
    run_queue_delay_ratio: float = 0.2
    missing_samples_ratio: float = 0.1
    foreign_cpu_ratio: float = 0.25  # CPU of processes that are not ours, of all cores
    steal_ratio: float = 0.05  # CPU the hypervisor gave to others
    fidelity_min: float = 0.0  # the least likeness to production, of the whole run
    fsync_probe_ms: float = 50.0  # median of a few, before the stage, the target idle

"""Checks and validity rules as sentences: what, at which stage, how much of which limit, and why.

Failed checks come first, the costliest of them at the top.
"""

from __future__ import annotations

from dataclasses import dataclass

from readiness.model.verdict import Check, Outcome, Severity, ValidityRule
from readiness.report.numbers import NOTHING, quantity
from readiness.report.view import RunView
from readiness.report.words import OPS, title

BAD = (Outcome.FAILED, Outcome.MISSING)
_ORDER = {Severity.CRITICAL: 0, Severity.WARNING: 1, Severity.INFO: 2}


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One check in words. `what` is "commit p99 at 5x", `measured` and `limit` carry their units,
    `times` is " (1.9 times)" where that helps, `why` says what is missing."""

    expectation: str
    stage: str
    severity: str
    outcome: Outcome
    what: str
    measured: str
    limit: str
    times: str
    why: str
    because: str
    bounds: str = ""  # of a percentile: "91.2 to 97.5 ms"
    is_close: bool = False
    is_invariant: bool = False

    @property
    def is_bad(self) -> bool:
        """Whether it counts as failed."""
        return self.outcome in BAD

    @property
    def sentence(self) -> str:
        """ "commit p99 at 5x: 94.1 ms, limit 50 ms (1.9 times)"; with its bounds where it is close."""
        if self.is_invariant:
            return f"{self.expectation}: {self.why}"
        bounds = f" (with 95 %: {self.bounds})" if self.is_close else ""
        return f"{self.what}: {self.measured}{bounds}, {self.limit}{self.times}"


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One validity rule in words."""

    name: str
    stage: str
    measured: str
    limit: str
    holds: bool
    culprit: str
    why: str


def check_lines(view: RunView) -> tuple[CheckLine, ...]:
    """All checks, the failed ones first, in the order of what they cost."""
    checks = sorted(view.verdict.checks, key=_rank)
    return tuple(check_line(c, view.short(c.stage)) for c in checks)


def rule_lines(view: RunView) -> tuple[RuleLine, ...]:
    """All validity rules, the broken ones first; equal rules of healthy stages stay apart."""
    rules = sorted(view.verdict.validity, key=lambda r: r.holds)
    return tuple(_rule_line(view, r) for r in rules)


def _rank(check: Check) -> tuple[bool, bool, int]:
    is_open = check.outcome is Outcome.NOT_EVALUATED
    return (check.outcome not in BAD, not is_open, _ORDER[check.severity])


def title_of(check: Check) -> str:
    """What a check looks at: "commit p99", or "commit p99 of repayment" for a flow beside the first."""
    if check.is_invariant:
        return check.expectation
    name = title(check.metric, check.statistic)
    return f"{name} of {check.flow}" if check.flow else name


def check_line(check: Check, stage: str = "") -> CheckLine:
    """One check in words; `stage` is how its stage is called in half a sentence."""
    return CheckLine(
        expectation=check.expectation,
        stage=check.stage,
        severity=check.severity.value,
        outcome=check.outcome,
        what=f"{title_of(check)} at {stage or check.stage}",
        measured=_measured(check),
        limit=_limit(check),
        times=_times(check),
        why=check.why,
        because=check.because,
        bounds=_bounds(check),
        is_invariant=check.is_invariant,
        is_close=check.is_close and check.outcome in (Outcome.PASSED, Outcome.FAILED),
    )


def _bounds(check: Check) -> str:
    if check.interval is None or check.outcome is Outcome.MISSING:
        return ""
    low, high = (quantity(bound, shown_unit(check)) for bound in check.interval)
    return f"{low} to {high}"


def _measured(check: Check) -> str:
    if check.outcome is Outcome.NOT_EVALUATED:
        return "not evaluated"
    shown = quantity(check.value, shown_unit(check))
    if check.outcome is Outcome.MISSING:
        return "not measured" if shown == NOTHING else f"{shown}, not usable"
    return shown


def _limit(check: Check) -> str:
    if check.limit is None:
        return "no baseline yet"
    limit = quantity(check.limit, shown_unit(check), as_set=True)
    if check.op in ("<=", "<"):
        return f"limit {limit}"
    return f"at least {limit}" if check.op in (">=", ">") else f"{OPS.get(check.op, '')} {limit}"


def shown_unit(check: Check) -> str:
    """No unit where the name says it: "active sessions: 38.0", not "38.0 sessions"."""
    return "" if check.unit and check.unit in title(check.metric) else check.unit


def _times(check: Check) -> str:
    if check.outcome is not Outcome.FAILED or not check.limit or check.value is None:
        return ""
    times = check.value / check.limit
    return f" ({times:,.1f} times)" if check.op in ("<=", "<") and times >= 1.05 else ""


def _rule_line(view: RunView, rule: ValidityRule) -> RuleLine:
    return RuleLine(
        name=title(rule.name),
        stage=view.short(rule.stage) if rule.stage else "whole run",
        measured=quantity(rule.value, rule.unit),
        limit=quantity(rule.limit, rule.unit, as_set=True),
        holds=rule.holds,
        culprit=rule.culprit,
        why=rule.why,
    )

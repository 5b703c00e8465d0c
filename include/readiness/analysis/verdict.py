"""The verdict of a run, what limits it, and the reasons in sentences.

What outranks what, and why:
0. A broken invariant: NOT_READY, and no rate is held. Rows that are lost or written twice are so
   whatever the load, the host or a stop was like.
1. A signal or a failure that stopped the load: ABORTED. There is nothing to believe or doubt.
2. An abort rule: ABORTED, when its cause lies in the server. On a host that server and generator
   share, an overloaded server starves the generator: lag and run-queue delay rise. That contention
   is our own server's, hence the overload we measure, and it does not make the abort invalid. It is
   INVALID when the host shows contention by others (foreign CPU, steal, a slow idle flush), when
   the generator itself ran out of CPU, or when the rule was about the generator.
3. Host contention at a stage that matters, or a load that is too little like production: INVALID,
   never NOT_READY for their sake.
4. A critical check that failed and can be believed: NOT_READY. Can be believed means: no doubt at
   that stage, or one that cannot explain the failure. Missing samples do not explain what the
   engine measured. Lag does not, when the generator had CPU to spare and the figure is the server's
   own, a count of errors or shortfall, or a latency that stays over its limit after the whole
   schedule lag is taken off.
5. Any other doubt (generator, missing samples) and any critical number that is missing: INVALID. It
   outranks a pass.
6. No stage at or above the peak passed its critical checks: NOT_READY, the peak is not shown.
7. Warnings, checks not evaluated, or no peak to compare with: READY_WITH_RISK. Otherwise READY.

The stages that matter are those up to the lowest planned rate that reaches the peak; without a peak,
all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from readiness.analysis import validity as rules
from readiness.analysis.abort import aborting_metric
from readiness.analysis.fidelity import FIDELITY, WORKLOAD
from readiness.model.load import Stage, StageResult
from readiness.model.metrics import CATALOGUE, Origin
from readiness.model.verdict import (
    Check,
    Outcome,
    Severity,
    ValidityRule,
    Verdict,
    VerdictWord,
)

_GENERATORS_OWN = {
    "generator_cpu_ratio",
    "run_queue_delay_ratio",
    "schedule_lag_p50_ms",
    "schedule_lag_p99_ms",
    "timer_floor_p99_ms",
}
_COUNTED = {"achieved_ratio", "error_ratio", "dropped_per_s", "expired_per_s", "in_flight"}
_NOT_EVIDENCE = {VerdictWord.INVALID, VerdictWord.ABORTED}


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that a verdict rests on. `stages` are the planned ones; `peak_rate_per_s` 0 is no peak."""

    stages: tuple[Stage, ...]
    results: tuple[StageResult, ...]
    checks: tuple[Check, ...]
    validity: tuple[ValidityRule, ...]
    peak_rate_per_s: float
    scope: str
    run_date: date
    evidence_valid_days: int


@dataclass(frozen=True, slots=True)
class _Answer:
    word: VerdictWord
    limited_by: str
    reasons: tuple[str, ...]


def decide(evidence: Evidence) -> Verdict:
    """The verdict; pure, so a run folder can be judged again."""
    case = _Case(evidence)
    answer = _answer(case)
    return Verdict(
        verdict=answer.word,
        rate_held_per_s=case.rate_held_per_s(),
        peak_rate_per_s=evidence.peak_rate_per_s,
        limited_by=answer.limited_by,
        checks=evidence.checks,
        validity=evidence.validity,
        reasons=answer.reasons,
        scope=evidence.scope,
        expires_on=_expires_on(evidence, answer.word),
    )


def _answer(case: _Case) -> _Answer:
    stopped = case.stopped()
    if case.broken_data:
        also = [f"The load was stopped: {stopped.aborted_by}."] if stopped else []
        reasons = (*map(_said, case.broken_data), *also, *map(_doubted, case.doubts))
        return _Answer(VerdictWord.NOT_READY, _place(case.broken_data[0]), reasons)
    if stopped is not None:
        return _of_stopped(case, stopped)
    not_the_load = [rule for rule in case.doubts if rule.culprit in (rules.HOST, WORKLOAD)]
    if not_the_load:
        return _invalid(not_the_load)
    failed = case.believed_failures()
    if failed:
        reasons = (*map(_said, failed), *map(_doubted, case.doubts))
        return _Answer(VerdictWord.NOT_READY, _place(failed[0]), reasons)
    missing = case.critical(Outcome.MISSING)
    if case.doubts or missing:
        return _invalid(case.doubts, missing)
    return _of_believed(case)


def _of_stopped(case: _Case, result: StageResult) -> _Answer:
    stage, metric = result.stage.name, aborting_metric(result.aborted_by)
    limited_by = f"{result.aborted_by} at {stage}"
    reason = f"The load was stopped at {stage}: {result.aborted_by}."
    failed = [check for check in case.critical(Outcome.FAILED) if check.stage == stage]
    if metric:
        against = [r for r in case.broken if r.stage == stage and _spoils_abort(r)]
        if against or metric in _GENERATORS_OWN:
            invalid = _invalid(against)
            place = invalid.limited_by or limited_by
            return _Answer(VerdictWord.INVALID, place, (reason, *invalid.reasons))
        # The rule says when it stopped, a failed expectation what was promised and not kept.
        limited_by = "; ".join([limited_by, *map(_place, failed)])
    return _Answer(VerdictWord.ABORTED, limited_by, (reason, *map(_said, failed)))


def _spoils_abort(rule: ValidityRule) -> bool:
    return rule.culprit == rules.HOST or rule.name == rules.GENERATOR_CPU


def _of_believed(case: _Case) -> _Answer:
    """No doubt, no critical failure: is the peak shown, and without a risk?"""
    peak = case.evidence.peak_rate_per_s
    held = case.rate_held_per_s()
    if peak and held < peak:
        reason = f"No stage at or above the peak of {peak:.3g}/s passed critical checks."
        return _Answer(VerdictWord.NOT_READY, "the peak was not shown", (reason,))
    risks = [_said(check) for check in case.risks()]
    if not peak:
        risks.insert(0, "The plan names no peak, so nothing says whether the rate held is enough.")
    if not held:
        risks.append("No critical check was passed, so no rate is shown to hold.")
    if risks:
        worst = next((_place(check) for check in case.risks()), "")
        return _Answer(VerdictWord.READY_WITH_RISK, worst, tuple(risks))
    return _Answer(VerdictWord.READY, "", tuple(map(_said, case.close_calls())))


def _invalid(doubts: Iterable[ValidityRule], missing: Iterable[Check] = ()) -> _Answer:
    places = [f"{_where(rule)} ({rule.culprit})" for rule in doubts]
    places += [_place(check) for check in missing]
    reasons = (*map(_doubted, doubts), *map(_said, missing))
    return _Answer(VerdictWord.INVALID, places[0] if places else "", reasons)


def _place(check: Check) -> str:
    return f"{check.expectation} at {check.stage}"


def _said(check: Check) -> str:
    if check.is_invariant:
        return f"{check.expectation}: {check.why}."
    if check.outcome in {Outcome.MISSING, Outcome.NOT_EVALUATED}:
        return f"{check.what} at {check.stage}: {check.why}."
    because = f" ({check.because})" if check.because else ""
    if check.is_close:
        because += ", close: the limit lies within the interval"
    return (
        f"{check.what} at {check.stage} is {check.value:.3g} {check.unit},"
        f" wanted {check.op} {check.limit:g}{because}."
    )


def _doubted(rule: ValidityRule) -> str:
    value = "missing" if rule.value is None else f"{rule.value:.3g} {rule.unit}"
    bound = "from" if rule.name == FIDELITY else "up to"
    return f"{_where(rule)} is {value}, believed {bound} {rule.limit:g} ({rule.why}): the {rule.culprit}."


def _where(rule: ValidityRule) -> str:
    return f"{rule.name} at {rule.stage}" if rule.stage else rule.name


def _expires_on(evidence: Evidence, word: VerdictWord) -> str:
    if evidence.scope != "evidence" or word in _NOT_EVIDENCE:
        return ""
    return (evidence.run_date + timedelta(days=evidence.evidence_valid_days)).isoformat()


class _Case:
    """The evidence, sorted by what matters."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.rates = {stage.name: stage.rate_per_s for stage in evidence.stages}
        # A person may have turned it down: what was held all the time counts.
        self.rates |= {r.stage.name: r.lowest_rate_per_s for r in evidence.results if r.rates}
        self.broken = [rule for rule in evidence.validity if not rule.holds]
        self.doubts = [rule for rule in self.broken if self._matters(rule.stage)]

        self.broken_data = [
            c for c in evidence.checks if c.is_invariant and c.outcome is Outcome.FAILED
        ]

    def stopped(self) -> StageResult | None:
        """The stage at which the load was stopped, if any."""
        return next((r for r in self.evidence.results if r.aborted_by), None)

    def critical(self, outcome: Outcome) -> list[Check]:
        """Critical checks of stages that matter that ended so, lowest rate first."""
        found = [
            check
            for check in self.evidence.checks
            if check.severity is Severity.CRITICAL
            and check.outcome is outcome
            and (check.is_invariant or self._matters(check.stage))
        ]
        return sorted(found, key=lambda check: self.rates.get(check.stage, 0.0))

    def believed_failures(self) -> list[Check]:
        """Critical failures that no doubt about the generator or the samples explains away."""
        return [check for check in self.critical(Outcome.FAILED) if self._is_believed(check)]

    def close_calls(self) -> list[Check]:
        """Critical checks that passed with the limit inside the interval of their percentile."""
        return [check for check in self.critical(Outcome.PASSED) if check.is_close]

    def risks(self) -> list[Check]:
        """What is no critical failure and still a risk: failed or missing warnings, and checks of
        either severity that have no limit yet."""
        bad = {Outcome.FAILED, Outcome.MISSING}
        return [
            check
            for check in self.evidence.checks
            if self._matters(check.stage)
            and (
                (check.severity is Severity.WARNING and check.outcome in bad)
                or (check.severity is not Severity.INFO and check.outcome is Outcome.NOT_EVALUATED)
            )
        ]

    def rate_held_per_s(self) -> float:
        """The highest rate whose stages ran to the end, were believed and passed at least one
        critical check and failed none, with every lower rate doing no worse; 0 when none is."""
        held = 0.0
        if self.broken_data:
            return held
        for rate in sorted(set(self.rates.values())):
            names = [name for name, r in self.rates.items() if r == rate]
            if not all(self._is_clean(name) for name in names):
                return held
            if all(self._has_critical_pass(name) for name in names):
                held = rate
        return held

    def _matters(self, stage: str) -> bool:
        """A stage that is not planned is a pattern that matched nothing: it always matters."""
        peak = self.evidence.peak_rate_per_s
        proving = [rate for rate in self.rates.values() if rate >= peak]
        if not peak or not proving or stage not in self.rates:
            return True
        return self.rates[stage] <= min(proving)

    def _is_believed(self, check: Check) -> bool:
        metric = CATALOGUE.get(check.metric)
        is_engines = metric is not None and metric.origin is Origin.ENGINE
        doubts = {
            rule.name
            for rule in self.doubts
            if rule.stage == check.stage and not (is_engines and rule.culprit == rules.METRICS)
        }
        if not doubts <= {rules.LAG, rules.RUN_QUEUE}:
            return False
        is_servers = metric is not None and metric.origin is Origin.SERVER
        if not doubts or is_servers or check.metric in _COUNTED:
            return True
        return self._exceeds_by_more_than_lag(check)

    def _exceeds_by_more_than_lag(self, check: Check) -> bool:
        if check.unit != "ms" or check.value is None or check.limit is None:
            return False
        if check.metric in _GENERATORS_OWN or check.op not in {"<", "<="}:
            return False
        lags = [
            rule.value or 0.0
            for rule in self.evidence.validity
            if rule.stage == check.stage and rule.name == rules.LAG
        ]
        return check.value - max(lags, default=0.0) > check.limit

    def _is_clean(self, stage: str) -> bool:
        ended = {r.stage.name for r in self.evidence.results if not r.aborted_by}
        bad = {Outcome.FAILED, Outcome.MISSING}
        return (
            stage in ended
            and all(rule.stage not in (stage, "") for rule in self.broken)
            and not any(c.outcome in bad for c in self._criticals_of(stage))
        )

    def _has_critical_pass(self, stage: str) -> bool:
        return any(c.outcome is Outcome.PASSED for c in self._criticals_of(stage))

    def _criticals_of(self, stage: str) -> list[Check]:
        return [
            check
            for check in self.evidence.checks
            if check.stage == stage
            and check.severity is Severity.CRITICAL
            and not check.is_invariant
        ]

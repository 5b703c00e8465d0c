"""The answer in words: what rate is held, why not more, what to do next.

One sentence each; cause, figure, limit, and what is not the cause.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from readiness.model.metrics import CATALOGUE, Origin
from readiness.model.verdict import Check, Outcome, Severity, VerdictWord
from readiness.report.judged import (
    BAD,
    CheckLine,
    RuleLine,
    check_line,
    shown_unit,
    title_of,
)
from readiness.report.measured import measure
from readiness.report.numbers import day, quantity, rate, share
from readiness.report.view import RunView
from readiness.report.words import cause_words, is_plural

Answer = tuple[str, str]
_CULPRITS = {
    "host": "The host was busy with other work",
    "generator": "The load generator was not on time",
    "metrics": "The database was not watched all the time",
    "workload": "The load was not like production",
}


def headline(run: RunView) -> str:
    """ "checkout holds 36/s (3x), 60 % of the forecast peak of 60/s (5x)"."""
    flow, held = run.record.flow, run.verdict.rate_held_per_s
    peak = run.verdict.peak_rate_per_s
    if run.verdict.verdict is VerdictWord.INVALID:
        return f"{flow}: no answer, this run cannot be believed"
    named = named_rate(run, peak)
    if held <= 0:
        tail = f"the forecast peak is {named}" if peak > 0 else "the plan names no peak"
        return f"{flow} holds none of the rates that ran; {tail}"
    said = f"{flow} holds {named_rate(run, held)}"
    if peak <= 0:
        return f"{said}; the plan names no peak"
    if math.isclose(held, peak):
        return f"{said}, the forecast peak of {rate(peak)}"
    if held > peak:
        return f"{said}, above the forecast peak of {named}"
    return f"{said}, {share(held / peak)} of the forecast peak of {named}"


def named_rate(run: RunView, rate_per_s: float) -> str:
    """ "60/s (5x)", or "60/s"."""
    times = run.multiplier(rate_per_s)
    return f"{rate(rate_per_s)} ({times})" if times else rate(rate_per_s)


def reason(run: RunView, checks: Sequence[CheckLine], rules: Sequence[RuleLine]) -> Answer:
    """The sentence under the verdict, and the figure in it to stress ("" for none)."""
    word = run.verdict.verdict
    if word is VerdictWord.INVALID:
        return _invalid(run, rules)
    if word is VerdictWord.ABORTED:
        return _aborted(run)
    if word is VerdictWord.NOT_READY:
        return _limited(run)
    if word is VerdictWord.READY_WITH_RISK:
        return _risk(run, checks)
    return closest(run)


def _invalid(run: RunView, rules: Sequence[RuleLine]) -> Answer:
    broken = [r for r in rules if not r.holds]
    if not broken:
        return _first_reason(run, "It measured something other than the database."), ""
    rule = broken[0]
    said = _CULPRITS.get(rule.culprit, "The run does not allow an answer")
    more = f" {len(broken) - 1} more rules broke." if len(broken) > 1 else ""
    more = more.replace("1 more rules", "1 more rule")
    at = f" at {rule.stage}" if rule.stage != "whole run" else ""
    return f"{said}: {rule.name}{at} was {rule.measured}, limit {rule.limit}.{more}", rule.measured


def _aborted(run: RunView) -> Answer:
    stopped = next((r for r in run.results if r.aborted_by), None)
    if stopped is None:
        return _first_reason(run, "The load was stopped before it was done."), ""
    cause = cause_words(stopped.aborted_by)
    at = f"{run.short(stopped.stage.name)} ({rate(stopped.stage.rate_per_s)})"
    failed = [_broken_promise(c) for c in run.verdict.checks if _decided(c, stopped.stage.name)]
    also = f" Failed there: {'; '.join(failed)}." if failed else ""
    return f"The load was stopped at {at}: {cause}.{also}", cause


def _decided(check: Check, stage: str) -> bool:
    is_critical = check.severity is Severity.CRITICAL
    return is_critical and check.outcome is Outcome.FAILED and check.stage == stage


def _broken_promise(check: Check) -> str:
    """ "errors 30 %, limit 5 % (error-ratio)"."""
    line = check_line(check)
    return f"{title_of(check)} {line.measured}, {line.limit} ({check.expectation})"


def _limited(run: RunView) -> Answer:
    check = first_failed(run)
    if check is None:
        return _first_reason(run, run.verdict.limited_by or "No stage reached the peak."), ""
    if check.is_invariant and check.outcome is Outcome.FAILED:
        return (
            f"The data is not what the load made of it: {check.expectation}: {check.why}.",
            check.why,
        )
    name, at = title_of(check), _at(run, check.stage)
    many = is_plural(name)
    start = f"{name[:1].upper()}{name[1:]}"
    if check.outcome is Outcome.MISSING:
        verb, it_was = ("are", "they were") if many else ("is", "it was")
        return f"{start} {verb} missing: at {at} {it_was} not measured.", ""
    value = quantity(check.value, shown_unit(check))
    limit = quantity(check.limit, shown_unit(check), as_set=True)
    bound = "a limit of" if check.op in ("<=", "<") else "at least"
    verb, it_was = ("limit it", "they were") if many else ("limits it", "it was")
    text = f"{start} {verb}: at {at} {it_was} {value} against {bound} {limit}"
    return f"{text}{_not_the_cpu(run, check.stage)}.", value


def _not_the_cpu(run: RunView, stage: str) -> str:
    result = run.result(stage)
    busy = measure(result, run.samples).means.get("host_cpu_ratio") if result else None
    if busy is None:
        return ""
    return f", with host CPU at {'only ' if busy < 0.5 else ''}{share(busy)}"


def _at(run: RunView, stage: str) -> str:
    planned = next((s for s in run.stages if s.name == stage), None)
    if planned is None:
        return run.short(stage)
    if math.isclose(planned.rate_per_s, run.verdict.peak_rate_per_s):
        return f"the forecast peak of {rate(planned.rate_per_s).removesuffix('/s')} checkouts/s"
    return f"{run.short(stage)} ({rate(planned.rate_per_s)})"


def first_failed(run: RunView) -> Check | None:
    """The check that the verdict names; without one, the critical one that failed at the lowest
    rate: what gave first."""
    named = [
        c for c in run.verdict.checks if f"{c.expectation} at {c.stage}" == run.verdict.limited_by
    ]
    rates = {s.name: s.rate_per_s for s in run.stages}
    bad = [c for c in run.verdict.checks if c.severity is Severity.CRITICAL and c.outcome in BAD]
    return next(iter(named), None) or min(
        bad, key=lambda c: rates.get(c.stage, math.inf), default=None
    )


def _risk(run: RunView, checks: Sequence[CheckLine]) -> Answer:
    warned = next((c for c in checks if c.is_bad), None)
    if warned:
        said = f"{warned.what} is {warned.measured}, {warned.limit}{warned.times}"
        return f"It holds, with a risk: {said}.", warned.measured
    waiting = next((c for c in checks if c.outcome is Outcome.NOT_EVALUATED), None)
    if waiting:
        return f"It holds, but {waiting.what} was not evaluated: {waiting.limit}.", ""
    return _first_reason(run, "It holds, with a risk."), ""


def closest(run: RunView) -> Answer:
    """For a run without a failure: the database figure that came closest to its limit."""
    upper = [
        c
        for c in run.verdict.checks
        if c.outcome is Outcome.PASSED and c.op in ("<=", "<") and c.limit and _is_of_database(c)
    ]
    is_clean = not any(c.outcome in BAD for c in run.verdict.checks)
    start = "Nothing reached its limit." if is_clean else "No limit that decides was reached."
    if not upper:
        return start, ""
    near = max(upper, key=lambda c: (c.value or 0.0) / (c.limit or 1.0))
    value = quantity(near.value, shown_unit(near))
    limit = quantity(near.limit, shown_unit(near), as_set=True)
    what = f"{title_of(near)} at {run.short(near.stage)}"
    return f"{start} Closest: {what}, {value} of {limit}.", value


def _is_of_database(check: Check) -> bool:
    metric = CATALOGUE.get(check.metric)
    if metric is None or metric.origin is not Origin.ENGINE:
        return True
    return not check.metric.startswith(("schedule_lag", "generator", "run_queue", "timer_floor"))


def _first_reason(run: RunView, otherwise: str) -> str:
    text = (run.verdict.reasons or (otherwise,))[0].strip()
    sentence = f"{text[:1].upper()}{text[1:]}"
    return sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."


def next_step(run: RunView, costliest: str = "", worst_error: str = "") -> str:
    """What to do now, in one sentence or two; never a promise.

    `costliest` names a statement, `worst_error` the most frequent error; "" for none."""
    word = run.verdict.verdict
    if word is VerdictWord.INVALID:
        return _repair(run)
    if word is VerdictWord.ABORTED:
        again = "When the cause is gone, run the same plan again with the same seed."
        return f"{again}{_look(costliest, worst_error)}"
    if word is VerdictWord.NOT_READY:
        again = "Change one thing, then run the same plan again with the same seed."
        check = first_failed(run)
        is_about_errors = check is not None and check.metric == "error_ratio"
        return f"{again}{_look(costliest, worst_error if is_about_errors else '')}"
    if run.verdict.scope == "demonstration":
        return "Try it on a clone of your own database: the README has the steps."
    start = "Nothing to do now."
    if word is VerdictWord.READY_WITH_RISK:
        start = "Decide before the peak whether the risk is worth a change."
    until = run.verdict.expires_on
    return f"{start} The answer stands until {day(until)}." if until else start


def _look(costliest: str, worst_error: str) -> str:
    if worst_error:
        return f" Most errors: {worst_error}; see Errors."
    return f" Most statement time went into {costliest}: see Statements." if costliest else ""


def _repair(run: RunView) -> str:
    culprits = {r.culprit for r in run.verdict.validity if not r.holds}
    if "host" in culprits:
        return "Run it again when nothing else works on this host."
    if "generator" in culprits:
        return "Give the load generator more workers or cores of its own, and run it again."
    if "workload" in culprits:
        return "Make the load more like production: readiness calibrate --like FILE --rate N."
    return "Mend what the broken rules name, and run it again."

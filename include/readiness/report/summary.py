"""`summarize(run)`: the answer of a run in sentences and rows. Pure, and free of NaN.

Page, terminal and messages all say what stands here, so they never differ.
"""

from __future__ import annotations

from dataclasses import dataclass

from readiness.analysis.figures import latency_ms
from readiness.analysis.recovery import recoveries
from readiness.model.histogram import Histogram
from readiness.model.load import Stage
from readiness.model.verdict import Outcome, Severity, VerdictWord
from readiness.report.answer import headline, next_step, reason
from readiness.report.companions import CompanionRow, companion_rows
from readiness.report.gaps import not_measured
from readiness.report.judged import BAD, CheckLine, RuleLine, check_lines, rule_lines
from readiness.report.measured import Measured, measure
from readiness.report.production import ProductionRow, production_rows
from readiness.report.tuned import TunedRow, tuned_rows
from readiness.report.view import RunView
from readiness.report.words import error_words, lineage_words

_WAITS = {"aas_commit": "commit", "aas_lock": "row lock", "aas_io": "data read", "aas_cpu": "CPU"}
_TOP_STATEMENTS = 10
_TOP_ERRORS = 10


@dataclass(frozen=True, slots=True)
class StageRow:
    """One planned stage. `outcome` is passed, risk, failed, stopped, invalid, unchecked or not run.

    `main_wait` is ("commit", 0.85): what active sessions did most, and its share of them."""

    name: str
    label: str
    offered_per_s: float
    outcome: str
    figures: Measured
    main_wait: tuple[str, float] | None = None

    @property
    def has_run(self) -> bool:
        """Whether there is anything to show."""
        return self.outcome != "not run"


@dataclass(frozen=True, slots=True)
class StatementRow:
    """One statement of the flow at one stage: ids and figures, no SQL. `share` is its part of all
    statement time."""

    statement_id: str
    kind: str
    count: int
    total_ms: float
    share: float
    mean_ms: float
    p99_ms: float
    errors: int

    @property
    def words(self) -> str:
        """ "s012 (commit)"."""
        return f"{self.statement_id} ({self.kind})" if self.kind else self.statement_id


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """How often one error came at one stage. `where` is a statement id, "connect" or "lost"."""

    stage: str
    where: str
    words: str
    count: int


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything that is said of a run. `figure` is the part of `sentence` to stress."""

    word: VerdictWord
    run_id: str
    plan: str
    flow: str
    folder: str
    scope: str
    headline: str
    sentence: str
    figure: str
    next_step: str
    held_per_s: float
    peak_per_s: float
    held_label: str
    peak_label: str
    stages: tuple[StageRow, ...]
    tuned: tuple[TunedRow, ...]
    recoveries: tuple[str, ...]  # "recover: back to normal 14 s after spike (p99 at most 52 ms)"
    invariants: tuple[str, ...]  # "orders written: 191 of 191"
    companions: tuple[CompanionRow, ...]
    checks: tuple[CheckLine, ...]
    rules: tuple[RuleLine, ...]
    not_measured: tuple[str, ...]
    statements: tuple[StatementRow, ...]
    statements_stage: str
    errors: tuple[ErrorRow, ...]
    lineage: tuple[tuple[str, str], ...]
    production: tuple[ProductionRow, ...]
    funnel: tuple[tuple[str, int], ...]
    rerun: tuple[str, ...]

    @property
    def failed(self) -> tuple[CheckLine, ...]:
        """Failed and missing checks, the costliest first."""
        return tuple(c for c in self.checks if c.is_bad)

    @property
    def failed_words(self) -> str:
        """ "4 of 8 failed, 3 of them not measured"; for a run with failed checks."""
        missing = sum(c.outcome is Outcome.MISSING for c in self.failed)
        said = f"{len(self.failed)} of {len(self.checks)} failed"
        if not missing:
            return said
        return f"{said}, {'all' if missing == len(self.failed) else missing} of them not measured"

    @property
    def open(self) -> tuple[CheckLine, ...]:
        """Checks that wait for a baseline."""
        return tuple(c for c in self.checks if c.outcome is Outcome.NOT_EVALUATED)

    @property
    def passed(self) -> tuple[CheckLine, ...]:
        """Checks that passed."""
        return tuple(c for c in self.checks if c.outcome is Outcome.PASSED)

    @property
    def broken_rules(self) -> tuple[RuleLine, ...]:
        """Validity rules that do not hold."""
        return tuple(r for r in self.rules if not r.holds)

    @property
    def belief(self) -> str:
        """Whether the run can be believed: "yes", "no", "mostly" (a rule broke where it does not
        change the answer) or "unknown"."""
        if self.word is VerdictWord.INVALID:
            return "no"
        if not self.rules:
            return "unknown"
        return "mostly" if self.broken_rules else "yes"

    @property
    def is_demonstration(self) -> bool:
        """Whether the run is no evidence about any real database."""
        return self.scope == "demonstration"


def summarize(run: RunView) -> Summary:
    """The answer of a run; works for every verdict, with or without stages, peak or samples."""
    rows = tuple(stage_row(run, s) for s in run.stages)
    checks, rules = check_lines(run), rule_lines(run)
    statements, at = _statements(run)
    errors = _errors(run)
    sentence, figure = reason(run, checks, rules)
    verdict = run.verdict
    return Summary(
        word=verdict.verdict,
        run_id=run.record.run_id,
        plan=run.record.plan,
        flow=run.record.flow,
        folder=_folder(run),
        scope=verdict.scope,
        headline=headline(run),
        sentence=sentence,
        figure=figure,
        next_step=next_step(
            run, statements[0].words if statements else "", errors[0].words if errors else ""
        ),
        held_per_s=verdict.rate_held_per_s,
        peak_per_s=verdict.peak_rate_per_s,
        held_label=run.multiplier(verdict.rate_held_per_s),
        peak_label=run.multiplier(verdict.peak_rate_per_s),
        stages=rows,
        tuned=tuned_rows(run),
        recoveries=tuple(f"{run.label(r.stage)}: {r.words}" for r in recoveries(run.results)),
        invariants=tuple(c.sentence for c in checks if c.is_invariant),
        companions=companion_rows(run),
        checks=checks,
        rules=rules,
        not_measured=not_measured(run, {r.name: r.figures for r in rows}),
        statements=statements,
        statements_stage=at,
        errors=errors,
        lineage=lineage_words(run.record.target),
        production=production_rows(run),
        funnel=_funnel(run),
        rerun=_rerun(run),
    )


def stage_row(run: RunView, stage: Stage) -> StageRow:
    """One planned stage with its figures and outcome."""
    result = run.result(stage.name)
    figures = measure(result, run.samples) if result else Measured()
    return StageRow(
        name=stage.name,
        label=run.label(stage.name),
        offered_per_s=stage.rate_per_s,
        outcome=_outcome(run, stage.name),
        figures=figures,
        main_wait=_main_wait(figures),
    )


def _outcome(run: RunView, stage: str) -> str:
    result = run.result(stage)
    if result is None:
        return "not run"
    if result.aborted_by:
        return "stopped"
    checks = [c for c in run.verdict.checks if c.stage == stage]
    bad = {c.severity for c in checks if c.outcome in BAD}
    is_doubted = any(r.stage == stage and not r.holds for r in run.verdict.validity)
    is_believed = run.verdict.verdict is not VerdictWord.INVALID
    if Severity.CRITICAL in bad and (is_believed or not is_doubted):
        return "failed"
    if is_doubted:
        return "invalid"
    if Severity.WARNING in bad:
        return "risk"
    is_passed = any(c.outcome is Outcome.PASSED for c in checks)
    return "passed" if is_passed else "unchecked"


def _main_wait(figures: Measured) -> tuple[str, float] | None:
    parts = {name: figures.means.get(metric, 0.0) for metric, name in _WAITS.items()}
    total = figures.means.get("aas") or sum(parts.values())
    if not total or not any(parts.values()):
        return None
    name = max(parts, key=lambda k: parts[k])
    return name, min(parts[name] / total, 1.0)


def _statements(run: RunView) -> tuple[tuple[StatementRow, ...], str]:
    """The costliest statements of the busiest stage that has any, and that stage's name."""
    with_any = [r for r in run.results if any(h.count for h in r.statements.values())]
    if not with_any:
        return (), ""
    result = max(with_any, key=lambda r: r.stage.rate_per_s)
    total = sum(h.total for h in result.statements.values()) or 1
    ranked = sorted(result.statements.items(), key=lambda item: (-item[1].total, item[0]))
    rows = [
        _statement(run, name, h, total, _errors_of(result.errors, name))
        for name, h in ranked
        if h.count
    ]
    return tuple(rows[:_TOP_STATEMENTS]), result.stage.name


def _statement(
    run: RunView, name: str, histogram: Histogram, total: int, errors: int
) -> StatementRow:
    return StatementRow(
        statement_id=name,
        kind=run.statement_kinds.get(name, ""),
        count=histogram.count,
        total_ms=histogram.total / 1e6,
        share=histogram.total / total,
        mean_ms=histogram.total / histogram.count / 1e6,
        p99_ms=latency_ms(histogram, "p99") or 0.0,
        errors=errors,
    )


def _errors_of(errors: dict[tuple[str, int], int], statement_id: str) -> int:
    return sum(n for (name, _), n in errors.items() if name == statement_id)


def _errors(run: RunView) -> tuple[ErrorRow, ...]:
    """The most frequent errors of all stages, warm-up included."""
    rows = [
        ErrorRow(run.label(result.stage.name), where, error_words(code) + ending, count)
        for result in run.results
        for errors, ending in ((result.errors, ""), (result.retries, ", tried again"))
        for (where, code), count in errors.items()
    ]
    return tuple(sorted(rows, key=lambda row: -row.count)[:_TOP_ERRORS])


def _funnel(run: RunView) -> tuple[tuple[str, int], ...]:
    steps = (
        ("literals", "literals"),
        ("groups", "groups of equal values"),
        ("generated", "generated"),
    )
    return tuple(
        (words, run.record.workload[key]) for key, words in steps if key in run.record.workload
    )


def _folder(run: RunView) -> str:
    return run.folder or f"runs/{run.record.run_id}"


def _rerun(run: RunView) -> tuple[str, ...]:
    folder = _folder(run)
    flows = dict.fromkeys(flow for result in run.results for flow in result.companions)
    beside = "".join(f" \\\n  --workload {flow}={folder}/workload-{flow}.sql" for flow in flows)
    return (
        f"readiness report {folder}",
        f"readiness judge {folder}",
        f'readiness ramp --target "$TARGET" -o runs/again \\\n  --plan {folder}/plan.yaml'
        f" \\\n  --workload {folder}/workload.sql{beside}",
    )

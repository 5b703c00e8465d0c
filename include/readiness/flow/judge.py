"""A run folder and expectations → checks and a verdict, in the run folder. Needs no target."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from readiness.analysis.fidelity import fidelity_rules
from readiness.analysis.figures import stage_figures
from readiness.analysis.invariants import Done, invariant_checks
from readiness.analysis.recovery import RECOVERY, recoveries
from readiness.analysis.validity import validity
from readiness.analysis.verdict import Evidence, decide
from readiness.artifacts.invariants_file import read_readings
from readiness.artifacts.run_folder import RunFolder
from readiness.config.expectations import Expectations
from readiness.config.masking import unmasked_words
from readiness.model.invariant import Invariant
from readiness.model.load import StageResult
from readiness.model.verdict import Check, ValidityLimits, Verdict
from readiness.ports import Judge

Account = Callable[[], Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class JudgeRules:
    """What a plan says of judging."""

    expectations: Expectations
    limits: ValidityLimits
    evidence_valid_days: int
    invariants: tuple[Invariant, ...] = ()


def judge_run(
    folder: RunFolder, rules: JudgeRules, judge: Judge, *, account: Account = dict
) -> Verdict:
    """Writes `checks.json` and `verdict.json`; gives the verdict. Raises ArtifactError.

    `account` is asked after judging for the judge's own story, which `checks.json` keeps."""
    folder.require()
    record = folder.read_run()
    results, samples = folder.read_stages(), folder.read_samples()
    figures = {r.stage.name: stage_figures(r, samples) for r in results}
    for recovery in recoveries(results):
        figures[recovery.stage][RECOVERY] = recovery.figure
    planned = [stage.name for stage in record.stages]
    checks = (
        *judge(rules.expectations.of_plan(record.flow), planned, figures),
        *_invariant_checks(folder, rules, results),
    )
    verdict = decide(
        Evidence(
            stages=record.stages,
            results=tuple(results),
            checks=checks,
            validity=(
                *validity(results, samples, rules.limits),
                *fidelity_rules(record.fidelity_score, rules.limits),
            ),
            peak_rate_per_s=record.peak_rate_per_s,
            scope=record.scope,
            run_date=datetime.fromtimestamp(record.started_at, tz=UTC).date(),
            evidence_valid_days=rules.evidence_valid_days,
        )
    )
    remark = unmasked_words(record.target)
    if remark:
        verdict = replace(verdict, reasons=(*verdict.reasons, f"{remark[:1].upper()}{remark[1:]}."))
    folder.write_checks(checks, account())
    folder.write_verdict(verdict)
    return verdict


def _invariant_checks(
    folder: RunFolder, rules: JudgeRules, results: Sequence[StageResult]
) -> list[Check]:
    if not rules.invariants:
        return []
    readings = read_readings(folder.path)
    return invariant_checks(rules.invariants, readings, _done(folder, results))


def _done(folder: RunFolder, results: Sequence[StageResult]) -> Done:
    """What the first flow did to the data, in tries that were repeated, too."""
    repeated = [e for e in folder.read_events() if e["event"] == "stage_repeated"]
    ok = sum(r.checkouts_ok for r in results) + sum(e["checkouts_ok"] for e in repeated)
    offered = sum(tick.offered for r in results for tick in r.ticks)
    offered += sum(e["offered"] for e in repeated)
    whole = all(r.checkouts_ok == sum(t.started for t in r.ticks) for r in results)
    most = ok if whole and not repeated else offered
    return Done(ok, most, results[-1].stage.name if results else "")

"""A run folder and expectations → checks and a verdict, in the run folder. Needs no target."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from readiness.analysis.fidelity import fidelity_rules
from readiness.analysis.figures import stage_figures
from readiness.analysis.invariants import done_by, invariant_checks
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
        *_invariants(folder, rules.invariants, results),
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


def _invariants(
    folder: RunFolder, invariants: Sequence[Invariant], results: Sequence[StageResult]
) -> list[Check]:
    if not invariants or not results:
        return []
    tried = [event for event in folder.read_events() if event["event"] == "stage_repeated"]
    earlier = [(event["checkouts_ok"], event["checkouts_begun"]) for event in tried]
    return invariant_checks(invariants, read_readings(folder.path), done_by(results, earlier))

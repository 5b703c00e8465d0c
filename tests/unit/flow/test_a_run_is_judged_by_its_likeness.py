"""The score that a run was begun with decides whether its figures count, and the report tells it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes.run_folders import folder_of
from tests.fakes.runs import ready_run

from readiness.artifacts.run_folder import RunFolder
from readiness.config.expectations import Expectations
from readiness.flow.judge import JudgeRules, judge_run
from readiness.model.verdict import ValidityLimits, ValidityRule, VerdictWord
from readiness.report.judged import rule_lines

# Only the likeness is asked about: the invented run has few seconds and no host.
LENIENT = {"schedule_lag_p99_ms": 1e9, "missing_samples_ratio": 1.0}


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """A run that passed all, of a plan whose load was compared."""
    run = ready_run()
    scored = replace(run, record=replace(run.record, fidelity_score=0.62))
    return folder_of(scored, tmp_path)


def judged(folder: RunFolder, least: float) -> tuple[VerdictWord, ValidityRule]:
    """Its word, and the rule of likeness."""
    limits = ValidityLimits(fidelity_min=least, **LENIENT)
    rules = JudgeRules(Expectations(Path("x.yaml"), "", (), ()), limits, 14)
    checks = ready_run().verdict.checks
    verdict = judge_run(folder, rules, lambda *_: list(checks))
    return verdict.verdict, next(rule for rule in verdict.validity if rule.name == "fidelity")


def test_below_the_least_it_is_invalid(folder: RunFolder) -> None:
    word, rule = judged(folder, 0.8)
    assert word is VerdictWord.INVALID
    assert not rule.holds


def test_above_it_the_checks_decide(folder: RunFolder) -> None:
    assert judged(folder, 0.6)[0] is VerdictWord.READY


def test_the_report_shows_the_score_of_the_whole_run(folder: RunFolder) -> None:
    judged(folder, 0.6)
    shown = rule_lines(replace(ready_run(), verdict=folder.read_verdict()))
    (line,) = [line for line in shown if line.name == "fidelity"]
    assert (line.stage, line.holds) == ("whole run", True)
    assert line.measured.startswith("62")

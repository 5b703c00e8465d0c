"""A run folder judged by Great Expectations and drawn by matplotlib, both imported only here."""

from __future__ import annotations

from readiness.adapters.charts import ramp_chart_png
from readiness.adapters.expectations import GreatExpectationsJudge
from readiness.artifacts.run_folder import RunFolder
from readiness.config.expectations import load_expectations
from readiness.config.plan import load_plan
from readiness.flow.judge import JudgeRules, judge_run
from readiness.flow.report import write_report
from readiness.model.verdict import Verdict
from readiness.report.summary import Summary
from readiness.wiring.scans import guarded, require_publishable


def judge(folder: RunFolder, *, expectations: str = "") -> Verdict:
    """Judges by the run's own plan, and by its expectations unless others are named. Raises
    PrivacyError where a captured value would stand in what is written."""
    folder.require()
    plan = load_plan(folder.path / "plan.yaml")
    asked = load_expectations(expectations or plan.expectations)
    rules = JudgeRules(asked, plan.validity, plan.evidence_valid_days, plan.invariants)
    gx = GreatExpectationsJudge(asked.native)
    return judge_run(guarded(folder), rules, gx, account=lambda: gx.result)


def report(folder: RunFolder) -> Summary:
    """Draws `report.html` and the chart of a judged run; gives what they say. Raises PrivacyError
    where a captured value stands in the folder or would stand in the report."""
    require_publishable(folder)
    return write_report(guarded(folder), ramp_chart_png)

"""What a reader learns from the first two lines, for each verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.fakes import runs

from readiness.model.metrics import Sample
from readiness.model.verdict import Outcome, VerdictWord
from readiness.report.numbers import plain
from readiness.report.summary import Summary, summarize
from readiness.report.view import RunView


def said(run: RunView) -> tuple[str, str]:
    summary = summarize(run)
    return plain(summary.headline), plain(summary.sentence)


def test_not_ready_names_cause_figure_limit_and_what_is_not_the_cause() -> None:
    headline, sentence = said(runs.not_ready_run())
    assert headline == "checkout holds 36/s (3x), 60 % of the forecast peak of 60/s (5x)"
    assert sentence.startswith("Commit p99 limits it: at the forecast peak of 60 checkouts/s")
    assert sentence.endswith("against a limit of 50 ms, with host CPU at only 35 %.")


def test_ready_names_what_came_closest_to_its_limit() -> None:
    headline, sentence = said(runs.ready_run())
    assert headline == "checkout holds 10/s (5x), the forecast peak of 10/s"
    assert sentence == "Nothing reached its limit. Closest: active sessions at 5x, 5.20 of 24."


def test_a_risk_is_named_with_its_figure() -> None:
    assert said(runs.risky_run())[1] == (
        "It holds, with a risk: commit mean at 5x is 5.42 ms, limit 5 ms (1.1 times)."
    )


def test_an_abort_says_which_rule_stopped_it_where_and_what_failed_there() -> None:
    sentence = said(runs.aborted_run())[1]
    assert sentence.startswith(
        "The load was stopped at 5x (60/s): errors > 5 % for 10 s, last 6.1 %. Failed there: "
    )
    assert "errors 5.9 %, limit 1 % (errors_peak)" in sentence


def test_an_abort_points_to_the_most_frequent_error() -> None:
    summary = summarize(runs.aborted_run())
    assert summary.errors[0].where == "s041"
    assert "Most errors: 1213, deadlock" in summary.next_step


def test_figures_in_the_plural_are_spoken_of_in_the_plural() -> None:
    run = runs.aborted_run()
    checks = tuple(c for c in run.verdict.checks if c.metric == "error_ratio")
    verdict = replace(
        run.verdict, verdict=VerdictWord.NOT_READY, checks=checks, limited_by="errors_peak at peak"
    )
    summary = summarize(replace(run, verdict=verdict))
    assert summary.sentence.startswith(
        "Errors limit it: at the forecast peak of 60 checkouts/s they"
    )
    assert "see Errors" in summary.next_step


def test_failed_checks_without_a_number_are_told_apart() -> None:
    run = runs.not_ready_run()
    checks = tuple(
        replace(c, outcome=Outcome.MISSING, value=None) if c.metric == "aas" else c
        for c in run.verdict.checks
    )
    summary = summarize(replace(run, verdict=replace(run.verdict, checks=checks)))
    assert summary.failed_words == "2 of 5 failed, 1 of them not measured"


def test_the_clone_is_described_in_plain_words() -> None:
    assert dict(summarize(runs.ready_run()).lineage) == {
        "Server": "MariaDB 10.11.6",
        "Listened at": "127.0.0.1:3311",
        "Clone": "readiness-demo-20261130t021800z-main",
        "Made from snapshot": "shop-cold",
    }


def test_an_invalid_run_claims_no_rate_and_names_the_culprit() -> None:
    headline, sentence = said(runs.invalid_run())
    assert headline == "checkout: no answer, this run cannot be believed"
    assert sentence == (
        "The host was busy with other work: CPU used by other processes at 5x was 46 %, limit 25 %."
    )


def test_without_a_peak_the_answer_says_so() -> None:
    headline, sentence = said(runs.first_run())
    assert headline == "checkout holds 1/s (0.5x); the plan names no peak"
    assert "was not evaluated: no baseline yet" in sentence


def test_a_run_in_which_nothing_ran_still_has_an_answer() -> None:
    headline, sentence = said(runs.empty_run())
    assert headline == "checkout holds none of the rates that ran; the plan names no peak"
    assert sentence == "The load was stopped before it was done."


def test_a_missing_critical_figure_is_said_to_be_missing() -> None:
    run = runs.not_ready_run()
    checks = tuple(
        replace(c, outcome=Outcome.MISSING, value=None) if c.metric == "commit_p99_ms" else c
        for c in run.verdict.checks
    )
    sentence = said(replace(run, verdict=replace(run.verdict, checks=checks)))[1]
    assert sentence.startswith("Commit p99 is missing: at the forecast peak")


def test_the_costliest_failed_check_comes_first() -> None:
    failed = summarize(runs.not_ready_run()).failed
    assert [c.severity for c in failed] == ["critical", "warning"]
    assert plain(failed[0].sentence).endswith("ms, limit 50 ms (1.8 times)")


def test_every_stage_has_a_row_and_tells_how_it_ended() -> None:
    outcomes = {row.label: row.outcome for row in summarize(runs.aborted_run()).stages}
    assert outcomes["5x peak"] == "stopped"
    assert outcomes["1x recover"] == "not run"


def test_the_failed_stage_shows_what_sessions_waited_for() -> None:
    peak = summarize(runs.not_ready_run()).stages[4]
    assert peak.outcome == "failed"
    assert peak.main_wait is not None
    assert peak.main_wait[0] == "commit"


def test_a_failure_is_no_failure_of_the_database_when_the_run_is_invalid() -> None:
    assert summarize(runs.invalid_run()).stages[3].outcome == "invalid"


@pytest.mark.parametrize("word", list(VerdictWord))
def test_what_was_not_measured_is_never_empty(word: VerdictWord) -> None:
    gaps = summarize(runs.invented_run(word)).not_measured
    assert any("Replica lag" in gap for gap in gaps)


def test_a_demonstration_says_that_its_data_are_invented() -> None:
    assert "invented" in summarize(runs.ready_run()).not_measured[0]


def test_a_gap_between_held_rate_and_next_stage_is_told() -> None:
    gaps = summarize(runs.not_ready_run()).not_measured
    assert "Where between 36/s and 60/s it gives way: no stage ran there." in gaps


def test_missing_server_figures_are_told() -> None:
    run = replace(runs.ready_run(), samples=())
    assert "Active sessions: no sample came." in summarize(run).not_measured


def test_statements_are_ranked_by_time_and_named_by_id() -> None:
    summary = summarize(runs.not_ready_run())
    assert [r.statement_id for r in summary.statements][:2] == ["s012", "s041"]
    assert sum(r.share for r in summary.statements) == pytest.approx(1.0)
    assert "s012 (commit)" in summary.next_step


def test_errors_are_counted_at_their_statement() -> None:
    by_id = {r.statement_id: r.errors for r in summarize(runs.not_ready_run()).statements}
    assert by_id["s041"] > 0
    assert by_id["s012"] == 0


def test_what_was_tried_again_is_listed_and_told_apart() -> None:
    run = runs.not_ready_run()
    retried = replace(run.results[-1], retries={("s041", 1213): 4000})
    errors = summarize(replace(run, results=(*run.results[:-1], retried))).errors
    assert ("s041", "1213, deadlock, tried again", 4000) in [
        (e.where, e.words, e.count) for e in errors
    ]


def test_a_broken_rule_that_changes_nothing_leaves_the_run_mostly_believed() -> None:
    run = runs.not_ready_run()
    rules = tuple(
        replace(r, holds=False) if r.stage == "recover" else r for r in run.verdict.validity
    )
    assert _belief(replace(run, verdict=replace(run.verdict, validity=rules))) == "mostly"
    assert _belief(run) == "yes"
    assert _belief(runs.invalid_run()) == "no"
    assert _belief(runs.empty_run()) == "unknown"


def _belief(run: RunView) -> str:
    summary: Summary = summarize(run)
    return summary.belief


def test_a_stage_whose_only_check_waits_for_a_baseline_has_not_passed() -> None:
    assert summarize(runs.first_run()).stages[0].outcome == "unchecked"


def test_one_broken_sample_does_not_spoil_the_mean() -> None:
    run = runs.ready_run()
    broken = Sample(run.results[3].started_at + 9, "5x", "aas", float("nan"), "sessions", "x")
    figures = summarize(replace(run, samples=(*run.samples, broken))).stages[3].figures
    assert figures.means["aas"] == pytest.approx(5.25, abs=0.4)


def test_a_stopped_stage_claims_no_longer_hold_than_it_had() -> None:
    run = runs.aborted_run()
    last = run.results[-1]
    cut = replace(last, ticks=last.ticks[:5])
    gaps = summarize(replace(run, results=(*run.results[:-1], cut))).not_measured
    assert "A peak longer than 5 s." in [plain(gap) for gap in gaps]

from __future__ import annotations

import re

from tests.fakes import runs

from readiness.model.load import StageResult
from readiness.model.verdict import AbortRule, Expectation, Severity
from readiness.report.live import LiveRamp, sparkline
from readiness.report.view import RunView

NOW = runs.BEGAN + 300
RULES = (AbortRule("error_ratio", ">", 0.05, 10), AbortRule("commit_p99_ms", ">", 250, 30))
LIMIT = Expectation(
    "commit", "commit_p99_ms", "value", ("pe*",), "<=", 50.0, "ms", Severity.CRITICAL
)


def started(run: RunView) -> LiveRamp:
    return LiveRamp(
        "checkout-peak",
        run.stages,
        normal_rate_per_s=run.record.normal_rate_per_s,
        expectations=(LIMIT,),
        abort=RULES,
        context="clone rdy-7f3a · Ctrl-C stops the load and cleans up",
    )


def feed(live: LiveRamp, run: RunView, result: StageResult, seconds: int) -> None:
    live.begin(result.stage)
    for tick in result.ticks[:seconds]:
        end = result.started_at + tick.second + 1
        live.update(tick, [s for s in run.samples if abs(s.ts - end) < 0.5])


def at_peak(seconds: int = 40) -> LiveRamp:
    run = runs.not_ready_run()
    live = started(run)
    for result in run.results[:4]:
        feed(live, run, result, len(result.ticks))
        live.end(result)
    feed(live, run, run.results[4], seconds)
    return live


def test_a_frame_shows_done_running_and_coming_stages() -> None:
    frame = at_peak().frame(NOW)
    assert re.search(r"^ ✓ 3x triple +36\.0 of 36", frame, re.MULTILINE)
    assert re.search(r"^ ▶ 5x peak .* over limit$", frame, re.MULTILINE)
    assert re.search(r"^ ○ 1x recover +of 12$", frame, re.MULTILINE)


def test_a_frame_says_where_it_is_and_when_it_ends() -> None:
    title = at_peak().frame(NOW).splitlines()[0]
    assert "5x peak, stage 5 of 6 · 0:40 of 1:00" in title
    assert title.endswith("02:23:00 UTC, ends 02:23:50 UTC")


def test_a_frame_tells_what_is_over_its_limit_and_what_stops_the_load() -> None:
    frame = at_peak().frame(NOW)
    assert "! commit p99 over its limit of 50 ms for 0:40." in frame
    assert "stops by itself at errors > 5 % for 10 s or commit p99 > 250 ms for 30 s." in frame


def test_a_frame_shows_what_sessions_wait_for() -> None:
    assert re.search(r"^ waiting   commit ▇+ 85 %", at_peak().frame(NOW), re.MULTILINE)


def test_frames_of_a_running_stage_are_equally_high() -> None:
    heights = {at_peak(n).frame(NOW).count("\n") for n in (1, 2, 20, 60)}
    assert len(heights) == 1


def test_a_frame_needs_no_samples_and_no_stage() -> None:
    run = runs.first_run()
    live = started(run)
    assert "0 of 1 stages done" in live.frame(NOW)
    feed(live, run, run.results[0], 1)
    assert "sessions" in live.frame(NOW)


def test_a_line_for_logs_says_the_same_in_one_line() -> None:
    line = at_peak().line(NOW)
    assert "\n" not in line
    assert re.match(r"02:23:00 UTC  5x peak, 0:40 of 1:00: 59\.\d of 60/s, commit p99 ", line)


def test_a_stopped_stage_is_marked() -> None:
    run = runs.aborted_run()
    live = started(run)
    feed(live, run, run.results[4], 5)
    live.end(run.results[4])
    assert "■ 5x peak" in live.frame(NOW)


def test_a_trace_keeps_its_highest_value_when_it_is_squeezed() -> None:
    assert sparkline([1.0] * 500 + [100.0] + [1.0] * 500, 10).count("█") == 1


def test_a_trace_far_below_its_limit_looks_low() -> None:
    assert sparkline([1.0, 2.0, 1.5], 10, limit=100.0) == "▁▁▁"


def test_a_trace_leaves_gaps_where_nothing_was_measured() -> None:
    assert sparkline([1.0, None, 1.0], 10) == "█ █"
    assert sparkline([], 10) == ""

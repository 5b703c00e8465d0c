"""A run before its verdict as chat messages: preparing, started, running, stopped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from readiness.model.load import Stage, StageResult
from readiness.model.message import Block, Message
from readiness.model.run import RunRecord
from readiness.model.verdict import Verdict, VerdictWord
from readiness.report.answer import named_rate
from readiness.report.numbers import SPACE, clock, duration, exact, quantity, rate
from readiness.report.slack_blocks import (
    code,
    context,
    escape,
    fields,
    header,
    link,
    mention,
    section,
)
from readiness.report.slack_stages import commit_p99, stage_rows
from readiness.report.summary import stage_row
from readiness.report.view import RunView
from readiness.report.words import cause_words

ROOT, ABORT = "root", "page-abort"
_RUNNING, _STOPPED = "hourglass_flowing_sand", "octagonal_sign"
_DRAIN_S = 5.0


@dataclass(frozen=True, slots=True)
class Address:
    """Whom and where a message points to: a user group's id to page, the page of the run in
    Airflow; "" leaves either out."""

    group: str = ""
    run_url: str = ""

    @property
    def link(self) -> str:
        """The link to the run."""
        return link(self.run_url, "Run in Airflow") if self.run_url else ""


@dataclass(frozen=True, slots=True)
class Course:
    """A run before it is judged: its record, and the stages that have ended, in order."""

    record: RunRecord
    results: tuple[StageResult, ...]

    @property
    def view(self) -> RunView:
        """The run with a verdict that says nothing: names and figures of its stages are right."""
        silent = Verdict(
            VerdictWord.INVALID, 0.0, self.record.peak_rate_per_s, "", (), (), (), "", ""
        )
        return RunView(self.record, self.results, (), silent)

    @property
    def stopped(self) -> StageResult | None:
        """The stage in which the load was stopped."""
        return next((r for r in self.results if r.aborted_by), None)

    @property
    def coming(self) -> tuple[Stage, ...]:
        """The stages that have not ended; the first of them runs, unless the load was stopped."""
        ended = {r.stage.name for r in self.results}
        return tuple(s for s in self.record.stages if s.name not in ended)


def preparing(run_id: str, to: Address) -> Message:
    """The root while nothing but the run's name is known."""
    said = f"{run_id}: preparing clone and workload; no load yet (0/s)"
    blocks = (
        header(f"{run_id}: preparing", _RUNNING),
        section("Restoring and checking the clone. No load yet."),
        context(to.link, code(run_id)),
    )
    return Message(ROOT, "root-start", escape(said), blocks)


def started(course: Course, to: Address) -> Message:
    """The root before the first stage."""
    record, top = course.record, _top(course)
    count = len(record.stages)
    stages = f"{count} stage{'s' * (count != 1)}"
    ends = _minute(record.started_at + _length_s(record.stages))
    said = f"{record.plan} started: {stages} up to {top}, ends about {ends}"
    on = record.target.get("clone") or record.target.get("endpoint") or "the target"
    blocks = (
        header(f"{record.plan}: load starting", _RUNNING),
        section(f"{stages} up to *{escape(top)}* on {code(on)}. Ends about *{ends}*."),
        *stage_rows(course.view),
        _small_print(record, to, f"began {_minute(record.started_at)}"),
    )
    return Message(ROOT, "root-start", escape(said), blocks)


def progress(course: Course, to: Address) -> Message:
    """The root between the first stage and the verdict."""
    if course.stopped is not None:
        return _stopping(course, course.stopped, to)
    if not course.results:
        return started(course, to)
    if not course.coming:
        return _judging(course, to)
    record, view, now = course.record, course.view, course.coming[0]
    last = course.results[-1]
    place = f"{len(course.results) + 1} of {len(record.stages)}"
    figure = commit_p99(stage_row(view, last.stage))
    said = f"{record.plan} running: stage {place}, {rate(now.rate_per_s)}; {view.short(last.stage.name)}"
    ends = _minute(last.ended_at + _length_s(course.coming))
    blocks = (
        header(f"{record.plan}: {view.short(now.name)} running", _RUNNING),
        section(
            f"Stage {place}: *{rate(now.rate_per_s)}* for {duration(now.duration_s)}."
            f" Before it, {escape(view.short(last.stage.name))} had commit p99 *{escape(figure)}*."
        ),
        *stage_rows(view, running=now.name),
        _small_print(record, to, f"ends about {ends}"),
    )
    return Message(ROOT, f"root-stage-{slug(now.name)}", escape(f"{said} had {figure}"), blocks)


def _judging(course: Course, to: Address) -> Message:
    record, top = course.record, _top(course)
    blocks = (
        header(f"{record.plan}: load has ended, judging", _RUNNING),
        section(
            f"All {len(record.stages)} stages ran, up to *{escape(top)}*. The verdict follows."
        ),
        *stage_rows(course.view),
        _small_print(record, to, f"load ended {_minute(course.results[-1].ended_at)}"),
    )
    said = f"{record.plan}: all stages ran, up to {top}; the verdict follows"
    return Message(ROOT, "root-judging", escape(said), blocks)


def _stopping(course: Course, stopped: StageResult, to: Address) -> Message:
    record, at = course.record, _stage_words(course, stopped)
    cause = cause_words(stopped.aborted_by)
    blocks = (
        header(f"{record.plan}: load stopped at {course.view.short(stopped.stage.name)}", _STOPPED),
        section(f"Stopped at *{escape(at)}*: {escape(cause)}. The verdict follows."),
        *stage_rows(course.view),
        _small_print(record, to, f"load ended {_minute(stopped.ended_at)}"),
    )
    said = f"{record.plan}: load stopped at {at}: {cause}"
    return Message(ROOT, "root-stopped", escape(said), blocks)


def abort_page(course: Course, to: Address) -> Message | None:
    """The page that says why the load was stopped, and that nobody must act; None when it ran on."""
    stopped = course.stopped
    if stopped is None:
        return None
    record, at = course.record, _stage_words(course, stopped)
    cause = cause_words(stopped.aborted_by)
    shown = [
        ("Load", f"stopped {clock(stopped.ended_at)}"),
        ("Target", f"{code(_target(record))}, not production: the interlock was asked"),
        ("Mostly", escape(_most_errors(stopped))),
        ("Before it", escape(_before(course, stopped))),
    ]
    blocks = (
        header(f"Load aborted: {record.plan} at {course.view.short(stopped.stage.name)}", _STOPPED),
        section(
            f"{mention(to.group)} {escape(cause[:1].upper() + cause[1:])}. The load stopped itself."
            " *Nothing to do now.*".strip()
        ),
        fields(shown),
        _small_print(record, to, ""),
    )
    said = f"ABORTED: {record.plan} at {at}: {cause}. The load has stopped; production was not the target."
    return Message(ABORT, ABORT, escape(said), blocks)


def _top(course: Course) -> str:
    return named_rate(course.view, max((s.rate_per_s for s in course.record.stages), default=0.0))


def _stage_words(course: Course, result: StageResult) -> str:
    return f"{course.view.short(result.stage.name)} ({rate(result.stage.rate_per_s)})"


def _before(course: Course, stopped: StageResult) -> str:
    held = [r for r in course.results if r is not stopped]
    return f"{_stage_words(course, held[-1])} ran to its end" if held else "no stage ran to its end"


def _target(record: RunRecord) -> str:
    return record.target.get("clone") or record.target.get("endpoint") or "unnamed"


def _most_errors(result: StageResult) -> str:
    codes: Counter[int] = Counter()
    for (_, number), count in result.errors.items():
        codes[number] += count
    if not codes:
        return "no errors"
    number, count = codes.most_common(1)[0]
    name = f"error {number}" if number else "not finished, or not connected"
    return f"{name}, {quantity(count / codes.total(), 'ratio')} of {exact(codes.total())} failures"


def _small_print(record: RunRecord, to: Address, when: str) -> Block:
    scope = "demonstration" if record.scope == "demonstration" else ""
    return context(to.link, when, code(record.run_id), scope)


def _length_s(stages: Sequence[Stage]) -> float:
    return sum(stage.duration_s + _DRAIN_S for stage in stages)


def _minute(epoch_s: float) -> str:
    return f"{datetime.fromtimestamp(epoch_s, UTC):%H:%M}{SPACE}UTC"


def slug(name: str) -> str:
    """A name as part of a file's name."""
    kept = "".join(c if c.isascii() and c.isalnum() else "-" for c in name.lower())
    return "-".join(part for part in kept.split("-") if part)[:40] or "run"

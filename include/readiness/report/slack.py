"""A judged run as chat messages: the root's end, a report for its thread, a page, an abnormal end.

Pure: a run in, messages out. Texts are escaped and within the channel's limits; `text` always says
the verdict and a rate. Times are those of the run, so a message that has nothing new to say is the
same message.
"""

from __future__ import annotations

from collections.abc import Sequence

from readiness.model.message import Block, Message, Picture
from readiness.model.verdict import VerdictWord
from readiness.report.numbers import rate
from readiness.report.slack_blocks import code, context, escape, header, mention, section
from readiness.report.slack_course import ROOT, Address, slug
from readiness.report.slack_stages import stage_lists, stage_rows, stage_table
from readiness.report.summary import Summary, summarize
from readiness.report.view import RunView
from readiness.report.words import SIGNS

REPORT, NOT_READY, ENDED = "report", "page-not-ready", "ended"
_EMOJI = {
    VerdictWord.READY: "white_check_mark",
    VerdictWord.READY_WITH_RISK: "warning",
    VerdictWord.NOT_READY: "x",
    VerdictWord.ABORTED: "octagonal_sign",
    VerdictWord.INVALID: "grey_question",
}
_SEVERITY = {"critical": "x", "warning": "warning", "info": "information_source"}
_BROKEN = "x"
_MOST = 10
_DEMONSTRATION = "Demonstration on invented data: no evidence about any real database."


def not_ready_page(summary: Summary, to: Address) -> Message | None:
    """The page that says which peak is not held; None for any other verdict."""
    if summary.word is not VerdictWord.NOT_READY:
        return None
    blocks = (
        header(f"{SIGNS[summary.word].text}: {summary.flow}", _EMOJI[summary.word]),
        section(f"{mention(to.group)} {escape(summary.headline)}.".strip(), _sentence(summary)),
        context(to.link, code(summary.run_id), _scope(summary)),
    )
    return Message(NOT_READY, NOT_READY, escape(verdict_text(summary)), blocks)


def finished(run: RunView, to: Address, *, closing: str = "") -> Message:
    """The root of a judged run. `closing` says what became of the clone."""
    summary = summarize(run)
    blocks = [
        header(f"{SIGNS[summary.word].text}: {summary.flow}, {summary.plan}", _EMOJI[summary.word]),
        section(f"{escape(summary.headline)}.", _sentence(summary)),
        *stage_rows(run),
        section(f"*Next:* {escape(summary.next_step)}"),
        context(to.link, "details in thread", escape(closing), code(summary.run_id)),
        *_demonstration(summary),
    ]
    return Message(ROOT, "root-end", escape(verdict_text(summary)), tuple(blocks))


def report(run: RunView, to: Address) -> Message:
    """The answer with its stages and failed checks, for the thread; the channel sees it too unless
    a page of the same verdict goes there."""
    summary = summarize(run)
    word = SIGNS[summary.word].text
    head = section(f":{_EMOJI[summary.word]}: *{word}.* {escape(summary.headline)}.")
    tail = [
        _checks(summary),
        section(f"*Why:* {_sentence(summary)}", *_gaps(summary)),
        section(f"*Next:* {escape(summary.next_step)}"),
        context(to.link, _belief(summary), f"`report.html` of {code(summary.run_id)}"),
        *_demonstration(summary),
    ]
    return Message(
        REPORT,
        REPORT,
        escape(verdict_text(summary)),
        (head, *stage_table(run, summary), *tail),
        (head, *stage_lists(run, summary), *tail),
        is_broadcast=summary.word not in (VerdictWord.NOT_READY, VerdictWord.ABORTED),
    )


def ended(
    run_id: str, problems: Sequence[str], to: Address, *, run: RunView | None, closing: str = ""
) -> Message:
    """The news that a run did not end as it should; `run` is there when it was judged."""
    summary = summarize(run) if run else None
    verdict = verdict_text(summary) if summary else "no verdict, no rate is proven (0/s)"
    listed = [f"• {escape(problem)}" for problem in problems] or ["• no task said why"]
    blocks = (
        header(f"{run_id}: the run did not end as it should", _BROKEN),
        section(f"*Verdict:* {escape(verdict)}"),
        section("*What failed*", *listed),
        context(to.link, escape(closing), code(run_id)),
    )
    return Message(ENDED, ENDED, escape(f"{run_id} failed: {verdict}"), blocks)


def broken(run_id: str, problems: Sequence[str], to: Address) -> Message:
    """The root of a run that ended without a verdict."""
    first = f" {escape(problems[0])}." if problems else ""
    blocks = (
        header(f"{run_id}: ended without a verdict", _BROKEN),
        section(f"No verdict, no rate is proven.{first}"),
        context(to.link, code(run_id)),
    )
    said = f"{run_id}: ended without a verdict; no rate is proven (0/s)"
    return Message(ROOT, "root-end", escape(said), blocks)


def picture(run: RunView) -> Picture:
    """What goes with the ramp chart: its words for those who do not see it."""
    summary = summarize(run)
    return Picture(
        filename=f"ramp-{slug(summary.plan)}.png",
        title=f"Ramp of {escape(summary.plan)}",
        alt=escape(f"Ramp chart. {verdict_text(summary)} {summary.sentence}", 900),
        comment="Ramp chart",
    )


def verdict_text(summary: Summary) -> str:
    """Verdict, rate held and peak in one line, for a notification."""
    said = f"{SIGNS[summary.word].text}: {summary.headline}"
    if summary.word is VerdictWord.INVALID:
        said += f"; peak {rate(summary.peak_per_s)}"
    elif summary.held_per_s <= 0:
        said += f" ({rate(0)} held)"
    return f"{said}."


def _sentence(summary: Summary) -> str:
    said, figure = escape(summary.sentence, 600), escape(summary.figure)
    return said.replace(figure, f"*{figure}*", 1) if figure else said


def _checks(summary: Summary) -> Block:
    total, bad = len(summary.checks), summary.failed
    if not total:
        return section("*Checks:* none were evaluated")
    if not bad:
        waiting = f", {len(summary.open)} not evaluated" if summary.open else ""
        return section(f"*Checks:* {len(summary.passed)} of {total} passed{waiting}")
    lines = [
        f":{_SEVERITY[c.severity]}: {escape(c.severity)}: {escape(c.sentence)}" for c in bad[:_MOST]
    ]
    more = [f"… and {len(bad) - _MOST} more"] if len(bad) > _MOST else []
    return section(f"*Failed, {len(bad)} of {total}*", *lines, *more)


def _gaps(summary: Summary) -> list[str]:
    gaps = [g for g in summary.not_measured if not g.startswith("Your database:")]
    return [f"*Not measured:* {escape(' '.join(gaps[:2]), 600)}"] if gaps else []


def _belief(summary: Summary) -> str:
    total, broken = len(summary.rules), len(summary.broken_rules)
    return f"can be believed: {summary.belief}, {total - broken} of {total} rules hold"


def _scope(summary: Summary) -> str:
    return "demonstration" if summary.is_demonstration else ""


def _demonstration(summary: Summary) -> list[Block]:
    return [context(_DEMONSTRATION)] if summary.is_demonstration else []

"""Whatever a run is called and however much of it there is, its messages may be sent."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes import runs

from readiness.model.load import Stage
from readiness.model.message import Message
from readiness.model.verdict import Check, Outcome, Severity, VerdictWord
from readiness.report import slack, slack_course
from readiness.report.slack_blocks import escape, faults, fitted, header, rows
from readiness.report.slack_course import Address, Course
from readiness.report.view import RunView

RUNS = {word: runs.invented_run(word) for word in VerdictWord}
text = st.one_of(
    st.text(max_size=4000),
    st.text(alphabet="<>&`|*!@ \n\t\u202e", max_size=4000),
    st.sampled_from(["<!channel>", "```", "a```b", "<https://x.example|y>", "&lt;!here&gt;"]),
)
rate = st.floats(0.001, 1e7)


@st.composite
def odd_runs(draw: st.DrawFn) -> RunView:
    """A run with any names, many stages and many failed checks."""
    run = RUNS[draw(st.sampled_from(VerdictWord))]
    name, words = draw(text), draw(text)
    planned = [Stage(f"{name}{n}", draw(rate), 10.0) for n in range(draw(st.integers(0, 150)))]
    check = Check(
        words, "5x", words or "x", "value", "<=", 1.0, words, Severity.CRITICAL, Outcome.FAILED,
        2.0, 9, words, words,
    )  # fmt: skip
    verdict = replace(
        run.verdict,
        checks=(*run.verdict.checks, *[check] * draw(st.integers(0, 60))),
        reasons=(words,),
        rate_held_per_s=draw(rate),
    )
    record = replace(
        run.record,
        plan=name, flow=words, run_id=name, target={"clone": words},
        stages=(*run.record.stages, *planned), notes=(words,) * 20,
    )  # fmt: skip
    return replace(run, record=record, verdict=verdict)


def every_message(run: RunView, to: Address, problems: list[str]) -> list[Message]:
    course = Course(run.record, run.results)
    page = slack_course.abort_page(course, to)
    made = [
        slack_course.preparing(run.record.run_id, to),
        slack_course.started(Course(run.record, ()), to),
        slack_course.progress(course, to),
        slack.finished(run, to, closing=run.record.plan),
        slack.report(run, to),
        slack.ended(run.record.run_id, problems, to, run=run),
        slack.broken(run.record.run_id, problems, to),
    ]
    return [*made, page] if page else made


@settings(max_examples=25)
@given(odd_runs(), text, st.lists(text, max_size=80))
def test_no_message_breaks_a_limit(run: RunView, url: str, problems: list[str]) -> None:
    for message in every_message(run, Address(url, url), problems):
        assert faults(message.text, message.blocks) == []
        assert faults(message.text, message.plainer) == []


@given(text, st.integers(1, 500))
def test_data_is_one_line_without_markup(data: str, most: int) -> None:
    said = escape(data, most)
    assert not set(said) & set("<>\n\r\t")
    assert len(said) <= 5 * most


@given(st.lists(text.map(escape)), st.integers(40, 3000))
def test_lines_are_whole_or_counted(lines: list[str], room: int) -> None:
    shown = fitted(lines, room)
    assert len(shown) <= room
    if len("\n".join(lines)) <= room:
        assert shown == "\n".join(lines)
    else:
        *kept, more = shown.split("\n")
        assert kept == lines[: len(kept)]
        assert more == f"… and {len(lines) - len(kept)} more"


@given(text, st.lists(text, min_size=1, max_size=200))
def test_headlines_and_rows_fit_a_phone(head: str, lines: list[str]) -> None:
    assert faults("x", [header(head, "warning"), rows(lines)]) == []

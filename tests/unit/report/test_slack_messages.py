"""What is said in the channel: the form is frozen, data cannot act, and phones do not wrap it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.fakes import runs
from tests.fakes.slack_messages import GOLDEN, TO, as_json, messages

from readiness.model.message import Message
from readiness.model.verdict import VerdictWord
from readiness.report import slack, slack_course
from readiness.report.slack_blocks import faults
from readiness.report.slack_course import Address, Course
from readiness.report.summary import summarize
from readiness.report.view import RunView
from readiness.report.words import SIGNS

MESSAGES = messages()


def words(message: Message) -> str:
    """Everything a message shows."""
    return as_json(message)


@pytest.mark.parametrize("name", sorted(MESSAGES))
def test_a_message_is_what_it_was(name: str) -> None:
    assert as_json(MESSAGES[name]) == (GOLDEN / f"{name}.json").read_text(encoding="utf-8")


def test_there_is_no_golden_file_of_a_message_that_is_gone() -> None:
    assert {path.stem for path in GOLDEN.glob("*.json")} == set(MESSAGES)


@pytest.mark.parametrize("name", sorted(MESSAGES))
def test_every_message_may_be_sent_in_each_of_its_forms(name: str) -> None:
    message = MESSAGES[name]
    assert faults(message.text, message.blocks) == []
    assert faults(message.text, message.plainer) == []


@pytest.mark.parametrize("name", sorted(MESSAGES))
def test_a_notification_says_a_rate(name: str) -> None:
    assert re.search(r"\d/s", MESSAGES[name].text)


@pytest.mark.parametrize("word", list(VerdictWord))
def test_a_notification_of_a_judged_run_says_the_verdict(word: VerdictWord) -> None:
    run = runs.invented_run(word)
    for message in (slack.finished(run, TO), slack.report(run, TO)):
        assert message.text.startswith(f"{SIGNS[word].text}: checkout")


@pytest.mark.parametrize("name", sorted(MESSAGES))
def test_only_pages_mention_the_user_group(name: str) -> None:
    is_page = name in {"abort-page", "not-ready-page"}
    assert ("<!subteam^S0READY0001>" in words(MESSAGES[name])) is is_page


@pytest.mark.parametrize("group", ["", "@dbre", "channel", "S0<!here>", "S0A|x", "here> <!channel"])
def test_what_is_no_group_id_mentions_nobody(group: str) -> None:
    run = runs.aborted_run()
    page = slack_course.abort_page(Course(run.record, run.results), Address(group))
    assert page is not None
    assert "<!" not in words(page)


def test_names_from_data_mention_nobody_and_make_no_link() -> None:
    run = runs.not_ready_run()
    evil = "<!channel> <https://evil.example|x> & co\n```"
    record = replace(run.record, plan=evil, flow=evil, run_id=evil, target={"clone": evil})
    told = replace(run, record=record)
    for message in (
        slack.finished(told, TO),
        slack.report(told, TO),
        slack_course.started(Course(record, ()), TO),
        slack.ended(evil, [evil], TO, run=told),
    ):
        assert "<!" not in words(message)
        assert "<https://evil" not in words(message)
        assert faults(message.text, message.blocks) == []


def test_a_stage_that_breaks_a_commit_limit_shows_the_limit() -> None:
    text = str(slack.finished(runs.not_ready_run(), TO).blocks)
    assert re.search(r"✕ 5x +60/s +91\.8 ms  limit 50", text)


def test_stages_that_share_a_multiple_go_by_their_names() -> None:
    text = str(slack.finished(runs.not_ready_run(), TO).blocks)
    assert re.search(r"• normal +12/s", text)
    assert re.search(r"• recover +12/s", text)


def test_the_running_stage_is_marked_and_the_ones_to_come_are_open() -> None:
    text = str(MESSAGES["running"].blocks)
    assert "Stage 5 of 6: *60/s* for 1\u00a0min" in text.replace("\\xa0", "\u00a0")
    assert re.search(r"▶ 5x +60/s\\n· recover", text)


def test_nothing_new_to_say_is_the_same_message() -> None:
    assert messages() == MESSAGES


def test_the_channel_hears_a_verdict_once() -> None:
    heard = {w: slack.report(runs.invented_run(w), TO).is_broadcast for w in VerdictWord}
    paged = {VerdictWord.NOT_READY, VerdictWord.ABORTED}
    assert heard == {word: word not in paged for word in VerdictWord}


def test_pages_are_for_what_they_are_for() -> None:
    ready = runs.ready_run()
    assert slack.not_ready_page(summarize(ready), TO) is None
    assert slack_course.abort_page(Course(ready.record, ready.results), TO) is None


def test_a_demonstration_is_called_one() -> None:
    assert "no evidence about any real database" in words(MESSAGES["end-ready"])
    assert "no evidence" not in words(MESSAGES["end-not-ready"])


@pytest.mark.parametrize("run", [runs.empty_run(), runs.first_run()])
def test_a_run_without_stages_or_samples_is_told_too(run: RunView) -> None:
    for message in (slack.finished(run, TO), slack.report(run, TO)):
        assert faults(message.text, message.blocks) == []

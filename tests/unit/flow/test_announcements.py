"""What a run's channel sees, whatever fails on the way: roots, reports, pages, charts."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import runs
from tests.fakes.clocks import HurriedClock
from tests.fakes.run_folders import folder_of, judge
from tests.fakes.slack_server import CHANNEL, TOKEN, Fault, SlackServer, too_many

from readiness.adapters.outbox import Outbox
from readiness.adapters.slack import SlackMessenger
from readiness.artifacts.messages import MessageBox
from readiness.artifacts.run_folder import RunFolder
from readiness.flow.announce import (
    Desk,
    announce_abort,
    announce_end,
    announce_report,
    announce_stage,
    announce_start,
)
from readiness.flow.telling import Line
from readiness.model.message import Delivery, Fate
from readiness.report.slack_course import Address

POST, EDIT = "chat.postMessage", "chat.update"
TO = Address("S0READY0001", "https://airflow.example.com/dags/d/runs/r")
GROUP = "<!subteam^S0READY0001>"
LOST = Fault(is_lost=True)
DOWN = Fault(status=503, error="x")


@pytest.fixture
def slack(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlackServer]:
    for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    with SlackServer() as server:
        yield server


def a_desk(slack: SlackServer, channel: str = CHANNEL) -> Desk:
    """As each task has its own: only the run folder is shared."""
    clock = HurriedClock()
    messenger = SlackMessenger(TOKEN, channel, clock=clock, api_url=slack.url, answer_s=0.5)
    return Desk(Line(messenger, clock), TO)


def fates(delivery: Delivery) -> dict[str, str]:
    return {part.name: str(part.fate) for part in delivery.parts}


def shown(message: dict[str, Any]) -> str:
    return json.dumps(message, ensure_ascii=False)


def pages(slack: SlackServer) -> list[dict[str, Any]]:
    return [m for m in slack.messages.values() if GROUP in shown(m)]


def replies(slack: SlackServer) -> list[dict[str, Any]]:
    return [m for m in slack.messages.values() if m.get("thread_ts")]


def ready(tmp_path: Path) -> RunFolder:
    return folder_of(runs.ready_run(), tmp_path)


def failing(tmp_path: Path) -> RunFolder:
    return folder_of(runs.not_ready_run(), tmp_path)


def test_one_root_is_edited_from_start_to_end(slack: SlackServer, tmp_path: Path) -> None:
    run = runs.ready_run()
    folder = RunFolder(tmp_path / run.record.run_id)
    announce_start(folder, a_desk(slack))
    for stages in range(5):
        announce_stage(folder_of(run, tmp_path, stages=stages), a_desk(slack))
    judge(folder, run)
    announce_report(folder, a_desk(slack))
    announce_end(folder, a_desk(slack), problems=[], closing="clone destroyed")
    (root,) = slack.roots
    assert root["text"].startswith("READY: checkout holds 10/s")
    assert "clone destroyed" in shown(root)
    assert len(slack.called(EDIT)) == 7


def test_the_report_and_the_chart_stand_in_the_thread(slack: SlackServer, tmp_path: Path) -> None:
    delivery = announce_report(ready(tmp_path), a_desk(slack))
    (root,), (report,), (chart,) = slack.roots, replies(slack), slack.shared()
    assert report["thread_ts"] == chart["thread_ts"] == root["ts"]
    assert any(block["type"] == "table" for block in report["blocks"])
    assert "10/s" in chart["alt_txt"]
    assert delivery.is_delivered


def test_saying_the_same_again_sends_nothing(slack: SlackServer, tmp_path: Path) -> None:
    folder = failing(tmp_path)
    announce_report(folder, a_desk(slack))
    calls = len(slack.calls)
    again = announce_report(folder, a_desk(slack))
    assert len(slack.calls) == calls
    assert set(fates(again).values()) == {"unchanged"}


def test_a_run_judged_anew_edits_its_report(slack: SlackServer, tmp_path: Path) -> None:
    announce_report(ready(tmp_path), a_desk(slack))
    folder = ready(tmp_path)
    folder.write_verdict(runs.risky_run().verdict)
    announce_report(folder, a_desk(slack))
    assert [m["text"].split(":")[0] for m in slack.messages.values()] == ["READY WITH RISK"] * 2
    assert len(slack.shared()) == 1


def test_a_root_whose_answer_was_lost_is_the_only_one(slack: SlackServer, tmp_path: Path) -> None:
    slack.fail(POST, LOST)
    run = runs.ready_run()
    delivery = announce_start(folder_of(run, tmp_path, stages=0), a_desk(slack))
    assert fates(delivery) == {"root-start": "unsure"}
    announce_stage(folder_of(run, tmp_path, stages=2), a_desk(slack))
    assert len(slack.messages) == 1


def test_a_report_is_posted_even_when_its_root_is_unknown(
    slack: SlackServer, tmp_path: Path
) -> None:
    slack.fail(POST, LOST)
    delivery = announce_report(ready(tmp_path), a_desk(slack))
    assert fates(delivery) == {"root-end": "unsure", "report": "delivered", "chart": "delivered"}
    assert len(slack.messages) == 2
    (report,) = (
        m for m in slack.messages.values() if "thread_ts" not in m and "*READY.*" in shown(m)
    )
    assert slack.shared()[0]["thread_ts"] == report["ts"]


def test_a_try_that_dies_while_it_posts_is_not_repeated(slack: SlackServer, tmp_path: Path) -> None:
    class Dies(SlackMessenger):
        def post(self, *args: Any, **given: Any) -> Any:
            super().post(*args, **given)
            raise KeyboardInterrupt

    clock, folder = HurriedClock(), folder_of(runs.ready_run(), tmp_path, stages=0)
    dying = Dies(TOKEN, CHANNEL, clock=clock, api_url=slack.url)
    with pytest.raises(KeyboardInterrupt):
        announce_start(folder, Desk(Line(dying, clock)))
    assert fates(announce_start(folder, a_desk(slack))) == {"root-start": "unsure"}
    assert len(slack.messages) == 1


def test_a_root_that_was_surely_not_posted_is_posted_later(
    slack: SlackServer, tmp_path: Path
) -> None:
    folder = folder_of(runs.ready_run(), tmp_path, stages=1)
    slack.fail(POST, too_many("3600"))
    assert fates(announce_start(folder, a_desk(slack))) == {"root-stage-1x": "unavailable"}
    assert announce_stage(folder, a_desk(slack)).is_delivered
    assert len(slack.roots) == 1


def test_a_deleted_root_is_posted_again_and_carries_the_report(
    slack: SlackServer, tmp_path: Path
) -> None:
    run = runs.ready_run()
    announce_start(folder_of(run, tmp_path, stages=0), a_desk(slack))
    slack.messages.clear()
    announce_report(folder_of(run, tmp_path), a_desk(slack))
    (root,), (report,) = slack.roots, replies(slack)
    assert report["thread_ts"] == root["ts"]


def test_a_channel_without_tables_gets_lists(slack: SlackServer, tmp_path: Path) -> None:
    slack.takes_tables = False
    delivery = announce_report(ready(tmp_path), a_desk(slack))
    (report,) = replies(slack)
    assert delivery.is_delivered
    assert {block["type"] for block in report["blocks"]} == {"section", "context"}
    assert shown(report).count("✓ 5x") == 2


def test_a_channel_that_takes_no_blocks_gets_the_text(slack: SlackServer, tmp_path: Path) -> None:
    slack.fail(POST, *[Fault(error="invalid_blocks")])
    announce_start(folder_of(runs.ready_run(), tmp_path, stages=0), a_desk(slack))
    (root,) = slack.roots
    assert (root["blocks"], root["text"][:12]) == ([], "demo started")


@pytest.mark.parametrize(
    ("method", "fault"),
    [("files.getUploadURLExternal", Fault(error="missing_scope")), ("upload", DOWN),
     ("files.completeUploadExternal", Fault(error="not_in_channel"))],
)  # fmt: skip
def test_a_chart_that_cannot_be_sent_leaves_the_report(
    method: str, fault: Fault, slack: SlackServer, tmp_path: Path
) -> None:
    slack.fail(method, *[fault] * 9)
    delivery = announce_report(ready(tmp_path), a_desk(slack))
    assert fates(delivery)["report"] == "delivered"
    assert not delivery.is_delivered
    assert len(replies(slack)) == 1


def test_a_chart_that_failed_comes_with_the_end(slack: SlackServer, tmp_path: Path) -> None:
    folder = ready(tmp_path)
    slack.fail("upload", *[DOWN] * 4)
    announce_report(folder, a_desk(slack))
    announce_end(folder, a_desk(slack), problems=[])
    assert len(slack.shared()) == 1


def test_not_ready_pages_the_group_once(slack: SlackServer, tmp_path: Path) -> None:
    folder = failing(tmp_path)
    announce_report(folder, a_desk(slack))
    announce_end(folder, a_desk(slack), problems=[])
    (page,) = pages(slack)
    assert page["text"].startswith("NOT READY: checkout holds 36/s")
    assert "thread_ts" not in page


def test_ready_pages_nobody(slack: SlackServer, tmp_path: Path) -> None:
    announce_report(ready(tmp_path), a_desk(slack))
    announce_end(ready(tmp_path), a_desk(slack), problems=[])
    assert pages(slack) == []


@pytest.mark.parametrize("lost", range(4))
def test_a_page_comes_at_least_once_and_at_most_twice(
    lost: int, slack: SlackServer, tmp_path: Path
) -> None:
    folder = folder_of(runs.aborted_run(), tmp_path, stages=5)
    slack.fail(POST, *[LOST] * lost)
    announce_abort(folder, a_desk(slack))
    announce_abort(folder, a_desk(slack))
    announce_end(folder, a_desk(slack), problems=[])
    assert 1 <= len(pages(slack)) <= 2


def test_an_abort_page_says_that_nobody_must_act(slack: SlackServer, tmp_path: Path) -> None:
    announce_abort(folder_of(runs.aborted_run(), tmp_path, stages=5), a_desk(slack))
    (page,) = pages(slack)
    assert "Nothing to do now" in shown(page)
    assert page["text"].startswith("ABORTED: checkout-peak at 5x (60/s)")


def test_a_page_that_slack_refused_is_sent_by_a_later_verb(
    slack: SlackServer, tmp_path: Path
) -> None:
    slack.channels.clear()
    folder = folder_of(runs.aborted_run(), tmp_path, stages=5)
    delivery = announce_abort(folder, a_desk(slack))
    assert fates(delivery)["page-abort"] == "refused"
    slack.channels.add(CHANNEL)
    announce_end(folder, a_desk(slack), problems=["stage failed"])
    assert len(pages(slack)) == 1


def test_a_stage_that_was_not_stopped_gives_no_abort(slack: SlackServer, tmp_path: Path) -> None:
    delivery = announce_abort(folder_of(runs.ready_run(), tmp_path, stages=2), a_desk(slack))
    assert delivery.parts == ()
    assert slack.calls == []


@pytest.mark.parametrize("is_begun", [False, True])
def test_a_run_that_died_before_its_report_is_told(
    is_begun: bool, slack: SlackServer, tmp_path: Path
) -> None:
    folder = RunFolder(tmp_path / "demo-1")
    if is_begun:
        folder = folder_of(runs.ready_run(), tmp_path, stages=1)
    announce_start(folder, a_desk(slack))
    problems = ["restore failed", "stage 5x: upstream_failed"]
    for _ in range(2):
        announce_end(folder, a_desk(slack), problems=problems)
    root, news = slack.roots
    assert "ended without a verdict" in root["text"]
    assert "• restore failed" in shown(news)
    assert len(slack.messages) == 2


def test_a_clone_that_was_not_destroyed_is_news(slack: SlackServer, tmp_path: Path) -> None:
    folder = ready(tmp_path)
    announce_report(folder, a_desk(slack))
    announce_end(folder, a_desk(slack), problems=["destroy failed"])
    news = [m for m in slack.roots if "destroy failed" in shown(m)]
    assert len(news) == 1
    assert "READY: checkout holds 10/s" in news[0]["text"]


def test_a_report_that_could_not_be_delivered_comes_with_the_end(
    slack: SlackServer, tmp_path: Path
) -> None:
    folder = failing(tmp_path)
    slack.fail(POST, *[too_many("3600")] * 3)
    assert not announce_report(folder, a_desk(slack)).is_delivered
    announce_end(folder, a_desk(slack), problems=[])
    assert (len(pages(slack)), len(slack.roots), len(replies(slack))) == (1, 2, 1)


@pytest.mark.parametrize("name", ["run.json", "verdict.json", "stages.parquet"])
def test_a_broken_run_folder_is_told_not_raised(
    name: str, slack: SlackServer, tmp_path: Path
) -> None:
    folder = ready(tmp_path)
    (folder.path / name).write_bytes(b"{")
    delivery = announce_end(folder, a_desk(slack), problems=["report failed"])
    assert name.split(".")[0] in " ".join(delivery.notes)
    assert len(slack.messages) == 2


def test_a_broken_memory_posts_nothing_twice(slack: SlackServer, tmp_path: Path) -> None:
    folder = ready(tmp_path)
    announce_start(folder, a_desk(slack))
    (folder.path / "slack/state.json").write_text("{")
    delivery = announce_report(folder, a_desk(slack))
    assert "state.json is broken" in " ".join(delivery.notes)
    assert len(slack.messages) == 1


def test_two_processes_do_not_talk_at_once(slack: SlackServer, tmp_path: Path) -> None:
    folder = ready(tmp_path)
    with MessageBox(folder.path).held(HurriedClock(), within_s=1):
        delivery = announce_start(folder, a_desk(slack))
    assert delivery.parts == ()
    assert "Another run holds" in " ".join(delivery.notes)
    assert slack.calls == []


@pytest.mark.parametrize("fault", [DOWN, LOST, too_many("9"), Fault(sleep_s=0.7)])
def test_a_verb_ends_in_half_a_minute(fault: Fault, slack: SlackServer, tmp_path: Path) -> None:
    folder = folder_of(runs.not_ready_run(), tmp_path)
    for method in (POST, EDIT, "upload", "files.getUploadURLExternal"):
        slack.fail(method, *[fault] * 40)
    delivery = announce_end(folder, a_desk(slack), problems=["destroy failed"])
    assert delivery.took_s <= 30
    assert not delivery.is_delivered


def test_every_body_that_was_sent_is_kept(slack: SlackServer, tmp_path: Path) -> None:
    folder = failing(tmp_path)
    announce_report(folder, a_desk(slack))
    kept = sorted(p.name for p in (folder.path / "slack").glob("[0-9]*.json"))
    assert kept == [
        "01-page-not-ready.json", "02-root-end.json", "03-report.json", "04-chart.json",
    ]  # fmt: skip
    written = json.loads((folder.path / "slack/03-report.json").read_text())
    assert written.pop("schema_version") == 1
    assert written == slack.called(POST)[-1]


def test_the_token_is_in_no_file_of_the_run(slack: SlackServer, tmp_path: Path) -> None:
    slack.fail(POST, Fault(error="invalid_auth"), LOST)
    desk, folder = a_desk(slack), failing(tmp_path)
    delivery = announce_report(folder, desk)
    announce_end(folder, desk, problems=["destroy failed"])
    assert TOKEN not in f"{desk!r} {delivery!r} {delivery.facts}"
    files = [p for p in folder.path.rglob("*") if p.is_file()]
    assert [p.name for p in files if TOKEN.encode() in p.read_bytes()] == []


def test_without_slack_the_same_files_are_written(slack: SlackServer, tmp_path: Path) -> None:
    sent, kept = failing(tmp_path / "sent"), failing(tmp_path / "kept")
    announce_report(sent, a_desk(slack))
    delivery = announce_report(kept, Desk(Line(Outbox(), HurriedClock()), TO))
    names = [{p.name for p in (f.path / "slack").iterdir()} for f in (sent, kept)]
    assert names[0] == names[1]
    assert (delivery.through, delivery.is_delivered) == ("outbox", True)


def test_a_channel_that_comes_later_gets_a_root_of_its_own(
    slack: SlackServer, tmp_path: Path
) -> None:
    folder = ready(tmp_path)
    announce_start(folder, Desk(Line(Outbox(), HurriedClock()), TO))
    announce_report(folder, a_desk(slack))
    assert (len(slack.roots), len(replies(slack))) == (1, 1)


def test_a_channel_that_changes_during_a_run_does_not_split_it(
    slack: SlackServer, tmp_path: Path
) -> None:
    slack.channels.add("C0OTHER0001")
    run = runs.ready_run()
    announce_start(folder_of(run, tmp_path, stages=0), a_desk(slack))
    announce_stage(folder_of(run, tmp_path, stages=1), a_desk(slack, "C0OTHER0001"))
    assert [m["channel"] for m in slack.messages.values()] == [CHANNEL]


def test_a_fault_of_our_own_is_a_note(tmp_path: Path) -> None:
    class Broken(Outbox):
        def post(self, *args: Any, **given: Any) -> Any:
            raise ZeroDivisionError

    delivery = announce_start(ready(tmp_path), Desk(Line(Broken(), HurriedClock())))
    assert delivery.notes == ("ZeroDivisionError while the message was made or sent",)
    assert not delivery.is_delivered


def test_facts_of_a_delivery_can_be_an_event(slack: SlackServer, tmp_path: Path) -> None:
    slack.scopes = {"files:write"}
    folder = ready(tmp_path)
    delivery = announce_start(folder, a_desk(slack))
    folder.append_event(time.time(), "told", **delivery.facts)
    (event,) = folder.read_events()
    (part,) = event["parts"]
    assert (part["fate"], part["error"]) == (str(Fate.REFUSED), "missing_scope: chat:write")

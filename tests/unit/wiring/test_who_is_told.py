"""Who is told of a run: Slack with a token and a channel, the outbox without, never an error."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from readiness.artifacts.run_folder import RunFolder
from readiness.config.settings import Settings, read_settings
from readiness.model.message import Delivery, Fate, Part
from readiness.wiring.messages import desk_of, keep

TOKEN = "xoxb-test-77aa"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read_settings(
        {
            "READINESS_STATE": str(tmp_path),
            "READINESS_SLACK_CHANNEL": " C0READY0001 ",
            "READINESS_SLACK_GROUP": "S0READY0001",
            "READINESS_BASE_URL": "https://airflow.example.com/",
        }
    )


def test_without_a_token_the_outbox_is_told(settings: Settings) -> None:
    desk = desk_of(settings, environ={})
    assert (desk.line.messenger.name, desk.notes) == ("outbox", ())


@pytest.mark.parametrize("given", [{"READINESS_SLACK_TOKEN": TOKEN}, {}])
def test_a_token_of_the_environment_or_a_connection_tells_slack(
    given: dict[str, str], settings: Settings
) -> None:
    desk = desk_of(settings, token="" if given else TOKEN, environ=given)
    assert (desk.line.messenger.name, desk.line.messenger.channel) == ("slack", "C0READY0001")
    assert TOKEN not in repr(desk)
    assert TOKEN not in repr(settings)


def test_the_channel_of_a_connection_comes_first(settings: Settings) -> None:
    desk = desk_of(settings, token=TOKEN, channel="C0OTHER0001", environ={})
    assert desk.line.messenger.channel == "C0OTHER0001"


def test_a_token_without_a_channel_is_said(settings: Settings) -> None:
    desk = desk_of(replace(settings, slack_channel=""), token=TOKEN, environ={})
    assert desk.line.messenger.name == "outbox"
    assert "READINESS_SLACK_CHANNEL" in desk.notes[0]


@pytest.mark.parametrize("url", ["http://slack.example.com/api/", "ftp://127.0.0.1:1/", "x"])
def test_a_token_is_not_sent_in_the_clear(url: str, settings: Settings) -> None:
    desk = desk_of(settings, token=TOKEN, api_url=url, environ={})
    assert desk.line.messenger.name == "outbox"
    assert "no https address" in desk.notes[0]


def test_links_lead_to_the_run_in_airflow(settings: Settings) -> None:
    desk = desk_of(settings, run_path="/dags/readiness_demo/runs/manual__1", environ={})
    url = "https://airflow.example.com/dags/readiness_demo/runs/manual__1"
    assert desk.address.link == f"<{url}|Run in Airflow>"
    assert desk_of(settings, environ={}).address.link == ""


def test_a_group_that_is_no_id_is_a_note(settings: Settings) -> None:
    desk = desk_of(replace(settings, slack_group="@dbre-oncall"), environ={})
    assert "READINESS_SLACK_GROUP" in " ".join(desk.notes)


def test_a_base_url_that_is_no_address_is_a_note(settings: Settings) -> None:
    desk = desk_of(replace(settings, base_url="airflow"), run_path="/x", environ={})
    assert "READINESS_BASE_URL" in " ".join(desk.notes)


def test_a_delivery_is_an_event_of_the_run(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    part = Part("root-start", Fate.REFUSED, "missing_scope: chat:write", "Add the scope.")
    keep(folder, Delivery("start", "slack", (part,), 0.25))
    (event,) = folder.read_events()
    told = {key: event[key] for key in ("event", "verb", "through", "is_delivered", "took_s")}
    assert told == {
        "event": "told", "verb": "start", "through": "slack", "is_delivered": False, "took_s": 0.25,
    }  # fmt: skip
    assert event["parts"][0]["hint"] == "Add the scope."


def test_an_event_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    keep(RunFolder(in_the_way), Delivery("start", "slack"))
    assert in_the_way.read_bytes() == b""

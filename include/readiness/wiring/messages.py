"""Who is told of a run: Slack when there is a token and a channel, else the run folder's outbox.

READINESS_SLACK_TOKEN     the bot token of the app (scopes chat:write, files:write)
READINESS_SLACK_API_URL   another Web API (default https://slack.com/api/)
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from readiness.adapters.clock import SystemClock
from readiness.adapters.outbox import Outbox
from readiness.adapters.slack import API_URL, SlackMessenger
from readiness.artifacts.run_folder import RunFolder
from readiness.config.settings import Settings
from readiness.errors import ArtifactError
from readiness.flow.announce import Desk
from readiness.flow.telling import Line
from readiness.model.message import Delivery
from readiness.ports import Messenger
from readiness.report.slack_blocks import link, mention
from readiness.report.slack_course import Address
from readiness.wiring.scans import guard_of


def desk_of(
    settings: Settings,
    *,
    token: str = "",
    channel: str = "",
    api_url: str = "",
    run_path: str = "",
    environ: Mapping[str, str] | None = None,
) -> Desk:
    """The desk of this machine. `token`, `channel` and `api_url` of an Airflow connection come
    before the variables; `run_path` is the run's page below the base URL ("/dags/x/runs/y"). Never raises: what
    is wrong with the settings stands in `Desk.notes` and in each Delivery."""
    env = os.environ if environ is None else environ
    clock = SystemClock()
    token = (token or env.get("READINESS_SLACK_TOKEN", "")).strip()
    api_url = api_url or env.get("READINESS_SLACK_API_URL", "") or API_URL
    channel = channel or settings.slack_channel
    messenger: Messenger = Outbox()
    notes = []
    if token and not channel:
        notes.append("there is a Slack token, but no READINESS_SLACK_CHANNEL: nothing is sent")
    elif token and not api_url.startswith(("https://", "http://127.0.0.1:")):
        notes.append("the address of Slack's Web API is no https address: nothing is sent")
    elif token:
        messenger = SlackMessenger(token, channel, clock=clock, api_url=api_url)
    address = Address(settings.slack_group, _run_url(settings.base_url, run_path))
    if settings.slack_group and not mention(settings.slack_group):
        notes.append(
            "READINESS_SLACK_GROUP is no id of a user group (S0123456789): nobody is paged"
        )
    if address.run_url and not link(address.run_url, "run"):
        notes.append("READINESS_BASE_URL is no http address: messages have no links")
    return Desk(Line(messenger, clock), address, tuple(notes), guard_of)


def keep(folder: RunFolder, delivery: Delivery) -> None:
    """Adds the delivery to the run's `events.jsonl`, if that can be written."""
    try:
        folder.append_event(SystemClock().wall_s(), "told", **delivery.facts)
    except ArtifactError:
        return


def _run_url(base_url: str, run_path: str) -> str:
    if not base_url or not run_path:
        return ""
    return re.sub(r"\s", "", f"{base_url}/{run_path.lstrip('/')}")

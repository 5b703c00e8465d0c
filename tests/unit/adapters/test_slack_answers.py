"""Each way in which Slack fails, over HTTP: what is sent again, and what may stand in the channel."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterator

import pytest
from tests.fakes.clocks import HurriedClock
from tests.fakes.slack_server import CHANNEL, TOKEN, Fault, SlackServer, too_many

from readiness.adapters.slack import SlackMessenger
from readiness.model.message import Fate

POST, EDIT = "chat.postMessage", "chat.update"
PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy")


@pytest.fixture
def slack(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlackServer]:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
    with SlackServer() as server:
        yield server


@pytest.fixture
def clock() -> HurriedClock:
    return HurriedClock()


@pytest.fixture
def messenger(slack: SlackServer, clock: HurriedClock) -> SlackMessenger:
    return SlackMessenger(TOKEN, CHANNEL, clock=clock, api_url=slack.url, answer_s=0.5)


def body(**more: object) -> dict[str, object]:
    return {"channel": CHANNEL, "text": "hello", "blocks": [], **more}


def test_a_post_is_named_by_channel_and_ts(slack: SlackServer, messenger: SlackMessenger) -> None:
    answer = messenger.post(body(), within_s=5)
    assert (answer.fate, answer.channel) == (Fate.DELIVERED, CHANNEL)
    assert list(slack.messages) == [answer.ts]


@pytest.mark.parametrize(
    ("asked", "waited"),
    [("1", 1.0), ("1.5", 1.5), ("0", 0.0), ("-3", 0.0), (None, 1.0), ("soon", 1.0), ("nan", 1.0)],
)
def test_too_many_requests_waits_as_long_as_asked(
    asked: str | None,
    waited: float,
    slack: SlackServer,
    messenger: SlackMessenger,
    clock: HurriedClock,
) -> None:
    slack.fail(POST, too_many(asked))
    assert messenger.post(body(), within_s=20).fate is Fate.DELIVERED
    assert clock.slept == [waited]
    assert len(slack.messages) == 1


@pytest.mark.parametrize("asked", ["3600", "inf", "11"])
def test_a_longer_wait_than_news_lives_is_not_made(
    asked: str, slack: SlackServer, messenger: SlackMessenger, clock: HurriedClock
) -> None:
    slack.fail(POST, too_many(asked))
    answer = messenger.post(body(), within_s=20)
    assert (answer.fate, answer.error) == (Fate.UNAVAILABLE, "ratelimited")
    assert clock.slept == []


def test_a_wait_beyond_the_given_time_is_not_made(
    slack: SlackServer, messenger: SlackMessenger, clock: HurriedClock
) -> None:
    slack.fail(POST, too_many("5"))
    assert messenger.post(body(), within_s=3).fate is Fate.UNAVAILABLE
    assert clock.slept == []


@pytest.mark.parametrize("status", [500, 502, 503, 504])
@pytest.mark.parametrize("content", [None, b"<html>bad gateway</html>", b""])
def test_a_broken_server_is_asked_again(
    status: int, content: bytes | None, slack: SlackServer, messenger: SlackMessenger
) -> None:
    slack.fail(POST, Fault(status=status, error="internal_error", body=content))
    assert messenger.post(body(), within_s=20).fate is Fate.DELIVERED
    assert len(slack.messages) == 1


def test_a_server_that_stays_broken_is_given_up(
    slack: SlackServer, messenger: SlackMessenger, clock: HurriedClock
) -> None:
    slack.fail(POST, *[Fault(status=503, error="x")] * 9)
    answer = messenger.post(body(), within_s=20)
    assert (answer.fate, answer.error) == (Fate.UNAVAILABLE, "HTTP 503")
    assert len(slack.calls) == 4
    assert clock.slept == [0.5, 1.0, 2.0]


@pytest.mark.parametrize("error", ["internal_error", "fatal_error", "ratelimited"])
def test_a_no_that_passes_is_asked_again(
    error: str, slack: SlackServer, messenger: SlackMessenger
) -> None:
    slack.fail(POST, Fault(error=error))
    assert messenger.post(body(), within_s=20).fate is Fate.DELIVERED


@pytest.mark.parametrize(
    "error",
    ["invalid_auth", "token_revoked", "channel_not_found", "not_in_channel", "is_archived",
     "msg_too_long", "restricted_action", "a_word_of_next_year"],
)  # fmt: skip
def test_a_no_that_stays_is_not_asked_again(
    error: str, slack: SlackServer, messenger: SlackMessenger
) -> None:
    slack.fail(POST, Fault(error=error))
    answer = messenger.post(body(), within_s=20)
    assert (answer.fate, answer.error) == (Fate.REFUSED, error)
    assert len(slack.calls) == 1


def test_a_missing_scope_is_named(slack: SlackServer, messenger: SlackMessenger) -> None:
    slack.scopes = {"files:write"}
    answer = messenger.post(body(), within_s=5)
    assert answer.error == "missing_scope: chat:write"
    assert "install it again" in answer.hint


def test_an_unknown_channel_says_what_to_set(slack: SlackServer, messenger: SlackMessenger) -> None:
    answer = messenger.post(body(channel="C0NOWHERE01"), within_s=5)
    assert answer.fate is Fate.REFUSED
    assert "READINESS_SLACK_CHANNEL" in answer.hint


def test_blocks_that_are_not_taken_ask_for_others(
    slack: SlackServer, messenger: SlackMessenger
) -> None:
    slack.fail(POST, Fault(error="invalid_blocks"))
    assert messenger.post(body(), within_s=5).fate is Fate.UNFIT


@pytest.mark.parametrize(
    "fault",
    [Fault(is_lost=True), Fault(sleep_s=1.2), Fault(trickle_s=0.05), Fault(body=b""),
     Fault(body=b"<html>log in first</html>")],
    ids=["lost", "late", "trickle", "empty", "a page"],
)  # fmt: skip
def test_a_post_without_an_answer_is_not_repeated(
    fault: Fault, slack: SlackServer, messenger: SlackMessenger
) -> None:
    slack.fail(POST, fault)
    assert messenger.post(body(), within_s=20).fate is Fate.UNSURE
    time.sleep(fault.sleep_s)
    assert len(slack.called(POST)) == 1
    assert len(slack.messages) <= 1


def test_a_page_of_a_proxy_that_refuses_is_a_refusal(
    slack: SlackServer, messenger: SlackMessenger
) -> None:
    slack.fail(POST, Fault(status=403, body=b"<html>not from here</html>"))
    answer = messenger.post(body(), within_s=5)
    assert (answer.fate, answer.error) == (Fate.REFUSED, "HTTP 403 without a readable answer")


def test_an_edit_without_an_answer_is_repeated(
    slack: SlackServer, messenger: SlackMessenger
) -> None:
    ts = messenger.post(body(), within_s=5).ts
    slack.fail(EDIT, Fault(is_lost=True), Fault(sleep_s=0.8))
    assert messenger.edit(body(ts=ts, text="new"), within_s=20).fate is Fate.DELIVERED
    assert slack.messages[ts]["text"] == "new"


def test_an_edit_of_a_deleted_message_says_so(
    slack: SlackServer, messenger: SlackMessenger
) -> None:
    assert messenger.edit(body(ts="1.1"), within_s=5).fate is Fate.GONE


def test_nobody_at_the_address_is_surely_not_sent(clock: HurriedClock) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    nobody = SlackMessenger(TOKEN, CHANNEL, clock=clock, api_url=f"http://127.0.0.1:{port}/api/")
    answer = nobody.post(body(), within_s=20)
    assert (answer.fate, answer.error) == (
        Fate.UNAVAILABLE,
        "no connection: ConnectionRefusedError",
    )
    assert len(clock.slept) == 3


def test_a_server_that_trickles_does_not_hold_us(
    slack: SlackServer, messenger: SlackMessenger
) -> None:
    slack.fail(POST, Fault(trickle_s=0.3))
    began = time.monotonic()
    messenger.post(body(), within_s=20)
    assert time.monotonic() - began < 10  # the whole answer takes half a minute


def test_no_time_sends_nothing(slack: SlackServer, messenger: SlackMessenger) -> None:
    assert messenger.post(body(), within_s=0).fate is Fate.UNAVAILABLE
    assert slack.calls == []


PICTURE = {
    "channel": CHANNEL,
    "filename": "ramp.png",
    "title": "Ramp",
    "alt_txt": "what it shows",
    "initial_comment": "Ramp chart",
}


def test_a_file_is_shown_with_title_and_words(
    slack: SlackServer, messenger: SlackMessenger
) -> None:
    ts = messenger.post(body(), within_s=5).ts
    answer = messenger.upload({**PICTURE, "thread_ts": ts}, b"\x89PNG", within_s=20)
    assert answer.fate is Fate.DELIVERED
    (file,) = slack.shared()
    told = {key: file[key] for key in ("content", "title", "alt_txt", "thread_ts")}
    assert told == {
        "content": b"\x89PNG", "title": "Ramp", "alt_txt": "what it shows", "thread_ts": ts,
    }  # fmt: skip


@pytest.mark.parametrize(
    "method", ["files.getUploadURLExternal", "upload", "files.completeUploadExternal"]
)
@pytest.mark.parametrize("status", [429, 500, 502])
def test_each_step_of_an_upload_is_asked_again(
    method: str, status: int, slack: SlackServer, messenger: SlackMessenger
) -> None:
    slack.fail(method, Fault(status=status, error="x"))
    assert messenger.upload(PICTURE, b"png", within_s=20).fate is Fate.DELIVERED
    assert len(slack.shared()) == 1


@pytest.mark.parametrize("method", ["files.getUploadURLExternal", "upload"])
def test_a_lost_answer_before_the_last_step_shows_nothing_and_is_repeated(
    method: str, slack: SlackServer, messenger: SlackMessenger
) -> None:
    slack.fail(method, Fault(is_lost=True))
    assert messenger.upload(PICTURE, b"png", within_s=20).fate is Fate.DELIVERED
    assert len(slack.shared()) == 1


def test_a_lost_answer_to_the_last_step_is_not_repeated(
    slack: SlackServer, messenger: SlackMessenger
) -> None:
    slack.fail("files.completeUploadExternal", Fault(is_lost=True))
    assert messenger.upload(PICTURE, b"png", within_s=20).fate is Fate.UNSURE
    assert len(slack.called("files.completeUploadExternal")) == 1


@pytest.mark.parametrize(("status", "fate"), [(500, Fate.UNAVAILABLE), (403, Fate.REFUSED)])
def test_bytes_that_are_never_taken_leave_no_doubt(
    status: int, fate: Fate, slack: SlackServer, messenger: SlackMessenger
) -> None:
    slack.fail("upload", *[Fault(status=status, error="x")] * 9)
    answer = messenger.upload(PICTURE, b"png", within_s=20)
    assert (answer.fate, answer.error) == (fate, f"upload: HTTP {status}")
    assert slack.shared() == []


def test_the_token_is_in_no_repr_log_or_answer(
    slack: SlackServer,
    messenger: SlackMessenger,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger("slack_sdk").setLevel(logging.DEBUG)
    slack.fail(POST, Fault(error="invalid_auth"), Fault(is_lost=True), Fault(status=500, error="x"))
    answers = [messenger.post(body(), within_s=5) for _ in range(3)]
    answers.append(messenger.upload(PICTURE, b"png", within_s=5))
    told = f"{messenger!r} {answers!r} {caplog.text} {''.join(capfd.readouterr())}"
    assert TOKEN not in told
    assert "/upload/" not in told

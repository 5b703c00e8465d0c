"""Slack over its Web API, with a bot token: posts, edits and uploads that end in time.

The SDK's own retries are off: they re-post a message whose answer was lost, sleep for whatever
Retry-After says, and leave out 502 and 504. The token is in no repr, message, log or file.
"""

from __future__ import annotations

import logging
import queue
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from readiness.adapters.slack_answers import Trial, of_api_error, of_exception
from readiness.model.message import Answer, Fate
from readiness.ports import Clock

if TYPE_CHECKING:
    from slack_sdk import WebClient
    from slack_sdk.web import SlackResponse

API_URL = "https://slack.com/api/"
ANSWER_S = 8.0
_TRIES = 4
_LONGEST_WAIT_S = 10.0  # for Retry-After; a longer one is no longer news

Call = Callable[["WebClient"], "SlackResponse"]


class SlackMessenger:
    """A `ports.Messenger` to one Slack channel, named by its id. No answer is waited for longer
    than `answer_s` seconds."""

    name = "slack"

    def __init__(
        self,
        token: str,
        channel: str,
        *,
        clock: Clock,
        api_url: str = API_URL,
        answer_s: float = ANSWER_S,
    ) -> None:
        self.channel = channel
        self._answer_s = answer_s
        self._token = token
        self._clock = clock
        self._api_url = api_url

    def __repr__(self) -> str:
        return f"SlackMessenger(channel={self.channel!r})"

    def post(self, body: Mapping[str, object], *, within_s: float) -> Answer:
        """chat.postMessage."""
        until_s = self._now_s() + within_s
        return _place(self._ask(lambda c: c.api_call("chat.postMessage", json=dict(body)), until_s))

    def edit(self, body: Mapping[str, object], *, within_s: float) -> Answer:
        """chat.update."""
        until_s = self._now_s() + within_s
        asked = self._ask(
            lambda c: c.api_call("chat.update", json=dict(body)), until_s, may_repeat=True
        )
        return _place(asked)

    def upload(self, body: Mapping[str, object], content: bytes, *, within_s: float) -> Answer:
        """files_upload_v2 in its three steps: only the last one shows anything in the channel, so
        the first two are repeated freely."""
        until_s = self._now_s() + within_s
        wanted = {"filename": body["filename"], "length": len(content), "alt_txt": body["alt_txt"]}
        answer, place = self._ask(
            lambda c: c.api_call("files.getUploadURLExternal", params=wanted),
            until_s,
            may_repeat=True,
        )
        if answer.fate is not Fate.DELIVERED:
            return _nothing_shown(answer)
        answer, _ = self._ask(
            lambda c: _send_bytes(c, str(place["upload_url"]), content), until_s, may_repeat=True
        )
        if answer.fate is not Fate.DELIVERED:
            return _nothing_shown(answer)
        return self._share(body, str(place["file_id"]), until_s)

    def _share(self, body: Mapping[str, object], file_id: str, until_s: float) -> Answer:
        thread = body.get("thread_ts")
        answer, _ = self._ask(
            lambda c: c.files_completeUploadExternal(
                files=[{"id": file_id, "title": str(body["title"])}],
                channel_id=str(body["channel"]),
                initial_comment=str(body["initial_comment"]),
                thread_ts=str(thread) if thread else None,
            ),
            until_s,
        )
        return answer

    def _ask(
        self, call: Call, until_s: float, *, may_repeat: bool = False
    ) -> tuple[Answer, dict[str, Any]]:
        """The answer to a call, after the tries that make sense, and what it holds."""
        tries = 0
        while True:
            left_s = until_s - self._now_s()
            if left_s <= 0:
                return Answer(Fate.UNAVAILABLE, error="no time was left to send it"), {}
            trial, data = self._try(call, min(left_s, self._answer_s), tries)
            tries += 1
            wait_s = trial.again_after_s
            if trial.answer.fate is Fate.UNSURE and may_repeat:
                wait_s = 0.0
            if wait_s is None or tries >= _TRIES or wait_s > _LONGEST_WAIT_S:
                return trial.answer, data
            if self._now_s() + wait_s >= until_s:
                return trial.answer, data
            self._clock.sleep(wait_s)

    def _try(self, call: Call, within_s: float, tries: int) -> tuple[Trial, dict[str, Any]]:
        from slack_sdk.errors import SlackApiError

        try:
            response = _answered(lambda: call(self._client(within_s)), within_s)
        except SlackApiError as error:
            return of_api_error(error, tries), {}
        except Exception as error:  # noqa: BLE001 - whatever the SDK lets through is an end
            return of_exception(error, tries), {}
        data = response.data if isinstance(response.data, dict) else {}
        return Trial(Answer(Fate.DELIVERED)), data

    def _client(self, within_s: float) -> WebClient:
        from slack_sdk import WebClient

        return WebClient(
            token=self._token,
            base_url=self._api_url,
            # A little earlier than we stop waiting: a connect that fails is known to be none.
            timeout=within_s * 0.9,  # type: ignore[arg-type]  # sockets take fractions
            retry_handlers=[],
            logger=_silent(),
        )

    def _now_s(self) -> float:
        return self._clock.monotonic_ns() / 1e9


def _place(asked: tuple[Answer, dict[str, Any]]) -> Answer:
    """The answer with the place of the message in it."""
    answer, data = asked
    if answer.fate is not Fate.DELIVERED:
        return answer
    return Answer(Fate.DELIVERED, str(data.get("channel", "")), str(data.get("ts", "")))


def _nothing_shown(answer: Answer) -> Answer:
    """A lost answer before the last step of an upload leaves nothing in doubt."""
    if answer.fate is not Fate.UNSURE:
        return answer
    return Answer(Fate.UNAVAILABLE, error=answer.error, hint=answer.hint)


def _answered(call: Callable[[], SlackResponse], within_s: float) -> SlackResponse:
    """The call's result; raises TimeoutError when it takes longer, whatever it waits for: a
    time-out of sockets bounds neither name look-ups nor a server that trickles."""
    results: queue.SimpleQueue[SlackResponse | BaseException] = queue.SimpleQueue()

    def work() -> None:
        try:
            results.put(call())
        except BaseException as error:  # noqa: BLE001 - raised again by the waiting thread
            # Without its frames: when nobody waits any more they would hold the queue that holds it.
            results.put(error.with_traceback(None))

    threading.Thread(target=work, name="slack", daemon=True).start()
    try:
        result = results.get(timeout=within_s)
    except queue.Empty:
        raise TimeoutError(f"no answer in {within_s:.1f} s") from None
    if isinstance(result, BaseException):
        try:
            raise result
        finally:
            del result  # this frame is in its traceback: a cycle would keep its socket open
    return result


def _send_bytes(client: WebClient, url: str, content: bytes) -> SlackResponse:
    """Step two of an upload: the bytes, to the address that step one gave."""
    from slack_sdk.web import SlackResponse

    if not url.startswith(("https://", "http://127.0.0.1:")):
        raise ValueError("an upload goes to https only")
    request = urllib.request.Request(url, data=content, method="POST")  # noqa: S310 - see above
    try:
        with urllib.request.urlopen(request, timeout=client.timeout) as reply:  # noqa: S310 - same
            reply.read()
    except urllib.error.HTTPError as error:
        error.close()
        raise
    return SlackResponse(
        client=client, http_verb="POST", api_url="upload", req_args={}, data={"ok": True},
        headers={}, status_code=200,
    )  # fmt: skip


def _silent() -> logging.Logger:
    """A logger that says nothing: what failed is in the Answer, and an upload's address is secret."""
    logger = logging.getLogger("readiness.adapters.slack.sdk")
    logger.setLevel(logging.CRITICAL + 1)
    logger.propagate = False
    return logger

"""What Slack's Web API answered, and what broke instead of an answer, as an Answer.

The question that decides everything: may the message stand in the channel now? A refusal says no.
A request that could not be handed over says no. No answer to one that was handed over says nothing.
"""

from __future__ import annotations

import http.client
import urllib.error
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from readiness.model.message import Answer, Fate

if TYPE_CHECKING:
    from slack_sdk.errors import SlackApiError

_BACKOFF_S = 0.5
_AFTER_S = 1.0  # Retry-After is missing or no number
_TRANSIENT = {
    "ratelimited",
    "rate_limited",
    "internal_error",
    "fatal_error",
    "request_timeout",
    "service_unavailable",
    "team_added_to_org",
}
_UNFIT = {"invalid_blocks", "invalid_blocks_format", "block_mismatch"}
_GONE = {
    "message_not_found",
    "cant_update_message",
    "edit_window_closed",
    "thread_not_found",
    "invalid_thread_ts",
}
_HINTS = {
    "missing_scope": "Add the scope to the app (chat:write, files:write) and install it again.",
    "channel_not_found": "READINESS_SLACK_CHANNEL is the id of the channel, such as C0123456789;"
    " invite the app to a private one: /invite @app",
    "not_in_channel": "Invite the app to the channel: /invite @app",
    "is_archived": "The channel is archived: name another in READINESS_SLACK_CHANNEL.",
    "invalid_auth": "The token is wrong: give the bot token (xoxb-…) of the installed app.",
    "not_authed": "The token is empty: give the bot token (xoxb-…) of the installed app.",
    "token_revoked": "The token was revoked: install the app again and give its new token.",
    "token_expired": "The token has expired: install the app again and give its new token.",
    "account_inactive": "The app or its workspace is gone: install it again.",
    "ratelimited": "Slack asks to wait longer than a run should: it is tried again later.",
}


@dataclass(frozen=True, slots=True)
class Trial:
    """The end of one try, and after how many seconds another makes sense (None: not at all)."""

    answer: Answer
    again_after_s: float | None = None


def of_api_error(error: SlackApiError, tries: int) -> Trial:
    """Slack answered, with anything but a yes. `tries` were made before this one."""
    response = error.response
    status, data = int(response.status_code), response.data
    if status == 429:
        headers = {str(k).lower(): v for k, v in (response.headers or {}).items()}
        return Trial(_answer(Fate.UNAVAILABLE, "ratelimited"), retry_after_s(headers))
    if status >= 500:
        return Trial(Answer(Fate.UNAVAILABLE, error=f"HTTP {status}"), backoff_s(tries))
    kind = data.get("error") if isinstance(data, Mapping) else None
    if not isinstance(kind, str) or not kind.replace("_", "").isalnum():
        # No word of Slack's own: a proxy's page, or nothing at all.
        fate = Fate.REFUSED if status >= 400 else Fate.UNSURE
        return Trial(Answer(fate, error=f"HTTP {status} without a readable answer"))
    return _of_word(kind, data if isinstance(data, Mapping) else {}, tries)


def _of_word(kind: str, data: Mapping[str, object], tries: int) -> Trial:
    if kind in _TRANSIENT:
        return Trial(_answer(Fate.UNAVAILABLE, kind), backoff_s(tries))
    if kind in _UNFIT:
        return Trial(_answer(Fate.UNFIT, kind))
    if kind in _GONE:
        return Trial(_answer(Fate.GONE, kind))
    needed = str(data.get("needed", ""))
    if kind == "missing_scope" and needed.replace(":", "").replace(".", "").isalnum():
        return Trial(_answer(Fate.REFUSED, f"{kind}: {needed}", _HINTS[kind]))
    return Trial(_answer(Fate.REFUSED, kind))


def of_exception(error: Exception, tries: int) -> Trial:
    """No answer of the Web API came. Names the kind of failure, never an address or a header."""
    if isinstance(error, urllib.error.HTTPError):  # the upload's own answer
        again = backoff_s(tries) if error.code == 429 or error.code >= 500 else None
        fate = Fate.REFUSED if again is None else Fate.UNAVAILABLE
        return Trial(Answer(fate, error=f"upload: HTTP {error.code}"), again)
    if isinstance(error, urllib.error.URLError):  # connecting or handing over failed
        name = type(error.reason).__name__
        answer = Answer(Fate.UNAVAILABLE, error=f"no connection: {name}", hint=_connection_hint())
        return Trial(answer, backoff_s(tries))
    if isinstance(error, OSError | http.client.HTTPException | UnicodeError):
        return Trial(Answer(Fate.UNSURE, error=f"the answer was lost: {type(error).__name__}"))
    return Trial(Answer(Fate.REFUSED, error=f"{type(error).__name__} before sending"))


def retry_after_s(headers: Mapping[str, object]) -> float:
    """The seconds that `Retry-After` asks for: 0 and more, fractions allowed."""
    value = headers.get("retry-after")
    if isinstance(value, list | tuple):
        value = value[0] if value else None
    try:
        asked = float(str(value))
    except ValueError:
        return _AFTER_S
    return max(asked, 0.0) if asked == asked else _AFTER_S


def backoff_s(tries: int) -> float:
    """0.5 s, 1 s, 2 s …"""
    return float(_BACKOFF_S * 2**tries)


def _answer(fate: Fate, kind: str, hint: str = "") -> Answer:
    return Answer(fate, error=kind, hint=hint or _HINTS.get(kind, ""))


def _connection_hint() -> str:
    return "Can this host reach Slack? Check DNS, firewall and HTTPS_PROXY."

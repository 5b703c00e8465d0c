"""A Slack Web API on 127.0.0.1: keeps messages and files, refuses what Slack refuses, and breaks on
demand, one fault a call. What stands in the channel is in `messages`, whoever got an answer."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, urlparse

CHANNEL = "C0READY0001"
TOKEN = "xoxb-test-5e1f0c"
_SCOPES = {"chat": "chat:write", "files": "files:write"}


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one call. `sleep_s` delays it; `is_lost` stores the message and sends no
    answer; `trickle_s` sends the answer a byte at a time, each so late."""

    status: int = 200
    error: str = ""
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    sleep_s: float = 0.0
    is_lost: bool = False
    trickle_s: float = 0.0

    @property
    def is_answer(self) -> bool:
        """Whether it answers instead of the API."""
        return bool(self.error) or self.status != 200 or self.body is not None


def too_many(retry_after: str | None) -> Fault:
    """HTTP 429."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return Fault(status=429, error="ratelimited", headers=headers)


class SlackServer:
    """`with SlackServer() as slack:`; faults by method name, "upload" for the bytes of a file."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.messages: dict[str, dict[str, Any]] = {}
        self.files: dict[str, dict[str, Any]] = {}
        self.channels = {CHANNEL}
        self.archived: set[str] = set()
        self.scopes = {"chat:write", "files:write"}
        self.takes_tables = True
        self._faults: dict[str, deque[Fault]] = {}
        self._numbers = itertools.count(1)
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> SlackServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(timeout=5)

    @property
    def url(self) -> str:
        """The base URL of its Web API."""
        return f"http://127.0.0.1:{self._http.server_port}/api/"

    @property
    def roots(self) -> list[dict[str, Any]]:
        """Messages that stand in the channel itself."""
        return [m for m in self.messages.values() if not m.get("thread_ts")]

    def fail(self, method: str, *faults: Fault) -> None:
        """The next calls of `method` go wrong like this."""
        self._faults.setdefault(method, deque()).extend(faults)

    def called(self, method: str) -> list[dict[str, Any]]:
        """The bodies of all calls of a method."""
        return [body for name, body in self.calls if name == method]

    def shared(self) -> list[dict[str, Any]]:
        """Files that the channel sees."""
        return [f for f in self.files.values() if f.get("channel_id")]

    def fault_of(self, method: str) -> Fault | None:
        """The fault that this call meets."""
        waiting = self._faults.get(method)
        return waiting.popleft() if waiting else None

    def answer(self, method: str, body: dict[str, Any], authorization: str) -> dict[str, Any]:
        """What the API says to a call."""
        if authorization != f"Bearer {TOKEN}":
            return _no("invalid_auth" if authorization else "not_authed")
        scope = _SCOPES.get(method.split(".")[0], "")
        if scope not in self.scopes:
            return {**_no("missing_scope"), "needed": scope, "provided": ",".join(self.scopes)}
        channel = body.get("channel", body.get("channel_id", CHANNEL))
        if channel not in self.channels:
            return _no("channel_not_found")
        if channel in self.archived:
            return _no("is_archived")
        methods: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "chat.postMessage": self._post,
            "chat.update": self._update,
            "files.getUploadURLExternal": self._upload_url,
            "files.completeUploadExternal": self._complete,
        }
        return methods[method](body) if method in methods else _no("unknown_method")

    def take_bytes(self, file_id: str, content: bytes) -> None:
        """Step two of an upload."""
        self.files[file_id]["content"] = content

    def _post(self, body: dict[str, Any]) -> dict[str, Any]:
        if body.get("thread_ts") and body["thread_ts"] not in self.messages:
            return _no("thread_not_found")
        wrong = self._wrong(body)
        if wrong:
            return _no(wrong)
        ts = f"1796005020.{next(self._numbers):06d}"
        self.messages[ts] = {**body, "ts": ts}
        return {"ok": True, "channel": body["channel"], "ts": ts, "message": {"text": body["text"]}}

    def _update(self, body: dict[str, Any]) -> dict[str, Any]:
        if body["ts"] not in self.messages:
            return _no("message_not_found")
        wrong = self._wrong(body)
        if wrong:
            return _no(wrong)
        self.messages[body["ts"]] |= body
        return {"ok": True, "channel": body["channel"], "ts": body["ts"], "text": body["text"]}

    def _wrong(self, body: dict[str, Any]) -> str:
        blocks = body.get("blocks") or []
        if not body.get("text") and not blocks:
            return "no_text"
        if len(body.get("text", "")) > 40_000:
            return "msg_too_long"
        if len(blocks) > 50 or (
            not self.takes_tables and any(b["type"] == "table" for b in blocks)
        ):
            return "invalid_blocks"
        sections = [b["text"]["text"] for b in blocks if b["type"] == "section" and "text" in b]
        return "invalid_blocks" if any(not 0 < len(t) <= 3000 for t in sections) else ""

    def _upload_url(self, body: dict[str, Any]) -> dict[str, Any]:
        if not body.get("filename") or not str(body.get("length", "")).isdecimal():
            return _no("invalid_arguments")
        file_id = f"F{next(self._numbers):09d}"
        self.files[file_id] = dict(body)
        address = self.url.replace("/api/", f"/upload/v1/{file_id}")
        return {"ok": True, "upload_url": address, "file_id": file_id}

    def _complete(self, body: dict[str, Any]) -> dict[str, Any]:
        listed = json.loads(body["files"])
        for item in listed:
            if "content" not in self.files[item["id"]]:
                return _no("file_not_found")
            self.files[item["id"]] |= {**body, "title": item["title"]}
        return {"ok": True, "files": [{"id": f["id"], "title": f["title"]} for f in listed]}


def _no(error: str) -> dict[str, Any]:
    return {"ok": False, "error": error}


def _handler(slack: SlackServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path = urlparse(self.path).path
            is_upload = path.startswith("/upload/")
            method = "upload" if is_upload else path.removeprefix("/api/")
            body = {} if is_upload else _parsed(raw, self.headers.get("Content-Type", ""))
            slack.calls.append((method, body))
            fault = slack.fault_of(method) or Fault()
            time.sleep(fault.sleep_s)
            if fault.is_answer:
                made = json.dumps(_no(fault.error)).encode() if fault.body is None else fault.body
                self._reply(fault.status, made, fault)
                return
            if is_upload:
                slack.take_bytes(path.rpartition("/")[2], raw)
                done = {"ok": True}
            else:
                done = slack.answer(method, body, self.headers.get("Authorization", ""))
            if not fault.is_lost:
                self._reply(200, json.dumps(done).encode(), fault)

        def _reply(self, status: int, content: bytes, fault: Fault) -> None:
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json; charset=utf-8")
                self.send_header("Content-Length", str(len(content)))
                for name, value in fault.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                pieces = [content[n : n + 1] for n in range(len(content))]
                for piece in pieces if fault.trickle_s else [content]:
                    self.wfile.write(piece)
                    time.sleep(fault.trickle_s)
            except OSError:
                self.close_connection = True  # the caller has gone

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    return Handler


def _parsed(raw: bytes, content_type: str) -> dict[str, Any]:
    if "json" in content_type:
        parsed: dict[str, Any] = json.loads(raw or b"{}")
        return parsed
    return {key: values[0] for key, values in parse_qs(raw.decode()).items()}

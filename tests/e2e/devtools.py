"""A headless Chromium steered over its DevTools protocol: pages as a person sees and uses them."""

from __future__ import annotations

import base64
import json
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

from websockets.sync.client import ClientConnection, connect

WAIT_S = 60.0
_TEXT = "(document.body?.innerText ?? '')"  # none between two pages


class Browser:
    """One tab of one browser with its profile in `folder`; `with` ends it."""

    def __init__(self, program: str, folder: Path) -> None:
        self._profile = folder / "profile"
        self._active = self._profile / "DevToolsActivePort"
        self._active.unlink(missing_ok=True)  # of an earlier browser
        self._number = 0
        self._session = ""
        self._process = subprocess.Popen(
            [
                program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--disable-dev-shm-usage", "--window-size=1280,1000", "--remote-debugging-port=0",
                f"--user-data-dir={self._profile}", "about:blank",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._ends = ExitStack()
        self._ends.callback(self._end_process)
        try:
            self._socket = self._connect()
            self._session = self._attach()
        except BaseException:
            self._ends.close()
            raise

    def open(self, url: str) -> None:
        """Goes to a page; what it fills in later is waited for by `see`."""
        self._call("Page.navigate", url=url)

    def run(self, script: str) -> Any:
        """The value of a script in the page."""
        answer = self._call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def see(self, script: str, within_s: float = WAIT_S) -> Any:
        """Waits until a script gives something true, and returns it."""
        deadline = time.monotonic() + within_s
        while not (found := self.run(script)):
            assert time.monotonic() < deadline, f"not seen: {script}\n{self.text()[:2000]}"
            time.sleep(0.3)
        return found

    def see_text(self, text: str, within_s: float = WAIT_S) -> None:
        """Waits until the page shows the text."""
        self.see(f"{_TEXT}.includes({json.dumps(text)})", within_s)

    def text(self) -> str:
        """All that the page shows."""
        return str(self.run(_TEXT))

    def click(self, element: str) -> None:
        """Clicks in the middle of what the script `element` finds, as a mouse does: not before it
        is there and nothing lies over it."""
        x, y = self.see(
            f"(() => {{ const e = {element}; if (!e) return null; e.scrollIntoView({{block: 'center'}});"
            " const r = e.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2;"
            " return e.contains(document.elementFromPoint(x, y)) ? [x, y] : null; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type_into(self, element: str, text: str) -> None:
        """Replaces what stands in an input by typing, and leaves the input."""
        self.click(element)
        self.run(f"{element}.select()")
        self._call("Input.insertText", text=text)
        self.run(f"{element}.blur()")

    def screenshot(self, file: Path) -> None:
        """What the window shows, as PNG."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(self._call("Page.captureScreenshot")["data"]))

    def _connect(self) -> ClientConnection:
        deadline = time.monotonic() + WAIT_S
        while not self._active.is_file() or self._active.read_text().count("\n") < 1:
            assert time.monotonic() < deadline, "the browser did not start"
            time.sleep(0.1)
        port, path = self._active.read_text().splitlines()[:2]
        url = f"ws://127.0.0.1:{port}{path}"
        return self._ends.enter_context(connect(url, proxy=None, max_size=None))

    def _attach(self) -> str:
        """A session with the tab that is open."""
        targets = self._call("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        attached = self._call("Target.attachToTarget", targetId=page, flatten=True)
        return str(attached["sessionId"])

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._socket.send(json.dumps(message))
        while True:
            answer = json.loads(self._socket.recv(timeout=WAIT_S))
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                result: dict[str, Any] = answer["result"]
                return result

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ends.close()

    def _end_process(self) -> None:
        self._process.terminate()
        self._process.wait(20)

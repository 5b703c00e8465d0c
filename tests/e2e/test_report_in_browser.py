"""report.html in a real browser, wide and narrow: it fits, works, and complains about nothing."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import pytest
from tests.fakes import runs

from readiness.report.page import render_page
from readiness.report.view import RunView

pytestmark = pytest.mark.e2e

# Runs before the page's own script, notes what goes wrong, and looks at the page when all is done.
PROBE = """<script>
const wrong = [];
addEventListener("error", (e) => wrong.push(String(e.message)));
addEventListener("securitypolicyviolation", (e) => wrong.push("blocked " + e.blockedURI));
console.error = (...words) => wrong.push(words.join(" "));
addEventListener("load", () => {
  const ramp = document.querySelector(".ramp"), root = document.documentElement;
  const key = (name) => ramp.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true}));
  const found = {width: innerWidth, scroll: root.scrollWidth, client: root.clientWidth};
  if (ramp) {
    key("End");
    found.readout = ramp.querySelector(".readout").textContent;
    const last = [...ramp.querySelectorAll("button")].at(-1);
    last.click();
    found.zoomed = ramp.querySelector("svg").getAttribute("viewBox");
    key("Escape");
    found.whole = ramp.querySelector("svg").getAttribute("viewBox");
  }
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify({...found, wrong});
  document.body.append(out);
});
</script>"""


@dataclass(frozen=True)
class Browser:
    """A headless browser that keeps its profile in a folder of the test."""

    program: str
    folder: Path

    def look(self, page: str, width: int) -> tuple[dict[str, object], str]:
        """What the probe found, and what the browser itself logged of the page's console."""
        file = self.folder / f"page-{width}.html"
        file.write_text(page.replace("<head>", f"<head>{PROBE}", 1), encoding="utf-8")
        done = subprocess.run(
            [
                self.program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--disable-dev-shm-usage", "--enable-logging=stderr",
                f"--user-data-dir={self.folder / 'profile'}", f"--window-size={width},900",
                "--virtual-time-budget=3000", "--dump-dom", file.as_uri(),
            ],
            capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        found = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.DOTALL)
        assert found is not None, done.stdout[-500:]
        console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        return json.loads(unescape(found[1])), "\n".join(console)


@pytest.fixture
def browser(chromium: str, tmp_path: Path) -> Browser:
    return Browser(chromium, tmp_path)


@pytest.mark.parametrize("width", [1280, 500])
@pytest.mark.parametrize("make", [runs.not_ready_run, runs.ready_run, runs.empty_run])
def test_a_report_fits_the_window_and_the_console_stays_empty(
    browser: Browser, make: Callable[[], RunView], width: int
) -> None:
    found, console = browser.look(render_page(make()), width)
    assert found["wrong"] == []
    assert console == ""
    assert found["width"] == width
    assert found["scroll"] == found["client"]


def test_the_cursor_reads_values_and_a_stage_can_be_zoomed(browser: Browser) -> None:
    found, _ = browser.look(render_page(runs.not_ready_run()), 1280)
    assert re.match(r"\d\d:\d\d:\d\d UTC  achieved 12/s · offered 12/s", str(found["readout"]))
    assert found["zoomed"] != found["whole"]
    assert str(found["whole"]).startswith("0 0 ")

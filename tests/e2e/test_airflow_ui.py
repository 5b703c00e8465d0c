"""`make up`: a person triggers the demo's plan in the browser and watches it to its end.

Screenshots are kept in .local/screenshots for people to look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.airflow_ui import AirflowUi, wait_for
from tests.e2e.devtools import Browser

from readiness.demo.ui_processes import beyond_loopback, marked

pytestmark = [pytest.mark.e2e, pytest.mark.airflow, pytest.mark.long]

DAG = "readiness_demo"
STAGES = ["smoke", "1x", "2x", "5x"]
TRIGGER = "[...document.querySelectorAll('button')].find(b => b.innerText.trim() === 'Trigger')"
SUBMIT = "document.querySelector('[data-testid=trigger-dag-submit]')"


@pytest.fixture(scope="module")
def ui(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AirflowUi]:
    made = AirflowUi(tmp_path_factory.mktemp("state"))
    done = made.up()
    try:
        assert done.returncode == 0, done.stdout + done.stderr
        assert made.url in done.stdout
        assert "!" not in done.stdout, "a DAG is missing, or other machines can reach it"
        yield made
    finally:
        made.down()


@pytest.fixture
def browser(chromium: str, tmp_path: Path) -> Iterator[Browser]:
    with Browser(chromium, tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def shots(repository: Path) -> Path:
    return repository / ".local" / "screenshots"


def field(name: str) -> str:
    """The script that finds a parameter's input."""
    return f"document.querySelector('[name=element_{name}]')"


def is_open(name: str) -> str:
    """The script that says whether a person sees the parameter's input."""
    return f"({field(name)}?.getBoundingClientRect().height ?? 0) > 10"


def row_shows(task: str, states: str) -> str:
    """The script that says whether the task's row in the table shows one of the states."""
    return (
        f"[...document.querySelectorAll('tr')].some(r => r.innerText.includes('{task}')"
        f" && /{states}/.test(r.innerText))"
    )


def open_form(browser: Browser, ui: AirflowUi) -> None:
    browser.open(f"{ui.url}/dags/{DAG}")
    browser.click(TRIGGER)
    browser.see(is_open("target"))


def test_the_form_asks_four_questions_and_folds_the_rest(
    ui: AirflowUi, browser: Browser, shots: Path
) -> None:
    open_form(browser, ui)
    browser.screenshot(shots / "form.png")
    assert [n for n in ("target", "scale", "peak", "note") if not browser.run(is_open(n))] == []
    assert not browser.run(is_open("seed"))
    assert browser.run(f"{field('target')}.value") == "demo-production"


def test_a_wrong_value_is_refused_and_no_run_begins(
    ui: AirflowUi, browser: Browser, shots: Path
) -> None:
    before = ui.latest_run(DAG)
    open_form(browser, ui)
    browser.type_into(field("peak"), "fast")
    browser.click(SUBMIT)
    browser.see_text("Invalid input for param peak: 'fast'")
    browser.run(
        "document.querySelector('[role=dialog] [role=alert], [role=dialog] h2').scrollIntoView()"
    )
    browser.screenshot(shots / "refused.png")
    assert ui.latest_run(DAG) == before


def test_a_run_is_triggered_and_its_stages_watched_to_the_end(
    ui: AirflowUi, browser: Browser, shots: Path
) -> None:
    open_form(browser, ui)
    browser.type_into(field("note"), "from the browser")
    browser.click(SUBMIT)
    browser.see("location.pathname.includes('/runs/')")
    for stage in STAGES:
        wait_for_load(ui, stage, "running", "success")
        browser.see(row_shows(f"{stage}.load", "Running|Success"))
        browser.screenshot(shots / f"stage-{stage}.png")
    wait_for(lambda: ui.latest_run(DAG)["state"] in ("success", "failed"), "the end")
    browser.see(row_shows("seal", "Success"))
    browser.see("!document.body.innerText.includes('Running')")
    browser.screenshot(shots / "end.png")
    assert {t["state"] for t in ui.tasks(DAG).values()} == {"success"}
    began = [ui.tasks(DAG)[f"{stage}.load"]["start_date"] for stage in STAGES]
    assert began == sorted(began)


def wait_for_load(ui: AirflowUi, stage: str, *states: str) -> None:
    task = f"{stage}.load"
    wait_for(lambda: ui.tasks(DAG)[task]["state"] in states, f"{task} to be {states[0]}")


def test_that_run_left_a_report_and_no_clone(ui: AirflowUi) -> None:
    (folder,) = (ui.home.state / "runs").iterdir()
    assert (folder / "report.html").is_file()
    assert (folder / "verdict.json").is_file()
    assert list((ui.home.state / "clones").glob("*")) == []


def test_no_other_machine_can_reach_anything_of_it(ui: AirflowUi) -> None:
    found = marked(ui.home.state)
    assert len(found) >= 5
    assert beyond_loopback(found) == []


def test_a_second_up_says_that_it_runs(ui: AirflowUi) -> None:
    done = ui.up()
    assert done.returncode == 0
    assert f"Airflow runs already: {ui.url}" in done.stdout


def test_down_in_the_middle_of_a_load_leaves_nothing(ui: AirflowUi) -> None:
    ui.trigger(DAG)
    wait_for_load(ui, "smoke", "running")
    done = ui.down()
    assert "ended: Airflow" in done.stdout
    assert "ended: clone" in done.stdout
    assert marked(ui.home.state) == []
    assert list((ui.home.state / "clones").glob("*")) == []
    assert ui.down().stdout == "Nothing was running.\n"

"""report.html for every kind of run: complete, escaped, self-contained, free of NaN."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from tests.fakes import runs

from readiness.report.page import render_page
from readiness.report.view import RunView

EVERY_RUN: list[Callable[[], RunView]] = [
    runs.ready_run,
    runs.risky_run,
    runs.not_ready_run,
    runs.aborted_run,
    runs.invalid_run,
    runs.first_run,
    runs.empty_run,
]
VOID = {"meta", "link", "br", "line", "path", "rect", "img"}


class Reader(HTMLParser):
    """Notes ids, references and tags that are not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.references: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids += [found["id"] or ""] if "id" in found else []
        self.references += [v for k, v in attrs if k in ("href", "src", "xlink:href") and v]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


@pytest.mark.parametrize("make", EVERY_RUN)
def test_every_tag_is_closed_and_every_link_leads_somewhere(
    make: Callable[[], RunView],
) -> None:
    reader = read(render_page(make()))
    assert reader.open == []
    assert len(set(reader.ids)) == len(reader.ids)
    inside = {r.removeprefix("#") for r in reader.references if r.startswith("#")}
    assert inside <= set(reader.ids)


@pytest.mark.parametrize("make", EVERY_RUN)
def test_nothing_is_loaded_from_anywhere(make: Callable[[], RunView]) -> None:
    page = render_page(make())
    outside = [r for r in read(page).references if not r.startswith(("#", "data:"))]
    assert outside == []
    assert re.search(r"url\(|@import|https?:", page) is None


@pytest.mark.parametrize("make", EVERY_RUN)
def test_no_figure_is_nan_or_none(make: Callable[[], RunView]) -> None:
    page = render_page(make())
    assert re.search(r"\b(nan|NaN|None|inf|Infinity)\b", page) is None


@pytest.mark.parametrize("make", EVERY_RUN)
def test_the_verdict_stands_before_anything_else(make: Callable[[], RunView]) -> None:
    run = make()
    page = render_page(run)
    words = run.verdict.verdict.value.replace("_", " ")
    heading = re.search(r"<h1>.*?</h1>", page, re.DOTALL)
    assert heading is not None
    assert words in heading[0]


def test_a_page_stays_small() -> None:
    assert len(render_page(runs.not_ready_run()).encode()) < 100_000


def test_a_demonstration_is_called_one_at_the_top() -> None:
    head = render_page(runs.ready_run()).partition("<main>")[0]
    assert "Demonstration on invented data:</b> no evidence about any real database" in head


def test_evidence_is_not_called_a_demonstration() -> None:
    assert "invented data" not in render_page(runs.not_ready_run())


def test_names_from_a_run_cannot_inject_markup() -> None:
    run = runs.ready_run()
    evil = '"><script>alert(1)</script>'
    record = replace(run.record, plan=evil, flow=evil, target={evil: evil}, notes=(evil,))
    kinds = {"s012": evil}
    page = render_page(replace(run, record=record, statement_kinds=kinds, folder=evil))
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_only_the_panel_and_stage_that_broke_a_limit_are_red() -> None:
    page = render_page(runs.not_ready_run())
    red = {m[1] for m in re.finditer(r'data-panel="(\w+)".*?</figure>', page, re.DOTALL)
           if 'class="broke"' in m[0]}  # fmt: skip
    assert red == {"latency", "aas"}


def test_a_limit_far_above_the_figures_is_told_instead_of_flattening_them() -> None:
    page = render_page(runs.ready_run())
    assert "limit 250\u00a0ms (p99): above this scale" in page


def test_the_bar_is_left_out_when_no_rate_can_be_claimed() -> None:
    assert 'class="gauge"' in render_page(runs.not_ready_run())
    assert 'class="gauge"' not in render_page(runs.invalid_run())
    assert 'class="gauge"' not in render_page(runs.first_run())


def test_a_panel_without_figures_says_so() -> None:
    page = render_page(replace(runs.ready_run(), samples=()))
    assert "Not measured: the server gave no figures of its sessions." in page


def test_it_reads_without_javascript() -> None:
    page = re.sub(r"<script.*?</script>", "", render_page(runs.ready_run()), flags=re.DOTALL)
    assert re.search(r"<button(?! disabled)", page) is None
    assert "data-js hidden" in page
    assert page.count("<svg") == 6


def test_the_same_run_gives_the_same_page() -> None:
    assert render_page(runs.ready_run()) == render_page(runs.ready_run())


def test_a_long_run_is_drawn_coarser_and_says_so() -> None:
    run = runs.ready_run()
    long = [replace(r, ticks=tuple(replace(t, second=t.second + k * len(r.ticks))
            for k in range(60) for t in r.ticks)) for r in run.results]  # fmt: skip
    page = render_page(replace(run, results=tuple(long)))
    assert "One point is 10\u00a0s." in page
    assert len(page.encode()) < 130_000


def test_statement_ids_and_kinds_are_shown_and_no_sql() -> None:
    page = render_page(runs.not_ready_run())
    assert "<code>s012</code>" in page
    assert re.search(r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b", page) is None


def sessions_panel(page: str) -> list[str]:
    """The paths of the active sessions' layers."""
    panel = re.search(r'<figure class="panel aas".*?</figure>', page, re.DOTALL)
    assert panel is not None
    return re.findall(r'class="fill \w+" d="([^"]+)"', panel[0])


def test_a_second_without_a_sample_is_a_gap_and_no_zero() -> None:
    run = runs.ready_run()
    began = {r.stage.name: r.started_at for r in run.results}
    kept = tuple(s for s in run.samples if s.ts - began[s.stage] > 1.5)
    whole, gapped = (
        sessions_panel(render_page(run)),
        sessions_panel(render_page(replace(run, samples=kept))),
    )
    assert {path.count("Z") for path in whole} == {1}
    assert {path.count("Z") for path in gapped} == {len(run.results)}


def test_the_limit_of_schedule_lag_is_drawn() -> None:
    assert ">limit 10\u00a0ms</span>" in render_page(runs.ready_run())


def test_errors_are_listed_where_there_are_any() -> None:
    assert "1213, deadlock" in render_page(runs.aborted_run())
    assert 'id="errors"' not in render_page(runs.ready_run())

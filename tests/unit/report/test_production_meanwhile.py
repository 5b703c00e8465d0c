"""A run whose production was watched shows what it said; one that was not has no such section."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes import runs

from readiness.model.metrics import PRODUCTION, Sample, of_production, unit_of
from readiness.report.page import render_page
from readiness.report.production import production_rows
from readiness.report.view import RunView


def watched() -> RunView:
    run = runs.ready_run()
    stage = run.results[0].stage.name
    said = [
        Sample(
            runs.BEGAN + second, stage, of_production(metric), value, unit_of(metric), PRODUCTION
        )
        for metric, values in {
            "threads_running": (2.0, 4.0, 12.0),
            "commit_server_mean_ms": (1.5, float("nan"), 2.5),
        }.items()
        for second, value in enumerate(values)
    ]
    return replace(run, samples=(*run.samples, *said))


def test_each_metric_of_each_stage_has_its_mean_and_its_worst() -> None:
    running, commit = production_rows(watched())
    assert (running.what, running.mean, running.least, running.most) == (
        "threads running", "6.00\u00a0threads", "2.00\u00a0threads", "12.0\u00a0threads",
    )  # fmt: skip
    assert (commit.mean, commit.most) == ("2.00\u00a0ms", "2.50\u00a0ms")
    page = render_page(watched())
    assert "Production meanwhile" in page
    assert 'href="#production"' in page


def test_the_target_is_never_taken_for_production() -> None:
    own = runs.ready_run()
    assert any(sample.metric == "aas" for sample in own.samples)
    assert production_rows(own) == ()
    assert "Production meanwhile" not in render_page(own)

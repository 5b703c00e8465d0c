"""A run folder → `report.html` and `charts/ramp.png`. Needs no load and no target."""

from __future__ import annotations

from collections.abc import Callable

from readiness.artifacts.run_folder import RunFolder
from readiness.report.page import render_page
from readiness.report.summary import Summary, summarize
from readiness.report.view import RunView
from readiness.workload.text.file import parse

DrawRamp = Callable[[RunView], bytes]


def view_of(folder: RunFolder) -> RunView:
    """The judged run in `folder`. Raises ArtifactError when a file is missing or broken."""
    folder.require()
    workload = parse(folder.read_bytes("workload.sql"), path=folder.path / "workload.sql")
    return RunView(
        record=folder.read_run(),
        results=tuple(folder.read_stages()),
        samples=tuple(folder.read_samples()),
        verdict=folder.read_verdict(),
        statement_kinds={step.statement_id: str(step.kind) for step in workload.steps},
        folder=str(folder.path),
    )


def write_report(folder: RunFolder, draw_ramp: DrawRamp) -> Summary:
    """Draws the report anew; gives what it says."""
    view = view_of(folder)
    folder.write_report(render_page(view))
    folder.write_chart("ramp", draw_ramp(view))
    return summarize(view)

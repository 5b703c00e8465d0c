"""Run folders of invented runs, as far as they have come."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from readiness.artifacts.run_folder import RunFolder
from readiness.model.load import StageResult
from readiness.report.view import RunView

WORKLOAD = Path(__file__).resolve().parents[1] / "golden" / "workload" / "checkout.sql"
SECONDS = 4
PNG = b"\x89PNG\r\n\x1a\n" + bytes(2000)


def folder_of(run: RunView, store: Path, *, stages: int | None = None) -> RunFolder:
    """The folder of a run that is over and judged, or, with `stages`, one after so many stages.

    Each stage is cut to its first seconds, so that folders are quickly written and read."""
    folder = RunFolder(store / run.record.run_id)
    folder.write_run(run.record)
    folder.write_inputs(plan=b"", expectations=b"", workload=WORKLOAD.read_bytes())
    results = run.results if stages is None else run.results[:stages]
    if results:
        folder.write_results([_begun(r) for r in results], run.samples[:SECONDS])
    if stages is None:
        judge(folder, run)
    return folder


def _begun(result: StageResult) -> StageResult:
    return replace(result, ticks=result.ticks[:SECONDS])


def judge(folder: RunFolder, run: RunView) -> None:
    """Gives a folder its verdict and its chart."""
    folder.write_verdict(run.verdict)
    folder.write_chart("ramp", PNG)

"""`readiness judge`: judges a run folder again, by its own expectations or by others."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from readiness.artifacts.run_folder import RunFolder
from readiness.cli import console
from readiness.cli.arguments import add_command, add_run_dir
from readiness.model.verdict import EXIT_CODES
from readiness.report.terminal import ramp_summary
from readiness.wiring import verdicts

if TYPE_CHECKING:
    from readiness.cli.arguments import Commands


def register(commands: Commands) -> None:
    """Adds the command."""
    parser = add_command(commands, "judge", run, summary="judge what a run measured")
    add_run_dir(parser)
    parser.add_argument("--expectations", metavar="FILE", default="", help="instead of the plan's")


def run(args: argparse.Namespace) -> int:
    """The verdict's exit code."""
    return show_verdict(RunFolder(args.run_dir), expectations=args.expectations, as_json=args.json)


def show_verdict(folder: RunFolder, *, expectations: str = "", as_json: bool) -> int:
    """Judges, reports, shows the answer; the verdict's exit code."""
    console.progress("judging with Great Expectations")
    verdict = verdicts.judge(folder, expectations=expectations)
    summary = verdicts.report(folder)
    data = {
        "run_id": summary.run_id,
        "verdict": verdict.verdict.value,
        "rate_held_per_s": verdict.rate_held_per_s,
        "peak_rate_per_s": verdict.peak_rate_per_s,
        "limited_by": verdict.limited_by,
        "reasons": list(verdict.reasons),
        "scope": verdict.scope,
        "expires_on": verdict.expires_on,
        "report": str(folder.path / "report.html"),
    }
    console.result(data, ramp_summary(summary, colour=console.is_terminal()), as_json=as_json)
    return EXIT_CODES[verdict.verdict]

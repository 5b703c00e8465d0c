"""`readiness report`: redraws the report of a judged run; no load, no target."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from readiness.artifacts.run_folder import RunFolder
from readiness.cli import console
from readiness.cli.arguments import add_command, add_run_dir
from readiness.wiring import verdicts

if TYPE_CHECKING:
    from readiness.cli.arguments import Commands


def register(commands: Commands) -> None:
    """Adds the command."""
    add_run_dir(add_command(commands, "report", run, summary="redraw the report of a run"))


def run(args: argparse.Namespace) -> int:
    """Exit code 0 when the report stands."""
    folder = RunFolder(args.run_dir)
    summary = verdicts.report(folder)
    path = folder.path / "report.html"
    console.result(
        {"report": str(path), "verdict": summary.word.value}, str(path), as_json=args.json
    )
    return 0

"""`readiness rate`: says or changes the rate of a tuned stage that runs."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from readiness.artifacts.rate_files import RateHeld
from readiness.artifacts.run_folder import RunFolder
from readiness.cli import console
from readiness.cli.arguments import add_command, add_run_dir
from readiness.flow.tuning import ask_rate, rate_held

if TYPE_CHECKING:
    from readiness.cli.arguments import Commands


def register(commands: Commands) -> None:
    """Adds the command."""
    parser = add_command(commands, "rate", run, summary="change the rate of a stage that runs")
    add_run_dir(parser)
    parser.add_argument(
        "rate",
        metavar="RATE",
        nargs="?",
        help="120/s, or 2x of the normal rate, or end to go on with the next stage;"
        " without it, the rate now",
    )


def run(args: argparse.Namespace) -> int:
    """Exit code 0 when it holds."""
    folder = RunFolder(args.run_dir)
    held = rate_held(folder) if args.rate is None else ask_rate(folder, args.rate)
    console.result(asdict(held), _text(held), as_json=args.json)
    return 0


def _text(held: RateHeld) -> str:
    if not held.rate_per_s:
        return f"{held.stage} ends at its second {held.from_s}"
    tuned = f"up to {held.max_per_s:g}/s by hand" if held.max_per_s else "not tuned"
    return f"{held.stage} has {held.rate_per_s:g}/s from its second {held.from_s} on ({tuned})"

"""`readiness prune`: deletes raw logs, and runs where a setting says so, that are old enough."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from readiness.cli import console
from readiness.cli.arguments import add_command, number
from readiness.config.settings import read_settings
from readiness.wiring.upkeep import prune_machine

if TYPE_CHECKING:
    from readiness.cli.arguments import Commands

_EPILOG = """\
Raw logs are: all files in the captures folder (READINESS_CAPTURES, else STATE/captures), the demo's
recordings, and what capture --fetch has written. They hold personal data. They stay READINESS_RAW_LOG_DAYS days (14). Logs that you keep
elsewhere are yours to delete.

Run folders stay for ever, or READINESS_RUN_DAYS days where that is set; never deleted are one whose
clone lives, and the newest one of its flow that has a verdict.

exit codes: 0 done, 2 usage or configuration, 3 something could not be deleted or needs a person
"""


def register(commands: Commands) -> None:
    """Adds the command."""
    parser = add_command(commands, "prune", run, summary="delete raw logs and runs that are old")
    parser.epilog = _EPILOG
    parser.add_argument(
        "--older-than",
        type=number(0),
        metavar="DAYS",
        help="raw logs from this age on; default: READINESS_RAW_LOG_DAYS, else 14",
    )
    parser.add_argument("--dry-run", action="store_true", help="say it, and do nothing")


def run(args: argparse.Namespace) -> int:
    """Exit code 0; 3 when something could not be deleted or needs a person."""
    made = prune_machine(read_settings(), older_than_days=args.older_than, is_dry_run=args.dry_run)
    console.result(made.to_json(), "\n".join(made.lines()), as_json=args.json)
    return 3 if made.told else 0

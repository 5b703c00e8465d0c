"""`readiness doctor`: what is on this machine, and what of it needs a person."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from readiness.cli import console
from readiness.cli.arguments import add_command
from readiness.config.settings import read_settings
from readiness.wiring.upkeep import look

if TYPE_CHECKING:
    from readiness.cli.arguments import Commands

_EPILOG = """\
It reads, starts nothing and connects to nothing. Keys, passwords and captured values are never shown;
of READINESS_ variables the names alone are.

exit codes: 0 all is well, 2 usage or configuration, 3 something marked ! needs a person
"""


def register(commands: Commands) -> None:
    """Adds the command."""
    parser = add_command(
        commands, "doctor", run, summary="say what is on this machine and what needs a person"
    )
    parser.epilog = _EPILOG


def run(args: argparse.Namespace) -> int:
    """Exit code 0; 3 when something needs a person."""
    health = look(read_settings())
    console.result(health.to_json(), "\n".join(health.lines()), as_json=args.json)
    return 0 if health.is_well else 3

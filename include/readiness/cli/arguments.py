"""Arguments that several commands share, so that they read the same everywhere."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]


def add_json(parser: argparse.ArgumentParser) -> None:
    """`--json`: every command and verb has it."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def add_verbs(
    commands: Commands, name: str, run: Callable[[argparse.Namespace], int], *, summary: str
) -> Commands:
    """A command of several verbs; give each verb its own `add_json`."""
    parser = commands.add_parser(name, help=summary, description=summary)
    parser.set_defaults(run=run)
    return parser.add_subparsers(dest="verb", metavar="VERB", required=True)


def add_command(
    commands: Commands,
    name: str,
    run: Callable[[argparse.Namespace], int],
    *,
    summary: str,
) -> argparse.ArgumentParser:
    """One command with its help and `--json`."""
    parser = commands.add_parser(name, help=summary, description=summary)
    add_json(parser)
    parser.set_defaults(run=run)
    return parser


def add_target(parser: argparse.ArgumentParser) -> None:
    """`--target DSN`."""
    parser.add_argument("--target", metavar="DSN", required=True, help="a clone of ours")


def add_run_dir(parser: argparse.ArgumentParser) -> None:
    """The run folder as a positional argument."""
    parser.add_argument("run_dir", metavar="RUN_DIR", type=Path, help="a run folder")

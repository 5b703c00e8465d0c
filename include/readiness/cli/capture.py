"""`readiness capture`: says what is in server logs; shows no statement and no value."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from readiness.capture.events import EventSource
from readiness.capture.logs import open_logs
from readiness.cli import console
from readiness.cli.arguments import add_command
from readiness.cli.capture_live import register_live, run_live
from readiness.cli.capture_text import as_text
from readiness.cli.choosing import add_choosing, choosing_of
from readiness.errors import ConfigError
from readiness.flow.choosing import summarize_sources

if TYPE_CHECKING:
    from readiness.cli.arguments import Commands


def register(commands: Commands) -> None:
    """Adds the command."""
    parser = add_command(commands, "capture", run, summary="say what is in a server's logs")
    parser.add_argument(
        "logs",
        metavar="LOG",
        nargs="*",
        type=Path,
        help="general, slow or audit log, or a dump of a log table; plain or gzip; rotated files"
        " of one log are read as one",
    )
    parser.add_argument(
        "--user", action="append", default=[], metavar="USER", help="only sessions of this user"
    )
    add_choosing(parser, like="--flow-like")
    register_live(parser)


def run(args: argparse.Namespace) -> int:
    """Exit code 0, or 2 for a log that cannot be read."""
    if args.from_dsn and args.logs:
        raise ConfigError("--from reads a server, not a file.", hint="Leave LOG out.")
    if args.from_dsn:
        return run_live(args, lambda source: _show(args, [source]))
    if args.on or args.off or args.fetch:
        raise ConfigError("--on, --off and --fetch need a server.", hint="--from DSN")
    if not args.logs:
        raise ConfigError("No log is named.", hint="readiness capture LOG…")
    return _show(args, open_logs(args.logs, format=args.format, progress=console.progress))


def _show(args: argparse.Namespace, sources: Sequence[EventSource]) -> int:
    summaries = summarize_sources(sources, choosing_of(args), users=args.user)
    data = {"captures": [summary.to_json() for summary in summaries]}
    console.result(data, "\n\n".join(as_text(s) for s in summaries), as_json=args.json)
    return 0

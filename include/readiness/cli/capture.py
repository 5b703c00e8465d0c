"""`readiness capture`: says what is in server logs; shows no statement and no value."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from readiness.capture.sessions import read_capture
from readiness.capture.summary import CaptureSummary, summarize
from readiness.cli import console
from readiness.cli.arguments import add_command

if TYPE_CHECKING:
    from readiness.cli.arguments import Commands


def register(commands: Commands) -> None:
    """Adds the command."""
    parser = add_command(commands, "capture", run, summary="say what is in a server's general log")
    parser.add_argument(
        "logs", metavar="LOG", nargs="+", type=Path, help="a general log, plain or gzip"
    )
    parser.add_argument(
        "--user", action="append", default=[], metavar="USER", help="only sessions of this user"
    )


def run(args: argparse.Namespace) -> int:
    """Exit code 0, or 2 for a log that cannot be read."""
    summaries = [summarize(read_capture(log, users=args.user)) for log in args.logs]
    data = {"captures": [summary.to_json() for summary in summaries]}
    text = "\n\n".join(_text(summary) for summary in summaries)
    console.result(data, text, as_json=args.json)
    return 0


def _text(summary: CaptureSummary) -> str:
    lines = [
        f"{summary.source}  ({summary.dialect}, {summary.began_at} to {summary.ended_at})",
        f"  {summary.lines:,} lines, {summary.events:,} records, {summary.sessions:,} sessions",
        f"  commands      {_counts(summary.commands)}",
        f"  users         {_counts(summary.users)}",
        f"  transactions  {summary.transactions:,}: {_counts(summary.outcomes)}",
        f"  statements    {summary.statements:,}: {_counts(summary.kinds)}",
    ]
    return "\n".join([*lines, *(f"  ! {warning}" for warning in summary.warnings)])


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"

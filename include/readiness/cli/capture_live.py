"""`readiness capture --from DSN`: switches a server's own log on and off, and fetches it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from readiness.adapters.mysql_session import login_of
from readiness.adapters.server_log import MySqlServerLog
from readiness.artifacts.raw_logs import RawLogs
from readiness.capture.events import EventSource
from readiness.cli import console
from readiness.config.dsn import Dsn
from readiness.config.settings import read_settings
from readiness.errors import ConfigError
from readiness.flow import server_log
from readiness.flow.server_log import OUTPUTS, LogMemory, OnPlan
from readiness.model.server_log import FILE, LogRecord

Show = Callable[[EventSource], int]
"""Shows what is in a log, as the command does for files; gives the exit code."""

COST = (
    "at saturation a file takes about half of the throughput, the table about two thirds"
    " (measured: 59,000 point reads/s without, 30,000 with a file, 21,000 with the table; 8"
    " connections, 2 cores). A server with cores to spare loses little."
)


def register_live(parser: argparse.ArgumentParser) -> None:
    """Adds the options of live capture to `readiness capture`."""
    group = parser.add_argument_group("a server's own log")
    group.add_argument(
        "--from", dest="from_dsn", metavar="DSN", help="the server whose general log is used"
    )
    verb = group.add_mutually_exclusive_group()
    verb.add_argument("--on", action="store_true", help="switch the log on; says the cost, asks")
    verb.add_argument("--off", action="store_true", help="restore what was set before --on")
    verb.add_argument(
        "--fetch", action="store_true", help="read the log: into a file (-o), or say what is in it"
    )
    group.add_argument("--yes", action="store_true", help="do not ask before --on")
    group.add_argument(
        "--log-output", choices=OUTPUTS, default="auto", help="where --on sends the log"
    )
    group.add_argument(
        "-o", dest="output", metavar="FILE", type=Path, help="where --fetch writes, mode 0600"
    )


def run_live(args: argparse.Namespace, show: Show) -> int:
    """Exit code 0. Raises ConfigError without one of the verbs, CaptureError, TargetError."""
    if not (args.on or args.off or args.fetch):
        raise ConfigError(
            "--from needs --on, --off or --fetch.", hint="readiness capture --from DSN --on"
        )
    if args.output and not args.fetch:
        raise ConfigError("-o is for --fetch.", hint="--on and --off write no file.")
    dsn = Dsn.parse(args.from_dsn)
    memory = LogMemory(read_settings().state, str(dsn.endpoint))
    log = MySqlServerLog(**login_of(dsn))
    try:
        if args.on:
            return _on(args, log, memory)
        return _off(args, log, memory) if args.off else _fetch(args, log, memory, show)
    finally:
        log.close()


def _on(args: argparse.Namespace, log: MySqlServerLog, memory: LogMemory) -> int:
    plan = server_log.plan_on(log, memory, output=args.log_output)
    console.progress(_described(plan, memory))
    _confirm(is_agreed=args.yes)
    record = server_log.switch_on(log, plan, memory)
    lines = [f"The general log is on: {_place(record)}, since {record.on_at} UTC."]
    if record.made.output != plan.wanted.output:
        lines.append(
            f"  ! {plan.wanted.file} cannot be read here, so the log goes to the table; that file"
            " stays on the server, nearly empty"
        )
    lines.append(f"  Afterwards:  readiness capture --from '{args.from_dsn}' --off")
    console.result({"log": record.to_json()}, "\n".join(lines), as_json=args.json)
    return 0


def _off(args: argparse.Namespace, log: MySqlServerLog, memory: LogMemory) -> int:
    record, said = server_log.switch_off(log, memory)
    lines = [
        f"The settings are as before: {record.former}.",
        *_marked(said),
        f"  Fetch it:   readiness capture --from '{args.from_dsn}' --fetch -o FILE",
        f"  Remove it:  {_removal(record)}   (it holds personal data)",
    ]
    data = {"log": record.to_json(), "warnings": said}
    console.result(data, "\n".join(lines), as_json=args.json)
    return 0


def _fetch(args: argparse.Namespace, log: MySqlServerLog, memory: LogMemory, show: Show) -> int:
    if not args.output:
        source, said = server_log.open_source(log, memory)
        for line in _marked(said):
            console.progress(line)
        return show(source)
    fetched, said = server_log.fetch(log, memory, args.output)
    settings = read_settings()
    RawLogs(settings.state, settings.captures).remember(fetched.path, "fetched")
    what = f"{fetched.rows:,} rows, " * bool(fetched.rows)
    text = f"{fetched.path}: {what}{fetched.size_bytes:,} bytes, readable by you alone"
    text += f"; `readiness prune` deletes it after {settings.raw_log_days:g} days"
    data = {
        "path": str(fetched.path),
        "rows": fetched.rows,
        "size_bytes": fetched.size_bytes,
        "warnings": said,
    }
    console.result(data, "\n".join([text, *_marked(said)]), as_json=args.json)
    return 0


def _confirm(*, is_agreed: bool) -> None:
    if is_agreed:
        return
    if not sys.stdin.isatty():
        raise ConfigError(
            "Switching the log on asks a person.", hint="At a terminal, or with --yes."
        )
    console.progress("Type on to switch it on:")
    if sys.stdin.readline().strip() != "on":
        raise ConfigError("Not switched on. Nothing was changed.")


def _described(plan: OnPlan, memory: LogMemory) -> str:
    facts = plan.facts
    lines = [
        f"The general log of {memory.server} ({facts.engine} {facts.version}) will be switched on.",
        f"  goes to   {plan.wanted.output}: {plan.why}",
        f"  costs     {COST}",
        "  holds     every statement of every session with its values: personal data",
        "  disk      grows by each statement and about 60 bytes; nothing limits it",
        f"  before    {plan.former}; --off restores that",
    ]
    if facts.is_slow_log_on:
        lines.append("  ! the slow log is on and follows log_output until --off")
    return "\n".join(lines)


def _place(record: LogRecord) -> str:
    return record.made.file if record.made.has(FILE) else "the table mysql.general_log"


def _removal(record: LogRecord) -> str:
    file = record.made.file
    return f"rm '{file}'" if record.made.has(FILE) else "TRUNCATE TABLE mysql.general_log;"


def _marked(said: Sequence[str]) -> list[str]:
    return [f"  ! {text}" for text in said]

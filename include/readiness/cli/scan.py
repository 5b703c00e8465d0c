"""`readiness scan`: does any captured value stand in these files?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from readiness.anonymize.allowed import key_name
from readiness.anonymize.key import default_path, existing_key
from readiness.cli import console
from readiness.cli.arguments import add_command
from readiness.config.settings import read_settings
from readiness.errors import ConfigError
from readiness.flow.scan import Scanned, Sought, Told
from readiness.wiring.scans import Search, scan_files

if TYPE_CHECKING:
    from readiness.cli.arguments import Commands

_SHOWN = 40
_EPILOG = """\
What is searched for: each value that differs between the captures, as it stands, in any case,
reversed, in hex, base64, URL, JSON and HTML, as MD5, SHA-1, SHA-256 and SHA-512, and pieces of
e-mails, names, card, account and phone numbers. A hit names the value by its id: line12.3/2 is the
third literal of the statement at line 12 of the second log. The value itself is never shown.

A value that may stand in an output goes into the file of --allow. Its hash is keyed, so that the
file may be committed; take it from the hit, so that no value gets into a shell's history:

  readiness scan runs/RUN_ID --filter workloads/checkout.filter --json

  key: 1f0e2d3c                        "key" of that output
  allow:
    - hash: 0123456789abcdef01234567   "hash" of the hit
      reason: our own support address, on every page

exit codes: 0 no hit, 2 usage or configuration, 3 captured values were found
"""


def register(commands: Commands) -> None:
    """Adds the command."""
    parser = add_command(
        commands, "scan", run, summary="search files for captured values, as they stand or encoded"
    )
    parser.epilog = _EPILOG
    parser.add_argument(
        "paths", metavar="FILE", type=Path, nargs="+", help="files, or folders with all in them"
    )
    known = parser.add_mutually_exclusive_group(required=True)
    known.add_argument(
        "--capture",
        metavar="LOG",
        type=Path,
        action="append",
        default=[],
        help="a log with captured values; two or more tell values from constants",
    )
    known.add_argument(
        "--filter", metavar="F", type=Path, help="the filter beside a workload, instead of logs"
    )
    parser.add_argument("--key-file", metavar="F", type=Path, help="key the filter was made with")
    parser.add_argument("--allow", metavar="F", type=Path, help="values that may stand there")


def run(args: argparse.Namespace) -> int:
    """Exit code 0; 3 when a captured value was found."""
    key_file = args.key_file or read_settings().key_file
    needs_key = args.key_file is not None
    asked = Search(tuple(args.capture), args.filter, key_file, args.allow, needs_key)
    scanned, sought = scan_files(args.paths, asked, console.progress)
    for note in sought.notes:
        console.progress(f"  ! {note}")
    for entry in scanned.unused:
        console.progress(f"  ! the allow-list's entry {entry} allows nothing here: remove it")
    data = _data(scanned, sought, _key_name(key_file))
    console.result(data, _text(scanned, sought), as_json=args.json)
    return 3 if scanned.leaks else 0


def _key_name(key_file: Path | None) -> str:
    """ "" where there is no key: then there are no hashes either."""
    try:
        return key_name(existing_key(key_file or default_path()))
    except ConfigError:
        return ""


def _data(scanned: Scanned, sought: Sought, key: str) -> dict[str, object]:
    return {
        "clean": not scanned.leaks,
        "files": scanned.files,
        "bytes": scanned.bytes,
        "values": sought.values,
        "key": key,
        "leaks": [_entry(told) for told in scanned.leaks],
        "allowed": [{**_entry(told), "reason": told.reason} for told in scanned.allowed],
        "unused": list(scanned.unused),
        "notes": list(sought.notes),
    }


def _entry(told: Told) -> dict[str, object]:
    leak = told.leak
    return {
        "file": leak.file,
        "line": leak.line,
        "encoding": leak.encoding,
        "value": leak.value_id,
        "hash": told.hash,
    }


def _text(scanned: Scanned, sought: Sought) -> str:
    shown = [_line(told) for told in scanned.leaks[:_SHOWN]]
    hidden = len(scanned.leaks) - len(shown)
    more = [f"  … and {hidden:,} more; --json lists all"] if hidden else []
    files = f"{scanned.files:,} file{'s' * (scanned.files != 1)}, {scanned.bytes / 1e6:.1f} MB"
    searched = f"{files} searched for {sought.values:,} values"
    allowed = f", {len(scanned.allowed):,} allowed" if scanned.allowed else ""
    values = len({told.leak.value_id for told in scanned.leaks})
    found = f"{len(scanned.leaks):,} hits of {values:,} values" if values else "no captured value"
    return "\n".join([*shown, *more, f"{searched}: {found}{allowed}"])


def _line(told: Told) -> str:
    leak = told.leak
    return f"  {leak.file}:{leak.line}: {leak.encoding}, value {leak.value_id}"

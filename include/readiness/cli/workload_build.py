"""`readiness workload build`: captures → checkout.sql."""

from __future__ import annotations

import argparse
from pathlib import Path

from readiness.anonymize.key import load_key
from readiness.cli import console
from readiness.cli.arguments import add_json
from readiness.cli.choosing import add_choosing, choosing_of
from readiness.config.dsn import Dsn
from readiness.config.settings import read_settings
from readiness.wiring.targets import login_of
from readiness.wiring.workloads import Asked, build


def add(build: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    build.add_argument(
        "--capture",
        metavar="LOG",
        type=Path,
        action="append",
        required=True,
        help="two or more with one run of the flow each, or with --like or --marker one with many",
    )
    build.add_argument("--user", action="append", default=[], help="only sessions of this user")
    add_choosing(build, like="--like")
    build.add_argument("--name", help="the flow's name; default: the output's")
    build.add_argument("--schema", metavar="FILE", type=Path, help="its schema as JSON")
    build.add_argument("--source", metavar="DSN", help="where the captures were taken (read only)")
    build.add_argument("--key-file", metavar="F", type=Path, help="key of the pseudonyms")
    build.add_argument(
        "--allow", metavar="F", type=Path, help="values that may stand there: readiness scan --help"
    )
    build.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        required=True,
        help="the workload file to write",
    )
    add_json(build)


def run(args: argparse.Namespace) -> int:
    """Exit code 0."""
    asked = Asked(
        name=args.name or args.output.stem,
        captures=tuple(args.capture),
        users=tuple(args.user),
        source=login_of(Dsn.parse(args.source)) if args.source else None,
        schema=args.schema,
        choosing=choosing_of(args),
        allow=args.allow,
    )
    key = load_key(args.key_file or read_settings().key_file)
    built = build(asked, key=key, output=args.output)
    counts = dict(built.workload.counts)
    text = "\n".join(
        [
            f"{built.path}: {len(built.workload.steps)} statements,"
            f" {built.workload.transactions} transactions",
            f"  {counts.get('literals', 0)} literals → {counts.get('groups', 0)} groups"
            f" → {counts.get('generated', 0)} generated",
            *(f"  ! {warning}" for warning in built.warnings),
        ]
    )
    data = {"workload": str(built.path), "counts": counts, "warnings": list(built.warnings)}
    console.result(data, text, as_json=args.json)
    return 0

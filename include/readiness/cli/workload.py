"""`readiness workload`: builds a workload file from captures, and checks one on a target."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from readiness.adapters.local_clones import LocalClones
from readiness.anonymize.key import load_key
from readiness.cli import console
from readiness.cli.arguments import add_json, add_target, add_verbs, whole_number
from readiness.cli.choosing import add_choosing, choosing_of
from readiness.config.dsn import Dsn
from readiness.config.settings import read_settings
from readiness.wiring.checks import check_workload
from readiness.wiring.targets import login_of, target_of
from readiness.wiring.workloads import Asked, build

if TYPE_CHECKING:
    from readiness.cli.arguments import Commands


def register(commands: Commands) -> None:
    """Adds the command and its verbs."""
    verbs = add_verbs(commands, "workload", run, summary="build a workload file, or check one")
    build = verbs.add_parser("build", help="captures → checkout.sql")
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
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        required=True,
        help="the workload file to write",
    )
    check = verbs.add_parser("check", help="run checkouts one after the other on a clone")
    check.add_argument("workload", metavar="FILE", type=Path, help="checkout.sql")
    add_target(check)
    check.add_argument("--checkouts", type=whole_number(1), default=1, help="how many")
    for verb in (build, check):
        add_json(verb)


def run(args: argparse.Namespace) -> int:
    """Exit code 0; check exits 3 when a checkout failed."""
    return _build(args) if args.verb == "build" else _check(args)


def _build(args: argparse.Namespace) -> int:
    asked = Asked(
        name=args.name or args.output.stem,
        captures=tuple(args.capture),
        users=tuple(args.user),
        source=login_of(Dsn.parse(args.source)) if args.source else None,
        schema=args.schema,
        choosing=choosing_of(args),
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


def _check(args: argparse.Namespace) -> int:
    settings = read_settings()
    target = target_of(args.target, LocalClones(settings.state))
    report = check_workload(args.workload, target, settings, checkouts=args.checkouts)
    console.result(report.to_json(), report.to_text(), as_json=args.json)
    return 0 if report.is_clean else 3

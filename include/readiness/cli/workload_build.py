"""`readiness workload build`: captures → checkout.sql."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from readiness.adapters.mysql_session import login_of
from readiness.anonymize.policy import Policy
from readiness.cli import console
from readiness.cli.arguments import add_json
from readiness.cli.choosing import add_choosing, choosing_of
from readiness.config.dsn import Dsn
from readiness.config.places import find
from readiness.config.settings import read_settings
from readiness.flow.build import Built
from readiness.wiring.workloads import Asked, build, key_of
from readiness.workload.explain.funnel import classes_line, funnel_line


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
    build.add_argument(
        "--target",
        metavar="DSN",
        help="where it is to run: has it rows for each sample (read only)",
    )
    build.add_argument(
        "--overrides",
        metavar="FILE",
        type=Path,
        help="what you say of variables; default: the .overrides.yaml beside the output",
    )
    build.add_argument(
        "--policy",
        metavar="FILE",
        help="how columns are treated: a file, or a name in include/policies",
    )
    build.add_argument("--key-file", metavar="F", type=Path, help="key of the pseudonyms")
    build.add_argument(
        "--new-key",
        action="store_true",
        help="the key of the workload that is there is lost or retired: every pseudonym changes",
    )
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
        target=login_of(Dsn.parse(args.target)) if args.target else None,
        overrides=args.overrides,
        policy=find(args.policy, kind="policies") if args.policy else None,
        allow=args.allow,
    )
    key = key_of(args.key_file or read_settings().key_file, args.output, is_new=args.new_key)
    built = build(asked, key=key, output=args.output, tell=console.progress)
    console.result(_data(built), "\n".join(_lines(built)), as_json=args.json)
    return 0


def _lines(built: Built) -> Iterator[str]:
    """What people read: files, the funnel, overrides, what changed, rows of the target, warnings."""
    workload = built.workload
    yield f"{built.path}: {len(workload.steps)} statements, {workload.transactions} transactions"
    yield f"  {funnel_line(workload.counts)}"
    yield f"  {classes_line(workload.counts)}"
    yield f"  why each value is what it is: {built.explanation}"
    if built.overrides:
        entries = f"{built.overridden} override{'s' * (built.overridden != 1)}"
        kept = "" if built.overrides == built.kept else f", kept as {built.kept.name}"
        yield f"  {entries} in force, from {built.overrides}{kept}"
    yield f"  {policy_line(built.policy)}"
    if built.changes is not None:
        told = "changed since" if built.changes else "nothing changed since"
        yield f"  {told} the workload that was there{':' * bool(built.changes)}"
        yield from (f"    {line}" for line in built.changes.lines())
    yield from (f"  the target has {offer.line()}" for offer in built.offers)
    yield from (f"  ! {warning}" for warning in built.warnings)


def policy_line(policy: Policy) -> str:
    """What was done with people's values, and by whose word."""
    if not policy.sha256:
        return "no policy: what differs or looks personal is replaced"
    counts = Counter(str(rule.treat) for rule in policy.rules.values())
    told = ", ".join(f"{n} {treat}" for treat, n in sorted(counts.items())) or "no column"
    return f"policy {policy.title}: {told}; else what differs or looks personal is replaced"


def _data(built: Built) -> dict[str, object]:
    """What machines read."""
    return {
        "workload": str(built.path),
        "explanation": str(built.explanation),
        "counts": dict(built.workload.counts),
        "overrides": {
            "file": str(built.overrides) if built.overrides else None,
            "entries": built.overridden,
        },
        "policy": built.policy.title or None,
        "changes": None if built.changes is None else built.changes.to_json(),
        "offers": [offer.to_json() for offer in built.offers],
        "warnings": list(built.warnings),
    }

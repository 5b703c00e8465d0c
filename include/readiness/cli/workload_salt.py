"""`readiness workload salt`: a range of ids of its own for each table, before captures are taken."""

from __future__ import annotations

import argparse

from readiness.adapters.local_clones import LocalClones
from readiness.cli import console
from readiness.cli.arguments import add_json
from readiness.config.settings import read_settings
from readiness.wiring.salting import salt
from readiness.wiring.targets import target_of


def add(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    parser.add_argument(
        "--target", metavar="DSN", required=True, help="where you capture; never production"
    )
    parser.add_argument(
        "--yes", action="store_true", help="move the counters of a database that is no clone"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Exit code 0; also where nothing had to be done."""
    settings = read_settings()
    target = target_of(args.target, LocalClones(settings.state))
    made = salt(target, settings, is_agreed=args.yes, progress=console.progress)
    count = sum(s.action == "salt" for s in made)
    moved = f"{count} counter{'s' * (count != 1)} moved" if count else "nothing had to be moved"
    data = {"moved": count, "tables": [s.to_json() for s in made]}
    console.result(data, moved, as_json=args.json)  # the table was shown before anything moved
    return 0

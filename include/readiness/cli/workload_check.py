"""`readiness workload check`: does a workload fit a target?"""

from __future__ import annotations

import argparse
from pathlib import Path

from readiness.adapters.local_clones import LocalClones
from readiness.cli import console
from readiness.cli.arguments import add_json, add_target, whole_number
from readiness.config.settings import read_settings
from readiness.wiring.checks import check_workload
from readiness.wiring.targets import target_of


def add(check: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    check.add_argument("workload", metavar="FILE", type=Path, help="checkout.sql")
    add_target(check)
    check.add_argument("--checkouts", type=whole_number(1), default=1, help="how many")
    add_json(check)


def run(args: argparse.Namespace) -> int:
    """Exit code 0; 3 when a checkout failed."""
    settings = read_settings()
    target = target_of(args.target, LocalClones(settings.state))
    report = check_workload(args.workload, target, settings, checkouts=args.checkouts)
    console.result(report.to_json(), report.to_text(), as_json=args.json)
    return 0 if report.is_clean else 3

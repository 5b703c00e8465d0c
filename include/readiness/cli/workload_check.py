"""`readiness workload check`: does a workload fit a target, and do what the capture did?"""

from __future__ import annotations

import argparse
from pathlib import Path

from readiness.adapters.local_clones import LocalClones
from readiness.cli import console
from readiness.cli.arguments import add_json, add_target, number, whole_number
from readiness.cli.choosing import add_choosing, choosing_of
from readiness.config.settings import read_settings
from readiness.flow.observing import SlowLogs
from readiness.wiring.checks import CheckRequest, check_workload
from readiness.wiring.targets import target_of
from readiness.workload.prove.fidelity import LEAST_FIDELITY

WITH_LOGS = 20  # enough to draw each captured basket, and sampled rows of many kinds


def add(check: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    check.add_argument("workload", metavar="FILE", type=Path, help="checkout.sql")
    add_target(check)
    check.add_argument(
        "--checkouts", type=whole_number(1), help="how many; default: 1, with --slow-log 20"
    )
    check.add_argument(
        "--slow-log",
        metavar="LOG",
        type=Path,
        action="append",
        default=[],
        help="written beside a capture at long_query_time=0: rows must be as there",
    )
    check.add_argument(
        "--least-fidelity",
        metavar="R",
        type=number(0, 1),
        default=LEAST_FIDELITY,
        help="share of statements with the capture's rows, below which the check fails (0.97)",
    )
    check.add_argument(
        "--strict", action="store_true", help="fail where the file, tables or traffic drifted"
    )
    check.add_argument("--user", action="append", default=[], help="only sessions of this user")
    add_choosing(check, like="--like")
    add_json(check)


def run(args: argparse.Namespace) -> int:
    """Exit code 0; 3 when the check failed."""
    settings = read_settings()
    target = target_of(args.target, LocalClones(settings.state))
    logs = SlowLogs(tuple(args.slow_log), tuple(args.user), choosing_of(args))
    checkouts = args.checkouts or (WITH_LOGS if args.slow_log else 1)
    request = CheckRequest(
        args.workload, checkouts, logs, args.least_fidelity, is_strict=args.strict
    )
    report = check_workload(request, target, settings)
    console.result(report.to_json(), report.to_text(), as_json=args.json)
    return 0 if report.is_clean else 3

"""`readiness load`: one stage of a given rate and duration, for trying a workload out."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from readiness.adapters.local_clones import LocalClones
from readiness.artifacts import atomic
from readiness.cli.arguments import add_command, add_target
from readiness.cli.ramp import load_and_judge, new_folder
from readiness.config.plan import load_plan
from readiness.config.settings import read_settings
from readiness.wiring.ramps import RampRequest
from readiness.wiring.targets import target_of

if TYPE_CHECKING:
    from readiness.cli.arguments import Commands


def register(commands: Commands) -> None:
    """Adds the command."""
    parser = add_command(commands, "load", run, summary="run one workload at one rate")
    add_target(parser)
    parser.add_argument("--workload", metavar="FILE", type=Path, required=True, help="checkout.sql")
    parser.add_argument("--rate", type=float, required=True, help="checkouts per second")
    parser.add_argument("--duration", type=float, required=True, metavar="S", help="seconds")
    parser.add_argument("--workers", type=int, default=1, help="processes; one per core to spare")
    parser.add_argument(
        "--connections",
        choices=("per-checkout", "pooled"),
        default="per-checkout",
        help="a connection for each checkout, or kept ones",
    )
    parser.add_argument(
        "--statement-pause", type=float, default=0.0, metavar="MS", help="before each statement"
    )
    parser.add_argument(
        "--transaction-pause", type=float, default=0.0, metavar="MS", help="before each transaction"
    )
    parser.add_argument(
        "--pacing",
        default="none",
        help="captured gaps between statements: captured, none, or a factor",
    )
    parser.add_argument(
        "--arrivals",
        choices=("constant", "poisson"),
        default="constant",
        help="how checkouts are spread",
    )
    parser.add_argument("--seed", type=int, default=1, help="same seed, same arrivals")
    parser.add_argument("--expectations", default="load", help="a name or file to judge by")
    parser.add_argument(
        "-o", "--output", metavar="RUN_DIR", type=Path, required=True, help="the run folder"
    )


def run(args: argparse.Namespace) -> int:
    """The verdict's exit code; without a peak it is at most READY_WITH_RISK."""
    settings, folder = read_settings(), new_folder(args.output)
    plan_file = folder.path / "plan.yaml"
    atomic.write_bytes(plan_file, yaml.safe_dump(_plan(args), sort_keys=False).encode())
    plan = load_plan(plan_file)
    request = RampRequest(
        plan, target_of(args.target, LocalClones(settings.state)), args.workload, folder
    )
    return load_and_judge(request, settings, as_json=args.json)


def _plan(args: argparse.Namespace) -> dict[str, object]:
    """A load is a ramp of one stage: the same file, checks and errors."""
    pacing = args.pacing if args.pacing in ("captured", "none") else _number(args.pacing)
    return {
        "name": "load",
        "flows": [{"name": "checkout"}],
        "stages": [{"name": "load", "rate": f"{args.rate:g}/s", "hold_s": args.duration}],
        "arrivals": args.arrivals,
        "pacing": pacing,
        "connections": args.connections,
        "statement_pause_ms": args.statement_pause,
        "transaction_pause_ms": args.transaction_pause,
        "workers": args.workers,
        "seed": args.seed,
        "expectations": args.expectations,
    }


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text

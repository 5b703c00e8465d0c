"""`readiness load`: one stage of a given rate and duration, for trying a workload out."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from readiness.adapters.local_clones import LocalClones
from readiness.cli.arguments import add_command, add_target, number, pacing, whole_number
from readiness.cli.ramp import load_and_judge, new_folder
from readiness.config.places import find
from readiness.config.plan import Plan, load_plan
from readiness.config.settings import read_settings
from readiness.config.yaml_file import CoreDumper
from readiness.wiring.ramps import RampRequest
from readiness.wiring.targets import target_of

if TYPE_CHECKING:
    from readiness.cli.arguments import Commands


def register(commands: Commands) -> None:
    """Adds the command."""
    parser = add_command(commands, "load", run, summary="run one workload at one rate")
    add_target(parser)
    parser.add_argument("--workload", metavar="FILE", type=Path, required=True, help="checkout.sql")
    parser.add_argument(
        "--rate", type=number(0.001), required=True, metavar="N", help="checkouts a second"
    )
    parser.add_argument(
        "--duration",
        type=number(1, 86_400),
        required=True,
        metavar="S",
        help="seconds, at least one",
    )
    parser.add_argument(
        "--workers",
        type=whole_number(1, 64),
        default=1,
        metavar="N",
        help="processes; one per core to spare",
    )
    parser.add_argument(
        "--connections",
        choices=("per-checkout", "pooled"),
        default="per-checkout",
        help="a connection for each checkout, or kept ones",
    )
    parser.add_argument(
        "--binding",
        choices=("literal", "uservar"),
        default="literal",
        help="values in the statements, or ahead of them in a SET",
    )
    for what in ("statement", "transaction"):
        parser.add_argument(
            f"--{what}-pause",
            type=number(0),
            default=0.0,
            metavar="MS",
            help=f"before each {what}",
        )
    parser.add_argument(
        "--pacing",
        type=pacing,
        default="none",
        help="captured gaps between statements: captured, none, or a factor",
    )
    parser.add_argument(
        "--arrivals",
        choices=("constant", "poisson"),
        default="constant",
        help="how checkouts are spread",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="same seed, same arrivals")
    parser.add_argument(
        "--expectations", default="load", metavar="FILE", help="a name or file to judge by"
    )
    parser.add_argument(
        "-o", "--output", metavar="RUN_DIR", type=Path, required=True, help="the run folder"
    )


def run(args: argparse.Namespace) -> int:
    """The verdict's exit code; without a peak it is at most READY_WITH_RISK."""
    settings, folder = read_settings(), new_folder(args.output)
    target = target_of(args.target, LocalClones(settings.state))
    request = RampRequest(_plan(args), target, args.workload, folder)
    return load_and_judge(request, settings, as_json=args.json)


def _plan(args: argparse.Namespace) -> Plan:
    """A load is a ramp of one stage: the same file, checks and errors."""
    written = {
        "name": "load",
        "flows": [{"name": "checkout"}],
        "stages": [{"name": "load", "rate": f"{args.rate:.6f}/s", "hold_s": args.duration}],
        "arrivals": args.arrivals,
        "pacing": args.pacing,
        "connections": args.connections,
        "binding": args.binding,
        "statement_pause_ms": args.statement_pause,
        "transaction_pause_ms": args.transaction_pause,
        "workers": args.workers,
        "seed": args.seed,
        "expectations": str(find(args.expectations, kind="expectations").resolve()),
    }
    # Not yet in the run folder: a refused load leaves none behind.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "load.yaml"
        path.write_text(yaml.dump(written, Dumper=CoreDumper, sort_keys=False), encoding="utf-8")
        return load_plan(path)

"""`readiness calibrate`: what a target can do, and which way to make the load is most like production."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from readiness.adapters.local_clones import LocalClones
from readiness.artifacts.fidelity_file import fidelity_to_json, write_fidelity
from readiness.cli import console
from readiness.cli.arguments import add_command, add_target, number, pacing, whole_number
from readiness.config.production_figures import load_production_figures
from readiness.config.settings import Settings, read_settings
from readiness.errors import ConfigError
from readiness.flow.calibrate import Way
from readiness.load.calibrate import Rung
from readiness.model.load import LoadOptions
from readiness.model.verdict import EXIT_CODES, VerdictWord
from readiness.report.calibration import capacity_json, capacity_text, fidelity_text, limit_of
from readiness.wiring.calibrations import CalibrationRequest, capacity_rungs, fidelity_of
from readiness.wiring.ramps import load_lock
from readiness.wiring.targets import target_of

if TYPE_CHECKING:
    from readiness.cli.arguments import Commands

CONNECTIONS = ("per-checkout", "pooled")
_INVALID = EXIT_CODES[VerdictWord.INVALID]
_PACINGS = {"none": 0.0, "captured": 1.0}


def register(commands: Commands) -> None:
    """Adds the command."""
    summary = "find a target's capacity, or the load that is most like production"
    parser = add_command(commands, "calibrate", run, summary=summary)
    add_target(parser)
    parser.add_argument("--workload", metavar="FILE", type=Path, required=True, help="checkout.sql")
    parser.add_argument(
        "--duration",
        type=number(1, 3600),
        default=10.0,
        metavar="S",
        help="seconds that are measured, for each step",
    )
    parser.add_argument(
        "--clients", type=whole_number(1, 2000), default=64, metavar="N", help="up to so many"
    )
    parser.add_argument(
        "--workers", type=whole_number(1, 64), default=1, metavar="N", help="processes"
    )
    parser.add_argument(
        "--connections", choices=CONNECTIONS, help="only this way (with --like: both are tried)"
    )
    parser.add_argument(
        "--pacing",
        type=pacing,
        action="append",
        help="captured, none or a factor; with --like several (default: none and captured)",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="same seed, same arrivals")
    parser.add_argument(
        "--like", metavar="FILE", type=Path, help="production's figures at 1x: METRIC: VALUE lines"
    )
    parser.add_argument(
        "--rate", type=number(0.001), metavar="N", help="checkouts a second at 1x, with --like"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path, help="where the scores go, with --like"
    )


def run(args: argparse.Namespace) -> int:
    """0; 4 where generator or host was the limit, or no way to load can be believed."""
    if (args.like is None) != (args.rate is None) or (args.output and not args.like):
        raise ConfigError(
            "--like, --rate and -o belong together.",
            hint="readiness calibrate … --like production.yaml --rate 12 -o fidelity.json",
        )
    settings = read_settings()
    target = target_of(args.target, LocalClones(settings.state))
    pacings = [_PACINGS.get(p, p) for p in args.pacing or []]
    options = LoadOptions(
        workers=args.workers,
        seed=args.seed,
        connections=args.connections or CONNECTIONS[0],
        pacing=pacings[0] if pacings else 0.0,
    )
    request = CalibrationRequest(target, args.workload, options, args.duration)
    with load_lock(settings):
        if args.like:
            return _like(args, request, settings, pacings or [0.0, 1.0])
        return _capacity(args, request, settings)


def _capacity(args: argparse.Namespace, request: CalibrationRequest, settings: Settings) -> int:
    rungs = capacity_rungs(request, settings, most_clients=args.clients, tell=console.progress)
    data = {"steps": list(map(asdict, rungs)), **dict(capacity_json(rungs))}
    console.result(data, capacity_text(rungs), as_json=args.json)
    return _code(rungs)


def _code(rungs: list[Rung]) -> int:
    return _INVALID if limit_of(rungs) in ("generator", "host") else 0


def _like(
    args: argparse.Namespace,
    request: CalibrationRequest,
    settings: Settings,
    pacings: list[float],
) -> int:
    production = load_production_figures(args.like)
    modes = [args.connections] if args.connections else CONNECTIONS
    ways = [Way(factor, mode) for factor in dict.fromkeys(pacings) for mode in modes]
    fidelity = fidelity_of(
        request, settings, ways, production, rate_per_s=args.rate, tell=console.progress
    )
    if args.output:
        write_fidelity(args.output, fidelity)
    console.result(fidelity_to_json(fidelity), fidelity_text(fidelity), as_json=args.json)
    return 0 if fidelity.best else _INVALID

"""`readiness ramp`: a plan's stages against a clone, judged and reported."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from readiness.adapters.local_clones import LocalClones
from readiness.artifacts.run_folder import RunFolder
from readiness.cli import console
from readiness.cli.arguments import add_command, add_target
from readiness.cli.interrupts import Interrupts
from readiness.cli.judge import show_verdict
from readiness.cli.live import LiveView
from readiness.config.expectations import load_expectations
from readiness.config.plan import Plan, load_plan
from readiness.config.settings import Settings, read_settings
from readiness.errors import ConfigError
from readiness.model.run import RunRecord
from readiness.report.live import LiveRamp
from readiness.wiring.ramps import (
    LOGS,
    RampRequest,
    load_lock,
    open_run,
    require_one_shard,
    run_id_of,
    run_stages,
)
from readiness.wiring.targets import target_of

if TYPE_CHECKING:
    from readiness.cli.arguments import Commands


def register(commands: Commands) -> None:
    """Adds the command."""
    parser = add_command(commands, "ramp", run, summary="run a plan's stages against a clone")
    parser.add_argument("--plan", required=True, help="a name in include/plans/, or a file")
    add_target(parser)
    parser.add_argument(
        "--workload", metavar="NAME=FILE", help="the flow's workload file, instead of the plan's"
    )
    parser.add_argument("-o", "--output", metavar="RUN_DIR", type=Path, help="the run folder")


def run(args: argparse.Namespace) -> int:
    """The verdict's exit code."""
    settings, plan = read_settings(), load_plan(args.plan)
    require_one_shard(plan)
    load_expectations(plan.expectations)
    output = args.output or settings.runs / run_id_of(plan.name, time.time())
    folder = new_folder(output)
    request = RampRequest(
        plan=plan,
        target=target_of(args.target, LocalClones(settings.state)),
        workload=_workload(plan, args.workload),
        folder=folder,
    )
    return load_and_judge(request, settings, as_json=args.json)


def load_and_judge(request: RampRequest, settings: Settings, *, as_json: bool) -> int:
    """Runs the ramp under this host's lock and shows its verdict; the verdict's exit code.

    An interrupt stops the load, and what was measured is judged; a second one ends at once."""
    with Interrupts() as interrupts:
        request = replace(request, stopping=interrupts.reason)
        with load_lock(settings):
            record = open_run(request, settings, progress=console.progress)
            with interrupts.held_back():
                run_stages(request, record, settings, LiveView(live_ramp(request.plan, record)))
        return show_verdict(request.folder, as_json=as_json)


def new_folder(path: Path) -> RunFolder:
    """An unused run folder. Raises ConfigError: a run never writes over another.

    Logs alone are of a run that never began."""
    if path.exists() and not path.is_dir():
        raise ConfigError(f"{path} is no folder.", hint="Name a new one by -o.")
    if path.exists() and any(entry.name != LOGS for entry in path.iterdir()):
        raise ConfigError(f"The folder {path} is not empty.", hint="Name a new one by -o.")
    return RunFolder(path)


def live_ramp(plan: Plan, record: RunRecord) -> LiveRamp:
    """The live picture of a ramp with its limits and abort rules."""
    return LiveRamp(
        plan.name,
        record.stages,
        normal_rate_per_s=record.normal_rate_per_s,
        expectations=load_expectations(plan.expectations).expectations,
        abort=plan.abort,
        context=f"seed {plan.options.seed} · Ctrl-C stops the load and judges what it measured",
    )


def _workload(plan: Plan, written: str | None) -> Path:
    name, has_name, file = (written or "").partition("=")
    if not has_name:
        name, file = plan.flow.name, name
    if name != plan.flow.name:
        raise ConfigError(f"The plan has no flow {name}.", hint=f"Its flow is {plan.flow.name}.")
    found = Path(file) if file else plan.flow.workload
    if found is None:
        raise ConfigError(
            f"The plan names no workload for its flow {name}.",
            hint=f"--workload {name}=checkout.sql",
        )
    return found

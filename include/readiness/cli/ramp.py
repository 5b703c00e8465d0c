"""`readiness ramp`: a plan's stages against a clone, judged and reported."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
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
from readiness.wiring.flows import require_reader, workload_of
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
        "--reader",
        metavar="DSN",
        help="the clone's reader endpoint, for flows with endpoint: reader",
    )
    parser.add_argument(
        "--workload",
        metavar="NAME=FILE",
        action="append",
        default=[],
        help="a flow's workload file, instead of the plan's; once for each flow",
    )
    parser.add_argument("-o", "--output", metavar="RUN_DIR", type=Path, help="the run folder")


def run(args: argparse.Namespace) -> int:
    """The verdict's exit code."""
    settings, plan = read_settings(), _with_workloads(load_plan(args.plan), args.workload)
    require_one_shard(plan)
    require_reader(plan, has_reader=args.reader is not None)
    load_expectations(plan.expectations)
    output = args.output or settings.runs / run_id_of(plan.name, time.time())
    folder = new_folder(output)
    clones = LocalClones(settings.state)
    request = RampRequest(
        plan=plan,
        target=target_of(args.target, clones),
        workload=workload_of(plan.flow),
        folder=folder,
        reader=target_of(args.reader, clones) if args.reader else None,
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
        expectations=load_expectations(plan.expectations).of_plan(plan.flow.name),
        abort=plan.abort,
        context=f"seed {plan.options.seed} · Ctrl-C stops the load and judges what it measured",
    )


def _with_workloads(plan: Plan, written: Sequence[str]) -> Plan:
    """The plan with the workload files of the command line: NAME=FILE, or FILE for the first flow.
    Raises ConfigError for a flow that the plan has not, or that is named twice."""
    files: dict[str, Path] = {}
    for text in written:
        name, has_name, file = text.partition("=")
        name, file = (name, file) if has_name else (plan.flow.name, name)
        if name not in [flow.name for flow in plan.flows]:
            raise _no_such_flow(plan, name)
        if name in files:
            raise ConfigError(
                f"The flow {name} has two workload files.",
                hint=f"Give --workload {name}=FILE once.",
            )
        files[name] = Path(file)
    flows = (replace(f, workload=files.get(f.name, f.workload)) for f in plan.flows)
    return replace(plan, flows=tuple(flows))


def _no_such_flow(plan: Plan, name: str) -> ConfigError:
    names = [flow.name for flow in plan.flows]
    its = f"Its flow is {names[0]}" if len(names) == 1 else f"Its flows are {', '.join(names)}"
    return ConfigError(
        f"The plan has no flow {name}.", hint=f"{its}:  --workload {names[0]}=checkout.sql"
    )

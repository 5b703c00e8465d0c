"""`readiness mask`: personal data leaves a clone, and that is proven, before anything may load it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from readiness.adapters.local_clones import LocalClones
from readiness.adapters.server_command import ServerOptions
from readiness.artifacts.masking_file import MASKING_FILE
from readiness.cli import console
from readiness.cli.arguments import add_command
from readiness.config.masking import Masking, waiver_reason
from readiness.config.places import find
from readiness.config.settings import read_settings
from readiness.flow.mask_begun import PLAN_FILE
from readiness.masking.plan.plan_file import describe, to_json
from readiness.model.masking import Masked, MaskPlan
from readiness.wiring.masking import MaskRequest, mask_target, plan_for
from readiness.wiring.targets import clone_dsn, target_of

if TYPE_CHECKING:
    from readiness.cli.arguments import Commands

_LEASE_S = 3600.0
_EPILOG = """\
A clone that is not masked has no load user: `readiness clone list` prints its DSN, as root over its
socket. All databases of the server are masked, set by set, in place. Run it again after a crash: it
goes on where it stopped. A clone that is masked already is left as it is.

exit codes: 0 masked and proven, 2 usage, configuration or refusal, 3 failed: no load user exists
"""


def register(commands: Commands) -> None:
    """Adds the command."""
    parser = add_command(
        commands, "mask", run, summary="replace personal data in a clone, and prove it"
    )
    parser.epilog = _EPILOG
    parser.add_argument(
        "--target", metavar="DSN", required=True, help="a clone of ours, or adopted"
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--policy",
        metavar="FILE",
        default="default",
        help="how columns are treated: a file, or a name in include/policies",
    )
    how.add_argument(
        "--not-needed",
        metavar="WHY",
        type=_reason,
        help="the data holds nothing personal",
    )
    parser.add_argument(
        "--plan-only", action="store_true", help="show what would be masked, and change nothing"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        help="folder of plan and result (the clone's own)",
    )


def run(args: argparse.Namespace) -> int:
    """Exit code 0, also when it was masked before."""
    settings = read_settings()
    clones = LocalClones(settings.state, options=ServerOptions(is_attached=False))
    masking = (
        Masking(waiver=args.not_needed)
        if args.not_needed
        else Masking(find(args.policy, kind="policies"))
    )
    target = target_of(args.target, clones)
    own = Path(target.clone.directory) if target.clone else None
    request = MaskRequest(target, masking, args.output or own, _LEASE_S)
    if args.plan_only:
        plans = plan_for(request, clones, settings)
        console.result(
            _plans(plans), "\n\n".join(describe(plan).rstrip() for plan in plans), as_json=args.json
        )
        return 0
    masked = mask_target(request, clones, settings, progress=console.progress)
    data = _result(masked, request, clones)
    console.result(data, _text(masked, data), as_json=args.json)
    return 0


def _reason(text: str) -> str:
    try:
        return waiver_reason(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _plans(plans: list[MaskPlan]) -> dict[str, object]:
    return {"plans": [json.loads(to_json(plan)) for plan in plans]}


def _result(masked: Masked, request: MaskRequest, clones: LocalClones) -> dict[str, object]:
    clone = request.target.clone
    files = [request.folder / name for name in (PLAN_FILE, MASKING_FILE)] if request.folder else []
    return {
        "masked": masked.title,
        "tables": masked.tables,
        "columns": masked.columns,
        "rows": masked.rows,
        "seconds": round(masked.seconds, 3),
        "checks": masked.checks,
        "values": masked.values,
        "files": [str(file) for file in files if file.is_file()],
        "dsn": clone_dsn(clones, clones.named(clone.name)) if clone else request.target.text,
    }


def _text(masked: Masked, data: Mapping[str, Any]) -> str:
    took = ""
    if masked.checks:
        left = f"0 of {masked.values:,} personal values are left"
        took = f"  {masked.rows:,} rows in {masked.seconds:.1f} s; {left}"
    lines = [f"masked: {masked.title}", took, *(f"  {file}" for file in data["files"])]
    return "\n".join(filter(None, [*lines, f"  load it by  {data['dsn']}"]))

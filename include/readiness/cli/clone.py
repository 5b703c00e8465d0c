"""`readiness clone`: snapshots restored as private servers, listed, destroyed; foreign ones adopted."""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from readiness.adapters.local_clones import LocalClones
from readiness.adapters.server_command import ServerOptions
from readiness.cli import console
from readiness.cli.adopting import Adoption, adopt_target
from readiness.cli.arguments import add_json, add_verbs, number
from readiness.config.settings import read_settings
from readiness.flow.janitor import silence_line
from readiness.model.clone import Clone
from readiness.wiring.janitor import janitor_silence_s, tend_clones
from readiness.wiring.targets import LEASE_S, clone_dsn, target_of

if TYPE_CHECKING:
    from readiness.cli.arguments import Commands


def register(commands: Commands) -> None:
    """Adds the command and its verbs."""
    verbs = add_verbs(commands, "clone", run, summary="create, list, destroy, adopt or tend clones")
    create = verbs.add_parser("create", help="restore a stopped server's data as a clone")
    create.add_argument(
        "--source", type=Path, metavar="DIR", help="the folder of a stopped private server"
    )
    create.add_argument("--snapshot", metavar="NAME", required=True, help="its name, or one taken")
    create.add_argument("--run-id", default="manual", help="whose clone it is")
    create.add_argument("--variant", default="a", help="tells clones of one run apart")
    create.add_argument(
        "--lease-h", type=number(0.01), default=LEASE_S / 3600, help="hours until it ends"
    )
    listed = verbs.add_parser("list", help="all clones of this machine")
    destroy = verbs.add_parser("destroy", help="remove a clone, its server and its data")
    destroy.add_argument("name", metavar="NAME", help="as `clone list` shows it")
    adopt = verbs.add_parser("adopt", help="trust a clone that was made by other means")
    adopt.add_argument("dsn", metavar="DSN", help="the clone to trust")
    adopt.add_argument(
        "--masked", metavar="WHY", default="", help="in your words: why it holds no personal data"
    )
    adopt.add_argument(
        "--lease-h", type=number(0.01), default=LEASE_S / 3600, help="hours until it ends"
    )
    adopt.add_argument("--yes", action="store_true", help="do not ask")
    janitor = verbs.add_parser("janitor", help="destroy clones whose lease has ended, tell strays")
    janitor.add_argument("--dry-run", action="store_true", help="say it, and do nothing")
    for verb in (create, listed, destroy, adopt, janitor):
        add_json(verb)


def run(args: argparse.Namespace) -> int:
    """Exit code 0; destroying a clone that is gone is done, too. The janitor exits 3 when a clone
    could not be destroyed."""
    clones = LocalClones(read_settings().state, options=ServerOptions(is_attached=False))
    if args.verb == "janitor":
        return _janitor(args)
    verbs = {"create": _create, "list": _list, "destroy": _destroy, "adopt": _adopt}
    return verbs[args.verb](args, clones)


def _create(args: argparse.Namespace, clones: LocalClones) -> int:
    if args.source:
        console.progress(f"taking snapshot {args.snapshot} of {args.source}")
        snapshot = clones.snapshot(str(args.source), args.snapshot)
    else:
        snapshot = clones.snapshots.named(args.snapshot)
    console.progress(f"restoring {snapshot.name}, {snapshot.bytes / 1e6:.0f} MB")
    clone = clones.restore(
        snapshot, run_id=args.run_id, variant=args.variant, lease_s=args.lease_h * 3600
    )
    dsn = clone_dsn(clones, clone)
    console.result({**asdict(clone), "dsn": dsn}, f"{clone.name}\n  {dsn}", as_json=args.json)
    return 0


def _list(args: argparse.Namespace, clones: LocalClones) -> int:
    found = clones.list()
    text = "\n".join(_line(clone) for clone in found) or "no clones"
    silent_s = janitor_silence_s(read_settings())
    if found and silent_s:
        console.progress(silence_line(silent_s))
    console.result({"clones": [asdict(clone) for clone in found]}, text, as_json=args.json)
    return 0


def _janitor(args: argparse.Namespace) -> int:
    made = tend_clones(read_settings(), is_dry_run=args.dry_run)
    console.result(made.to_json(), "\n".join(made.lines()), as_json=args.json)
    return 3 if made.failed else 0


def _destroy(args: argparse.Namespace, clones: LocalClones) -> int:
    was_there = clones.destroy(args.name)
    text = f"{args.name} is destroyed" if was_there else f"there is no clone {args.name}"
    console.result({"name": args.name, "destroyed": was_there}, text, as_json=args.json)
    return 0


def _adopt(args: argparse.Namespace, clones: LocalClones) -> int:
    marker, text = adopt_target(
        target_of(args.dsn, clones),
        read_settings(),
        Adoption(args.lease_h * 3600, args.masked.strip(), is_agreed=args.yes),
    )
    console.result(asdict(marker), text, as_json=args.json)
    return 0


def _line(clone: Clone) -> str:
    age_min = (time.time() - clone.created_at) / 60
    left_min = (clone.lease_until - time.time()) / 60
    state = f"127.0.0.1:{clone.endpoint.port}" if clone.pid else "not running"
    lease = f"lease ends in {left_min:.0f} min" if left_min > 0 else "lease has ended"
    return f"{clone.name}  {state}  of {clone.snapshot}  {age_min:.0f} min old, {lease}"

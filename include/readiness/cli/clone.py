"""`readiness clone`: snapshots restored as private servers, listed, destroyed; foreign ones adopted."""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

from readiness.adapters.local_clones import LocalClones
from readiness.adapters.server_command import ServerOptions
from readiness.cli import console, snapshots
from readiness.cli.adopting import Adoption, adopt_target
from readiness.cli.arguments import add_json, add_verbs, number
from readiness.cli.clone_listing import dsn_of, line, shown
from readiness.config.plan import load_plan
from readiness.config.settings import read_settings
from readiness.errors import CloneError
from readiness.flow.janitor import silence_line
from readiness.model.clone import Clone, Snapshot
from readiness.wiring.janitor import janitor_silence_s, tend_clones
from readiness.wiring.load_room import LoadRoom, room_of
from readiness.wiring.targets import LEASE_S, target_of

if TYPE_CHECKING:
    from readiness.cli.arguments import Commands

_NAME = "as `clone list` shows it"
_SOURCE = "a private server's folder, a stopped datadir, or mysql://user@/?socket=PATH"


def register(commands: Commands) -> None:
    """Adds the command and its verbs."""
    verbs = add_verbs(
        commands, "clone", run, summary="create, list, reset, freeze, destroy, adopt or tend clones"
    )
    create = verbs.add_parser("create", help="restore a server's data as a clone")
    create.add_argument("--source", metavar="SOURCE", help=_SOURCE)
    create.add_argument("--snapshot", metavar="NAME", required=True, help="its name, or one taken")
    create.add_argument("--run-id", default="manual", help="whose clone it is")
    create.add_argument("--variant", default="a", help="tells clones of one run apart")
    create.add_argument(
        "--lease-h", type=number(0.01), default=LEASE_S / 3600, help="hours until it ends"
    )
    create.add_argument(
        "--plan", metavar="PLAN", help="refuse a disk without room for what this plan's load adds"
    )
    listed = verbs.add_parser("list", help="all clones of this machine")
    renew = verbs.add_parser("renew", help="let a clone live longer")
    renew.add_argument("name", metavar="NAME", help=_NAME)
    renew.add_argument(
        "--lease-h", type=number(0.01), default=LEASE_S / 3600, help="hours from now until it ends"
    )
    reset = verbs.add_parser("reset", help="copy a clone anew from its snapshot")
    reset.add_argument("name", metavar="NAME", help=_NAME)
    freeze = verbs.add_parser("freeze", help="take a snapshot of a masked clone, for its variants")
    freeze.add_argument("name", metavar="NAME", help=_NAME)
    freeze.add_argument(
        "--snapshot", metavar="NAME", required=True, help="what the golden master is called"
    )
    destroy = verbs.add_parser("destroy", help="remove a clone, its server and its data")
    destroy.add_argument("name", metavar="NAME", help=_NAME)
    listed_snapshots = verbs.add_parser("snapshots", help="all snapshots of this machine")
    drop = verbs.add_parser("drop", help="remove a snapshot that no clone is of")
    drop.add_argument("name", metavar="NAME", help="as `clone snapshots` shows it")
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
    for verb in (
        create,
        listed,
        renew,
        reset,
        freeze,
        destroy,
        listed_snapshots,
        drop,
        adopt,
        janitor,
    ):
        add_json(verb)


def run(args: argparse.Namespace) -> int:
    """Exit code 0; destroying a clone that is gone is done, too. The janitor exits 3 when a clone
    could not be destroyed."""
    clones = LocalClones(
        read_settings().state,
        options=ServerOptions(is_attached=False),
        tell=console.progress,
    )
    if args.verb == "janitor":
        return _janitor(args)
    verbs = {
        "create": _create,
        "list": _list,
        "renew": _renew,
        "reset": _reset,
        "freeze": _freeze,
        "destroy": _destroy,
        "snapshots": _snapshots,
        "drop": _drop,
        "adopt": _adopt,
    }
    return verbs[args.verb](args, clones)


def _create(args: argparse.Namespace, clones: LocalClones) -> int:
    room = room_of(load_plan(args.plan)) if args.plan else LoadRoom()
    if args.source:
        console.progress(f"taking snapshot {args.snapshot} of {args.source}")
        snapshot = clones.snapshot(args.source, args.snapshot)
    else:
        snapshot = clones.snapshots.named(args.snapshot)
    _require_nothing_lost(snapshot, args, clones)
    console.progress(f"restoring {snapshot.name}, {snapshot.bytes / 1e6:.0f} MB")
    if room.text:
        console.progress(room.text)
    clone = clones.restore(
        snapshot,
        run_id=args.run_id,
        variant=args.variant,
        lease_s=args.lease_h * 3600,
        load_bytes=room.bytes,
    )
    return _tell(clone, clones, args)


def _require_nothing_lost(
    snapshot: Snapshot, args: argparse.Namespace, clones: LocalClones
) -> None:
    """Raises CloneError where a clone of that name is whole, and would have to go for this one: it may
    be another person's, masked and under load."""
    there = clones.replaced_by(snapshot, run_id=args.run_id, variant=args.variant)
    if there is None:
        return
    what = there.snapshot
    if what == snapshot.name:
        what = f"{what} before it was taken again"
    raise CloneError(
        f"There is a clone {there.name} of snapshot {what}, asked for by {there.owner}.",
        hint="Give yours a name of its own by --variant or --run-id, or let that one go first:\n"
        f"  readiness clone destroy {there.name}",
    )


def _list(args: argparse.Namespace, clones: LocalClones) -> int:
    found = clones.list()
    text = "\n".join(line(clone, clones) for clone in found) or "no clones"
    silent_s = janitor_silence_s(read_settings())
    if found and silent_s:
        console.progress(silence_line(silent_s))
    listed = [shown(clone, clones) for clone in found]
    console.result({"clones": listed}, text, as_json=args.json)
    return 0


def _tell(clone: Clone, clones: LocalClones, args: argparse.Namespace) -> int:
    """A clone that was just made, and what to do with it."""
    dsn = dsn_of(clone, clones)
    masked = clone.masked or f"not masked: readiness mask --target '{dsn}'"
    console.result(shown(clone, clones), f"{clone.name}\n  {dsn}\n  {masked}", as_json=args.json)
    return 0


def _renew(args: argparse.Namespace, clones: LocalClones) -> int:
    clone = clones.renew(args.name, args.lease_h * 3600)
    until = time.strftime("%Y-%m-%d %H:%M %Z", time.localtime(clone.lease_until))
    console.result(shown(clone, clones), f"{clone.name} lives until {until}", as_json=args.json)
    return 0


def _reset(args: argparse.Namespace, clones: LocalClones) -> int:
    console.progress(f"copying {args.name} anew")
    return _tell(clones.reset(args.name), clones, args)


def _freeze(args: argparse.Namespace, clones: LocalClones) -> int:
    console.progress(f"stopping {args.name} in order, and copying it")
    made = clones.freeze(args.name, args.snapshot)
    text = (
        f"{made.name}  {made.bytes / 1e6:,.0f} MB, {made.masked}\n"
        f"  readiness clone create --snapshot {made.name} --variant b"
    )
    console.result(asdict(made), text, as_json=args.json)
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


def _snapshots(args: argparse.Namespace, clones: LocalClones) -> int:
    data, text = snapshots.shown(clones.snapshots.all())
    console.result(data, text, as_json=args.json)
    return 0


def _drop(args: argparse.Namespace, clones: LocalClones) -> int:
    was_there = snapshots.drop(args.name, clones)
    text = f"{args.name} is removed" if was_there else f"there is no snapshot {args.name}"
    console.result({"name": args.name, "removed": was_there}, text, as_json=args.json)
    return 0


def _adopt(args: argparse.Namespace, clones: LocalClones) -> int:
    marker, text = adopt_target(
        target_of(args.dsn, clones),
        read_settings(),
        Adoption(args.lease_h * 3600, args.masked.strip(), is_agreed=args.yes),
    )
    console.result(asdict(marker), text, as_json=args.json)
    return 0

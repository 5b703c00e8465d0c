"""What the demo's plans find in Airflow: a snapshot of the invented shop, and a workload of its
checkout. Made once and kept; made anew when what it depends on has changed."""

from __future__ import annotations

import hashlib
import json
import secrets
from contextlib import closing
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from readiness.adapters.local_clones import LocalClones
from readiness.artifacts import atomic
from readiness.artifacts.lock import RunLock
from readiness.demo.production import DATABASE, Production
from readiness.demo.shop import SERVICE_USERS
from readiness.errors import CloneError
from readiness.flow.build import BuildInputs, build_workload
from readiness.model.clone import Snapshot
from readiness.ports import Progress
from readiness.workload.schema import read_schema

SNAPSHOT = "demo-production"
FLOW = "checkout"
_BUILDERS = ("demo", "capture", "workload", "anonymize", "sql")


@dataclass(frozen=True, slots=True)
class DemoDatabases:
    """The snapshot `demo-production`, the workload file, and whether both were there already."""

    snapshot: Snapshot
    workload: Path
    is_cached: bool


def prepare(state: Path, progress: Progress) -> DemoDatabases:
    """Loads production under the folder `state`, captures its checkout, builds
    STATE/workloads/checkout.sql, takes the snapshot, and removes production again.

    STATE/production.json names it, so that no run can ever take it for a clone. Raises Busy while
    another process prepares the same folder."""
    with RunLock(state / "prepare.lock"):
        clones = LocalClones(state)
        production = Production(state, clones)
        workload = state / "workloads" / f"{FLOW}.sql"
        wanted = {"loaded": production.name_of_loaded(), "built_by": _digest_of_builders()}
        stamp = state / "demo-databases.json"
        snapshot = _existing(clones)
        if snapshot and workload.is_file() and _read(stamp) == wanted:
            return DemoDatabases(snapshot, workload, is_cached=True)
        stamp.unlink(missing_ok=True)
        try:
            made = DemoDatabases(_make(production, clones, workload, progress), workload, False)
        finally:
            production.remove()
        atomic.write_bytes(stamp, json.dumps(wanted).encode())
        return made


def _make(
    production: Production, clones: LocalClones, workload: Path, progress: Progress
) -> Snapshot:
    progress("loading the invented shop")
    loaded, _ = production.ensure_loaded(_silent)
    production.start(loaded)
    _name_production(production, clones.root)
    progress("capturing three checkouts and building the workload")
    captures = production.capture(clones.root / "captures", _silent)
    workload.parent.mkdir(parents=True, exist_ok=True)
    with closing(production.server.root_session(DATABASE)) as session:
        inputs = BuildInputs(
            name=FLOW,
            captures=tuple(captures),
            users=SERVICE_USERS,
            schema=read_schema(session, DATABASE),
            keeps_filter=False,
        )
        # A key that nobody keeps: no pseudonym can ever be repeated.
        build_workload(inputs, source=session, key=secrets.token_bytes(32), output=workload)
    production.server.stop()
    progress(f"taking snapshot {SNAPSHOT}")
    clones.snapshots.delete(SNAPSHOT)
    taken = clones.snapshot(str(production.server.directory), SNAPSHOT)
    clones.snapshots.delete(loaded.name)  # 300 MB that nothing asks for any more
    return taken


def _name_production(production: Production, state: Path) -> None:
    """Its socket and identity; not its port, which a clone may be given later."""
    named = [
        {"endpoint": endpoint.endpoint.socket, "identity": endpoint.identity}
        for endpoint in production.endpoints()
        if endpoint.endpoint.socket
    ]
    atomic.write_bytes(state / "production.json", json.dumps(named, indent=1).encode())


def _digest_of_builders() -> str:
    """Changes with every source file that the shop or its workload comes from."""
    digest = hashlib.sha256()
    for package in _BUILDERS:
        folder = Path(str(resources.files(f"readiness.{package}")))
        for file in sorted(folder.glob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _existing(clones: LocalClones) -> Snapshot | None:
    try:
        return clones.snapshots.named(SNAPSHOT)
    except CloneError:
        return None


def _read(stamp: Path) -> object:
    try:
        return json.loads(stamp.read_text("utf-8"))
    except (OSError, ValueError):
        return None


def _silent(_text: str) -> None:
    """The lines of `prepare` say enough."""

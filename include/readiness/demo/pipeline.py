"""The main job from end to end on a private server: capture and build, then the plan's DAG.

This process makes "production" and what is captured of it; Airflow, in a process of its own, clones,
loads, judges and destroys, as it would under a scheduler.
"""

from __future__ import annotations

import json
import secrets
import shutil
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from readiness.adapters.local_clones import LocalClones
from readiness.artifacts import atomic
from readiness.artifacts.run_folder import RunFolder
from readiness.config.plan import Plan
from readiness.config.settings import Settings
from readiness.demo.airflow_child import AirflowChild, AirflowPlaces
from readiness.demo.production import DATABASE, Production
from readiness.demo.proof import prove
from readiness.demo.shop import SERVICE_USERS
from readiness.demo.steps import Steps
from readiness.errors import CloneError, TargetRefused
from readiness.flow.build import BuildInputs, Built, build_workload
from readiness.flow.report import view_of
from readiness.report.summary import Summary, summarize
from readiness.wiring.targets import gate, target_of
from readiness.workload.schema import read_schema

SNAPSHOT = "demo-production"


@dataclass(frozen=True, slots=True)
class DemoAnswer:
    """What the last lines tell."""

    summary: Summary
    folder: RunFolder
    safety: str
    is_cached: bool


class DemoPipeline:
    """One demo under `root`; its servers and its Airflow die with this process."""

    def __init__(self, plan: Plan, settings: Settings, *, root: Path, steps: Steps) -> None:
        self._plan = plan
        self._settings = replace(settings, state=root)
        self._places = AirflowPlaces(
            home=(settings.state / "airflow").resolve(), state=root, store=settings.store.resolve()
        )
        self._root = root
        self._steps = steps
        self._clones = LocalClones(root)
        self._production = Production(root, self._clones)
        self._workload = self._settings.workloads / f"{plan.flow.name}.sql"
        self._airflow: AirflowChild | None = None

    def run(self) -> DemoAnswer:
        """All steps. Raises ReadinessError; what is left then is removed by the caller."""
        with self._steps.step("database server") as tell:
            binary = self._clones.binary
            tell(f"{binary.engine} {binary.version}")
        self._forget_locks()
        # Airflow takes seconds to import: it does so while the database is prepared.
        self._airflow = AirflowChild(self._plan, self._places, conf={"target": SNAPSHOT})
        is_cached = self._start_production()
        captures = self._capture()
        self._build(captures)
        safety = self._show_refusal()
        self._snapshot()
        folder = self._airflow.run()
        self._prove(captures, folder)
        return DemoAnswer(summarize(view_of(folder)), folder, safety, is_cached)

    def clean(self) -> None:
        """Ends Airflow, removes its clone, production and the snapshot; the loaded shop stays."""
        if self._airflow is not None:
            self._airflow.end()
        self._forget_locks()
        for clone in self._clones.list():
            self._clones.destroy(clone.name)
        self._production.remove()
        self._clones.snapshots.delete(SNAPSHOT)
        (self._root / "production.json").unlink(missing_ok=True)

    def _forget_locks(self) -> None:
        """Only this demo has this folder; a run that was killed holds nothing any more."""
        shutil.rmtree(self._root / "locks", ignore_errors=True)

    def _start_production(self) -> bool:
        with self._steps.step("production with a shop") as tell:
            loaded, is_cached = self._production.ensure_loaded(_silent)
            self._production.start(loaded)
            self._name_production()
            tell(f"{loaded.bytes / 1e6:.0f} MB{' (loaded before)' if is_cached else ''}")
        return is_cached

    def _name_production(self) -> None:
        """Tells the interlock of every process here what must never be loaded."""
        known = self._production.endpoints()
        self._settings = replace(self._settings, production=known)
        # By socket and identity: the port is free again when the clone looks for one.
        written = [
            {"endpoint": str(e.endpoint), "identity": e.identity}
            for e in known
            if e.endpoint.socket
        ]
        atomic.write_bytes(self._root / "production.json", json.dumps(written).encode())

    def _capture(self) -> list[Path]:
        with self._steps.step("capture 3 checkouts") as tell:
            logs = self._production.capture(self._root / "captures", _silent)
            size = sum(log.stat().st_size for log in logs)
            tell(f"{len(logs)} general logs, {size / 1e3:.0f} kB")
        return logs

    def _build(self, captures: list[Path]) -> Built:
        with (
            self._steps.step("build the workload") as tell,
            closing(self._production.server.root_session(DATABASE)) as session,
        ):
            inputs = BuildInputs(
                name=self._plan.flow.name,
                captures=tuple(captures),
                users=SERVICE_USERS,
                schema=read_schema(session, DATABASE),
                keeps_filter=False,
            )
            # A key that nobody keeps: no pseudonym of this run can ever be repeated.
            built = build_workload(
                inputs, source=session, key=secrets.token_bytes(32), output=self._workload
            )
            tell(_funnel(built))
        return built

    def _show_refusal(self) -> str:
        with self._steps.step("load on production") as tell:
            target = target_of(self._production.dsn(), self._clones)
            try:
                gate(target, self._settings)()
            except TargetRefused as refusal:
                missing = [name for name, holds, _ in refusal.keys if not holds]
                tell(f"refused, as it must be: {', '.join(missing)}")
                return f'the same load against "production" was refused: {", ".join(missing)}'
        raise CloneError("The interlock let load through to production: this is a fault of ours.")

    def _prove(self, captures: list[Path], folder: RunFolder) -> None:
        """Searches all that the run has published. Raises PrivacyError for a captured value in it."""
        with self._steps.step("search all outputs") as tell:
            beside = sorted(self._workload.parent.glob(f"{self._workload.stem}.*"))
            tell(prove(captures, [folder.path, *beside]))

    def _snapshot(self) -> None:
        with self._steps.step("snapshot of production") as tell:
            self._production.server.stop()
            taken = self._clones.snapshot(str(self._production.server.directory), SNAPSHOT)
            tell(f"{taken.bytes / 1e6:.0f} MB")


def _silent(_text: str) -> None:
    """The step's own line says enough."""


def _funnel(built: Built) -> str:
    counts = built.workload.counts
    steps = f"{len(built.workload.steps)} statements, {built.workload.transactions} transactions"
    narrowing = [f"{counts[name]} {name}" for name in ("literals", "groups", "generated")]
    return f"{steps}; {' → '.join(narrowing)}"

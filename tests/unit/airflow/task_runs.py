"""Tasks of invented DAG runs in a folder, with a snapshot that is only a manifest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from readiness.airflow.form import params_of
from readiness.airflow.onlookers import LogWatcher
from readiness.airflow.task_run import DagRunFacts, TaskRun
from readiness.cli.ramp import live_ramp
from readiness.clones.manifest import Manifest, write_manifest
from readiness.config.plan import Plan, load_plan
from readiness.config.settings import Settings, read_settings
from readiness.flow.ramp import Watcher
from readiness.model.run import RunRecord

SNAPSHOT = "demo-production"


@dataclass
class Lines:
    """An onlooker that remembers its steps."""

    told: list[tuple[str, str]] = field(default_factory=list)

    @contextmanager
    def step(self, name: str) -> Iterator[Callable[[str], None]]:
        facts = [""]
        yield lambda fact: facts.__setitem__(0, fact)
        self.told.append((name, facts[0]))

    def progress(self, text: str, /) -> None:
        """Steps are enough."""

    def watcher(self, plan: Plan, record: RunRecord) -> Watcher:
        return LogWatcher(live_ramp(plan, record))


@dataclass
class Place:
    """A state folder with a plan, a workload and a snapshot."""

    folder: Path
    plan: Plan = field(default_factory=lambda: load_plan("demo"))

    @property
    def settings(self) -> Settings:
        return read_settings({"READINESS_STATE": str(self.folder)})

    def furnish(self) -> None:
        workload = self.settings.workloads / "checkout.sql"
        workload.parent.mkdir(parents=True)
        workload.write_text("-- a workload\n")
        snapshot = self.folder / "snapshots" / SNAPSHOT
        snapshot.mkdir(parents=True)
        write_manifest(
            snapshot,
            Manifest(SNAPSHOT, "mariadb", "10.11.1", 1, 1, "", 0.0, "/nowhere", 0),
        )

    def task(self, run_id: str = "manual__1", *, conf: object = None, **facts: object) -> TaskRun:
        """The first task of a run; `facts` replace those of its DAG run."""
        run = DagRunFacts(
            run_id=run_id,
            run_after=datetime.now(UTC),
            is_automatic=False,
            conf=conf,
            params=self.params(),
        )
        run = replace(run, **facts)  # type: ignore[arg-type]
        return TaskRun("reserve", self.plan, run, self.settings, Lines(), timeout_s=300.0)

    def params(self) -> Mapping[str, object]:
        return {name: param.value for name, param in params_of(self.plan).items()}

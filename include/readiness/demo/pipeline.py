"""The main job from end to end on a private server: capture, clone, load, judge, report."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from readiness.adapters.local_clones import LocalClones
from readiness.artifacts.run_folder import RunFolder
from readiness.cli.live import LiveView
from readiness.cli.ramp import live_ramp
from readiness.config.plan import Plan
from readiness.config.settings import Settings
from readiness.demo.production import DATABASE, Production
from readiness.demo.shop import SERVICE_USERS
from readiness.errors import CloneError, TargetRefused, WorkloadError
from readiness.flow.build import BuildInputs, Built, build_workload
from readiness.model.clone import Clone
from readiness.model.load import Stage, StageResult, Tick
from readiness.model.metrics import Sample
from readiness.model.run import RunRecord
from readiness.report.measured import measure
from readiness.report.numbers import plain, quantity, significant
from readiness.report.summary import Summary
from readiness.report.terminal import step_line
from readiness.wiring import verdicts
from readiness.wiring.checks import check_workload
from readiness.wiring.ramps import RampRequest, load_lock, open_run, run_stages
from readiness.wiring.targets import LEASE_S, clone_dsn, gate, target_of
from readiness.workload.schema import read_schema

CHECKOUTS_CHECKED = 100


@dataclass(slots=True)
class DemoAnswer:
    """What the last lines tell."""

    summary: Summary
    safety: str
    is_cached: bool


class Steps:
    """Tells each step when it ends: what, how long, and one fact."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour

    @contextmanager
    def step(self, name: str) -> Iterator[Callable[[str], None]]:
        """Inside, `tell(fact)` sets what stands at the end of the line."""
        facts = [""]
        began = time.monotonic()
        try:
            yield lambda fact: facts.__setitem__(0, fact)
        except BaseException:
            print(step_line(name, time.monotonic() - began, "did not end", is_done=False))
            raise
        self.done(name, time.monotonic() - began, facts[0])

    def done(self, name: str, seconds: float, fact: str) -> None:
        """A step that was timed elsewhere."""
        print(step_line(name, seconds, fact, colour=self._colour), flush=True)


class DemoPipeline:
    """One demo under `root`; its servers die with this process."""

    def __init__(
        self, plan: Plan, settings: Settings, *, root: Path, folder: RunFolder, steps: Steps
    ) -> None:
        self._plan = plan
        self._settings = settings
        self._root = root
        self._folder = folder
        self._steps = steps
        self._clones = LocalClones(root)
        self._production = Production(root, self._clones)
        self._workload = root / "checkout.sql"

    def run(self) -> DemoAnswer:
        """All steps. Raises ReadinessError; what is left then is removed by the caller."""
        with self._steps.step("database server") as tell:
            binary = self._clones.binary
            tell(f"{binary.engine} {binary.version}")
        is_cached = self._start_production()
        captures = self._capture()
        self._build(captures)
        safety = self._show_refusal()
        clone = self._clone()
        self._check(clone)
        self._ramp(clone)
        return DemoAnswer(self._judge(), safety, is_cached)

    def clean(self) -> None:
        """Removes the run's clone, production and its snapshot; the loaded shop stays cached."""
        for clone in self._clones.list():
            self._clones.destroy(clone.name)
        self._production.remove()
        self._clones.delete_snapshot(self._folder.path.name)

    def _start_production(self) -> bool:
        with self._steps.step("production with a shop") as tell:
            loaded, is_cached = self._production.ensure_loaded(_silent)
            self._production.start(loaded)
            self._settings = replace(self._settings, production=self._production.endpoints())
            tell(f"{loaded.bytes / 1e6:.0f} MB{' (loaded before)' if is_cached else ''}")
        return is_cached

    def _capture(self) -> list[Path]:
        with self._steps.step("capture 3 checkouts") as tell:
            logs = self._production.capture(self._root / "captures", _silent)
            size = sum(log.stat().st_size for log in logs)
            tell(f"{len(logs)} general logs, {size / 1e3:.0f} kB")
        return logs

    def _build(self, captures: list[Path]) -> Built:
        with self._steps.step("build the workload") as tell:
            session = self._production.server.root_session(DATABASE)
            try:
                inputs = BuildInputs(
                    name="checkout",
                    captures=tuple(captures),
                    users=SERVICE_USERS,
                    schema=read_schema(session, DATABASE),
                )
                # A key that nobody keeps: no pseudonym of this run can ever be repeated.
                built = build_workload(
                    inputs, source=session, key=secrets.token_bytes(32), output=self._workload
                )
            finally:
                session.close()
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

    def _clone(self) -> Clone:
        run_id = self._folder.path.name
        with self._steps.step("snapshot and clone") as tell:
            self._production.server.stop()
            snapshot = self._clones.snapshot(str(self._production.server.directory), run_id)
            clone = self._clones.restore(snapshot, run_id=run_id, variant="a", lease_s=LEASE_S)
            tell(f"{clone.name} on {clone.endpoint}")
        return clone

    def _check(self, clone: Clone) -> None:
        with self._steps.step(f"{CHECKOUTS_CHECKED} checkouts, one by one") as tell:
            target = target_of(clone_dsn(self._clones, clone), self._clones)
            report = check_workload(
                self._workload, target, self._settings, checkouts=CHECKOUTS_CHECKED
            )
            if not report.is_clean:
                raise WorkloadError(
                    f"{report.failed} of {report.checkouts} checkouts failed on the clone:"
                    f" {report.errors_text()}.",
                    hint=f"readiness workload check {self._workload} --target DSN",
                )
            tell(f"{report.statements:,} statements, no error")

    def _ramp(self, clone: Clone) -> None:
        target = target_of(clone_dsn(self._clones, clone), self._clones)
        request = RampRequest(self._plan, target, self._workload, self._folder)
        with load_lock(self._settings):
            record = self._open_run(request)
            view = LiveView(live_ramp(self._plan, record))
            run_stages(request, record, self._settings, _StageSteps(view, self._steps))

    def _open_run(self, request: RampRequest) -> RunRecord:
        with self._steps.step("calibration") as tell:
            record = open_run(request, self._settings, progress=_silent)
            capacity, normal = record.capacity_per_s, record.normal_rate_per_s
            tell(f"{capacity:.3g} checkouts/s at most, so a normal day has {normal:g}/s")
        return record

    def _judge(self) -> Summary:
        with self._steps.step("judge") as tell:
            verdict = verdicts.judge(self._folder)
            passed = sum(check.outcome == "passed" for check in verdict.checks)
            tell(f"{passed} of {len(verdict.checks)} checks passed")
        with self._steps.step("report") as tell:
            summary = verdicts.report(self._folder)
            size = (self._folder.path / "report.html").stat().st_size
            tell(f"report.html {size / 1e3:.0f} kB")
        return summary


class _StageSteps:
    """A watcher that also tells each stage that ended as a step."""

    def __init__(self, view: LiveView, steps: Steps) -> None:
        self._view = view
        self._steps = steps

    def begin(self, stage: Stage) -> None:
        """A stage starts."""
        self._view.begin(stage)

    def update(self, tick: Tick, samples: Sequence[Sample] = ()) -> None:
        """One second of it."""
        self._view.update(tick, samples)

    def end(self, result: StageResult) -> None:
        """It is over: a terminal has its row already."""
        self._view.end(result)
        if not self._view.is_terminal:
            seconds = result.ended_at - result.started_at
            self._steps.done(f"load stage {result.stage.name}", seconds, _stage_fact(result))


def _silent(_text: str) -> None:
    """The step's own line says enough."""


def _funnel(built: Built) -> str:
    counts = built.workload.counts
    steps = f"{len(built.workload.steps)} statements, {built.workload.transactions} transactions"
    return f"{steps}; {counts['literals']} literals → {counts['generated']} generated"


def _stage_fact(result: StageResult) -> str:
    figures = measure(result, ())
    rate = significant(figures.achieved_per_s or 0.0)
    commit = quantity(figures.commit_p99_ms, "ms")
    stopped = f"  stopped: {result.aborted_by}" if result.aborted_by else ""
    return plain(f"{rate} of {result.stage.rate_per_s:g}/s   commit p99 {commit}{stopped}")

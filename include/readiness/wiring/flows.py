"""The flows of a plan beside the one that is staged: their workloads, endpoints and load."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from readiness.anonymize.filter import filter_beside
from readiness.config.plan import Flow, Plan
from readiness.config.settings import Settings
from readiness.errors import ConfigError
from readiness.flow.ramp import CompanionLoad
from readiness.load.schedule import most
from readiness.model.load import Stage
from readiness.wiring.checks import drift_on
from readiness.wiring.preflights import Place
from readiness.wiring.scans import guard_of
from readiness.wiring.targets import (
    LoadSource,
    Target,
    gate,
    hold,
    launcher,
    source_at,
    workload_at,
)
from readiness.workload.make.budget import require_values


@dataclass(frozen=True, slots=True)
class FlowPlace:
    """A flow beside the first one: the file of its workload, and the endpoint it goes to."""

    flow: Flow
    workload: Path
    target: Target

    @property
    def name(self) -> str:
        """The flow's."""
        return self.flow.name

    def source(self, logs: Path) -> LoadSource:
        """Its workload and pools; its workers' logs in a folder of their own."""
        return source_at(self.target, self.workload, logs / self.name)

    def open(self, logs: Path) -> Place:
        """Its workload and pools, and what its endpoint and this host allow. Raises TargetError."""
        return Place.of(self.target, self.source(logs))

    def load(self, plan: Plan, stage: Stage, logs: Path) -> CompanionLoad:
        """Its part of a stage. Raises WorkloadError where it would repeat a unique value."""
        source = self.source(logs)
        require_enough_values(source, [stage])
        options = plan.companion_options(self.flow)
        launch = launcher(self.target, source)
        return CompanionLoad(self.name, stage, options, launch, self.flow.is_fixed)

    def notes(self, opened: Place, stages: Iterable[Stage]) -> list[str]:
        """What changed since its capture, and where its new values run short, by its name. Raises
        WorkloadError where they would repeat."""
        drift = drift_on(self.target, opened.source.workload).to_text()
        told = (drift, *require_enough_values(opened.source, stages))
        return [f"{self.name}: {text}" for text in told if text]


def places_of(plan: Plan, target: Target, reader: Target | None) -> tuple[FlowPlace, ...]:
    """The flows beside the first. Raises ConfigError for one without a workload or an endpoint."""
    require_reader(plan, has_reader=reader is not None)
    return tuple(
        FlowPlace(flow, workload_of(flow), (reader if flow.is_read else None) or target)
        for flow in plan.companions
    )


def require_reader(plan: Plan, *, has_reader: bool) -> None:
    """Raises ConfigError where a flow goes to a reader endpoint, and there is none."""
    readers = [flow.name for flow in plan.flows if flow.is_read]
    if readers and not has_reader:
        raise ConfigError(
            f"The flow {readers[0]} of the plan {plan.name} goes to a reader endpoint, and none is named.",
            hint=f"readiness ramp --plan {plan.name} --target DSN --reader DSN\n"
            "or give the flow  endpoint: writer",
        )


def gate_all(targets: Sequence[Target], settings: Settings) -> None:
    """Asks the interlock of every endpoint; raises TargetRefused, TargetUnavailable."""
    for target in targets:
        gate(target, settings)()


def hold_all(targets: Sequence[Target], settings: Settings, *, for_s: float) -> Callable[[], None]:
    """Asks the interlock of every endpoint when called, and renews the leases for `for_s` seconds."""
    holds = [hold(target, settings, for_s=for_s) for target in targets]

    def ask_all() -> None:
        for ask in holds:
            ask()

    return ask_all


def require_readable(workload: Path) -> None:
    """Raises WorkloadFileError, and ConfigError where the filter beside the file cannot be read: a
    lost key is told before the load, not after it."""
    workload_at(workload)
    guard_of(filter_beside(workload))


def filter_bytes(workload: Path) -> bytes:
    """The filter beside a workload file; b"" where it has none."""
    kept = filter_beside(workload)
    return kept.read_bytes() if kept.is_file() else b""


def require_enough_values(
    source: LoadSource, stages: Iterable[Stage], *, before: float = 0.0
) -> tuple[str, ...]:
    """Warnings where new values run short. `before` is the checkouts that were already run since the
    target was asked.

    Raises WorkloadError where these stages would repeat a value of a unique column."""
    checkouts = before + sum(most(stage) for stage in stages)
    return require_values(source.workload, source.pools, math.ceil(checkouts))


def workload_of(flow: Flow) -> Path:
    """The workload file that a plan or command line names. Raises ConfigError where none does."""
    if flow.workload is None:
        raise ConfigError(
            f"The plan names no workload for its flow {flow.name}.",
            hint=f"--workload {flow.name}={flow.name}.sql",
        )
    return flow.workload

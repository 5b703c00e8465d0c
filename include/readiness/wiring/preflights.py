"""Preflight of a run: what target and host allow, against what the plan's stages ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from readiness.adapters.limits import host_limits, server_limits
from readiness.config.plan import Plan
from readiness.flow import preflight
from readiness.flow.preflight import Asked, Crew, Host, Server
from readiness.flow.ramp import calibrate
from readiness.load.calibrate import cpu_per_checkout_s, rough_cpu_per_checkout_s
from readiness.model.load import LoadOptions, Stage, StageResult
from readiness.ports import Progress
from readiness.wiring.production import watch_of
from readiness.wiring.targets import LoadSource, Target, launcher
from readiness.workload.make.compile import compile_flow

CALIBRATION_CLIENTS = 8
_CALIBRATE_S = 2.0
_NAMESPACE = b"preflight"


@dataclass(frozen=True, slots=True)
class Preflight:
    """What does not fit for sure (`notes`), and the checkouts that were run to find out."""

    notes: tuple[str, ...]
    checkouts: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """Where load would go, with what: `limits` are read once, before any of it."""

    target: Target
    source: LoadSource
    limits: tuple[Server, Host]

    @classmethod
    def of(cls, target: Target, source: LoadSource) -> Place:
        """Asks target and host. Raises TargetError."""
        with target.session() as session:
            return cls(target, source, (server_limits(session), host_limits(target.load)))

    def asked(self, stages: Sequence[Stage], options: LoadOptions) -> Asked:
        """What these stages ask for. Raises WorkloadError."""
        flow = compile_flow(
            self.source.workload, self.source.pools, namespace=_NAMESPACE, seed=options.seed
        )
        return preflight.asked_of(flow, stages, options)

    def require(self, asked: Asked, crew: Crew) -> tuple[str, ...]:
        """The warnings. Raises LoadRefused."""
        return preflight.require(preflight.findings([asked], *self.limits, crew))


def require_room(
    place: Place,
    plan: Plan,
    stages: Sequence[Stage],
    calibrated: StageResult | None,
    tell: Progress,
) -> Preflight:
    """Refuses a plan whose load cannot fit. What the generator takes for a checkout is measured for 2 s
    where the plan has not calibrated anyway, a rough figure leaves doubt, and all else fits.

    Raises LoadRefused with all that does not fit, LoadError, WorkloadError."""
    asked = place.asked(stages, plan.options)
    crew = Crew(plan.options.workers, plan.shards, plan.validity.generator_cpu_ratio)
    if calibrated is not None:
        cpu_s = cpu_per_checkout_s(calibrated, workers=plan.options.workers)
        return Preflight(place.require(replace(asked, cpu_s=cpu_s), crew))
    notes = place.require(asked, crew)
    if not _leaves_doubt(asked, place.source, crew):
        return Preflight(notes)
    result = _two_seconds(place, plan, tell)
    cpu_s = cpu_per_checkout_s(result, workers=1)
    notes = place.require(replace(asked, cpu_s=cpu_s), crew)
    if cpu_s is None:
        notes += ("no checkout ended well in 2 s: what one costs the generator is not known",)
    return Preflight(notes, result.next_number)


def _leaves_doubt(asked: Asked, source: LoadSource, crew: Crew) -> bool:
    connections = 0 if asked.is_pooled else asked.connections
    rough_s = rough_cpu_per_checkout_s(
        statements=len(source.workload.steps), connections=connections
    )
    return asked.rate_per_s * rough_s > crew.size * crew.cpu_ratio


def _two_seconds(place: Place, plan: Plan, tell: Progress) -> StageResult:
    tell(f"measuring for {_CALIBRATE_S:g} s what a checkout costs the generator")
    unpaced = replace(
        plan.options, workers=1, pacing=0.0, statement_pause_ms=0.0, transaction_pause_ms=0.0
    )
    return calibrate(
        unpaced,
        launcher(place.target, place.source),
        seconds=_CALIBRATE_S,
        clients=CALIBRATION_CLIENTS,
        production=watch_of(plan),
    )

"""Preflight of a run: what target and host allow, against what the plan's stages ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from readiness.adapters.limits import host_limits, server_limits
from readiness.config.plan import Plan
from readiness.errors import WorkloadError
from readiness.flow import preflight
from readiness.flow.asked import Asked, asked_of
from readiness.flow.preflight import Crew, Finding, Host, Server
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


Values = Callable[[float], tuple[str, ...]]
"""`values(before)`: warnings where new values run short after so many checkouts; raises WorkloadError
where they run out."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where load would go, with what: `limits` are read once, before any of it. `beside` is what other
    flows ask of the same target and host."""

    target: Target
    source: LoadSource
    limits: tuple[Server, Host]
    beside: tuple[Asked, ...] = ()

    @classmethod
    def of(cls, target: Target, source: LoadSource) -> Place:
        """Asks target and host. Raises TargetError."""
        with target.session() as session:
            return cls(target, source, (server_limits(session), host_limits(target.load)))

    def asked(self, stages: Sequence[Stage], options: LoadOptions) -> Asked:
        """What these stages ask for. Raises WorkloadError."""
        flow = compile_flow(
            self.source.workload,
            self.source.pools,
            namespace=_NAMESPACE,
            seed=options.seed,
            binding=options.binding,
        )
        return asked_of(flow, stages, options)

    def findings(self, asked: Asked, crew: Crew) -> list[Finding]:
        """All that does not fit."""
        return preflight.findings([asked, *self.beside], *self.limits, crew)


def require_room(
    place: Place,
    plan: Plan,
    stages: Sequence[Stage],
    calibrated: StageResult | None,
    values: Values,
    tell: Progress,
) -> tuple[str, ...]:
    """Warnings. What the generator takes for a checkout is measured for 2 s where the plan has not
    calibrated anyway, a rough figure leaves doubt, and all else fits.

    Raises LoadRefused with all that does not fit, LoadError, WorkloadError."""
    asked = place.asked(stages, plan.options)
    crew = Crew(plan.options.workers, plan.shards, plan.validity.generator_cpu_ratio)
    workers = plan.options.workers
    unknown = ""
    if calibrated is None and _leaves_doubt(asked, place.source, crew):
        preflight.require([*place.findings(asked, crew), *_run_short(values, 0.0)])
        calibrated, workers = _two_seconds(place, plan, tell), 1
        unknown = "no checkout ended well in 2 s: what one costs the generator is not known"
    before = calibrated.next_number if calibrated else 0
    cpu_s = cpu_per_checkout_s(calibrated, workers=workers) if calibrated else None
    asked = replace(asked, cpu_s=cpu_s)
    notes = preflight.require([*place.findings(asked, crew), *_run_short(values, before)])
    return notes if cpu_s is not None or not unknown else (*notes, unknown)


def _run_short(values: Values, before: float) -> list[Finding]:
    try:
        return [Finding("values", warning, "", refuses=False) for warning in values(before)]
    except WorkloadError as error:
        return [Finding("values", error.message, error.hint)]


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

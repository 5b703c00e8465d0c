"""Plans: `load_plan` gives a frozen Plan, or all mistakes of the file at once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from readiness.config.expectations import not_planned
from readiness.config.flow_form import CapacityShareForm, FlowForm, flow_mistakes
from readiness.config.masking import Masking, policy_mistakes
from readiness.config.mistakes import in_order, read_form
from readiness.config.places import find
from readiness.config.plan_form import (
    CloneForm,
    PlanForm,
    ProductionWatchForm,
    WaiverForm,
)
from readiness.config.rates import NormalRate, Rate
from readiness.config.schedule import Schedule
from readiness.config.yaml_file import YamlFile, read_yaml
from readiness.errors import Mistake
from readiness.model.invariant import Invariant
from readiness.model.load import LoadOptions, Stage
from readiness.model.verdict import AbortRule, ValidityLimits

_WHAT = "The plan"


@dataclass(frozen=True, slots=True)
class Flow:
    """One flow of a plan; `workload` is None when the command line must name the file, and
    `normal_rate` is None when every rate of the plan is absolute. One that `is_fixed` runs at its
    normal rate in every stage, one that `is_read` at the target's reader endpoint; `workers` counts
    for the flows beside the first."""

    name: str
    workload: Path | None
    normal_rate: NormalRate | None
    is_fixed: bool = False
    is_read: bool = False
    workers: int = 1


@dataclass(frozen=True, slots=True)
class PlannedStage:
    """A stage whose rate may still be relative. Durations in seconds; a person changes the rate of one
    that is tuned."""

    name: str
    rate: Rate
    ramp_s: float
    hold_s: float
    warmup_s: float
    is_tuned: bool = False


@dataclass(frozen=True, slots=True)
class ClonePlan:
    """The clone that a run makes for itself: of which snapshot, for how many hours at first, and for
    how many minutes it is kept for a look when the verdict is NOT_READY; how it is masked."""

    snapshot: str
    lease_h: float
    keep_on_not_ready_min: float
    masking: Masking


@dataclass(frozen=True, slots=True)
class ProductionWatchPlan:
    """Production, asked each second while its clone is loaded: by which account, which of its own
    metrics stop the load, and after how many seconds without an answer it is stopped, too."""

    dsn: str
    abort: tuple[AbortRule, ...]
    silence_s: float


@dataclass(frozen=True, slots=True)
class PlanSource:
    """The file a plan came from, as it stood."""

    path: Path
    text: str = field(repr=False)
    sha256: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What a ramp does and how it is judged. `options.workers` are those of each of the `shards`,
    which are tasks of their own and may run on other hosts."""

    name: str
    flows: tuple[Flow, ...]
    peak: Rate | None
    stages: tuple[PlannedStage, ...]
    options: LoadOptions
    abort: tuple[AbortRule, ...]
    expectations: Path
    validity: ValidityLimits
    evidence_valid_days: int
    scope: str
    source: PlanSource
    schedule: Schedule | None = None
    clone: ClonePlan | None = None
    owner: str = "readiness"
    note: str = ""
    shards: int = 1
    production_watch: ProductionWatchPlan | None = None
    fidelity: Path | None = None
    invariants: tuple[Invariant, ...] = ()  # asked of the target before the load and after it
    tuned_max: Rate | None = None  # of a rate by hand; the peak where the plan says nothing

    @property
    def flow(self) -> Flow:
        """The flow that is staged and judged."""
        return self.flows[0]

    @property
    def companions(self) -> tuple[Flow, ...]:
        """The flows that run beside it."""
        return self.flows[1:]

    @property
    def duration_s(self) -> float:
        """All stages together, without calibration and drains."""
        return sum(s.ramp_s + s.hold_s for s in self.stages)

    def stages_at(self, normal_rate_per_s: float) -> tuple[Stage, ...]:
        """The stages with absolute rates; each ramps up from the rate of the one before."""
        made: list[Stage] = []
        most = self.tuned_max or self.peak
        highest = most.at(normal_rate_per_s) if most else 0.0
        for planned in self.stages:
            before = made[-1].rate_per_s if made else 0.0
            rate = planned.rate.at(normal_rate_per_s)
            made.append(
                Stage(
                    name=planned.name,
                    rate_per_s=rate,
                    hold_s=planned.hold_s,
                    ramp_s=planned.ramp_s,
                    warmup_s=planned.warmup_s,
                    from_rate_per_s=before,
                    tuned_max_per_s=max(highest, rate) if planned.is_tuned else 0.0,
                )
            )
        return tuple(made)

    def companion_stages(self, companion: Flow, normal_rate_per_s: float) -> tuple[Stage, ...]:
        """The same stages for a flow beside the first, whose normal rate `normal_rate_per_s` is: at
        its own normal rate, or that times the multiple of the stage."""
        own = companion.normal_rate.rate_per_s if companion.normal_rate else 0.0
        before, made = own if companion.is_fixed else 0.0, []
        for planned, stage in zip(self.stages, self.stages_at(normal_rate_per_s), strict=True):
            times = 1.0 if companion.is_fixed else planned.rate.times(normal_rate_per_s)
            kept = replace(stage, rate_per_s=own * times, from_rate_per_s=before)
            by_hand = 0.0 if companion.is_fixed else stage.tuned_max_per_s / stage.rate_per_s
            made.append(replace(kept, tuned_max_per_s=by_hand * kept.rate_per_s))
            before = own * times
        return tuple(made)

    def companion_options(self, companion: Flow) -> LoadOptions:
        """How a flow beside the first is made: from workers and a seed of its own, and past the gate,
        which stands before the first flow."""
        seed = self.options.seed + self.flows.index(companion)
        return replace(self.options, workers=companion.workers, seed=seed, admit=0)

    def peak_rate(self, normal_rate_per_s: float) -> float:
        """Checkouts per second of the forecast peak; 0 when the plan names none."""
        return self.peak.at(normal_rate_per_s) if self.peak else 0.0


def load_plan(name_or_path: str | Path) -> Plan:
    """The plan of a path, or of a name in `include/plans/`.

    Its expectations and its clone's policy are read too, so that a wrong file is told before anything
    starts. Raises ConfigError when there is none, ConfigMistakes when one of them is wrong."""
    path = find(str(name_or_path), kind="plans")
    file = read_yaml(path, what=_WHAT)
    form = read_form(file, PlanForm, what=_WHAT)
    mistakes = [
        *flow_mistakes(file, form.flows, [s.rate for s in form.stages]),
        *_same_names(file, form),
        *_rates_without_normal(file, form),
        *_fidelity_without_file(file, form),
        *_tuned_without_limit(file, form),
        *not_planned(
            Path(form.expectations),
            stages=[s.name for s in form.stages],
            flows=[f.name for f in form.flows],
        ),
        *(policy_mistakes(_masking(form.clone)) if form.clone else []),
    ]
    if mistakes:
        raise in_order(_WHAT, mistakes)
    return _plan(file, form)


def _same_names(file: YamlFile, form: PlanForm) -> list[Mistake]:
    named = {
        "stage": [s.name for s in form.stages],
        "invariant": [i.name for i in form.invariants],
    }
    return [
        file.at_value((f"{what}s", i, "name"), f"another {what} is called {name}")
        for what, names in named.items()
        for i, name in enumerate(names)
        if name in names[:i]
    ]


def _rates_without_normal(file: YamlFile, form: PlanForm) -> list[Mistake]:
    if form.flows[0].normal_rate_per_s is not None:
        return []
    relative = [("stages", i, "rate") for i, s in enumerate(form.stages) if s.rate.is_relative]
    told = "this is relative: give the flow a normal_rate_per_s"
    mistakes = [file.at_value(at, told) for at in relative]
    of_plan = {"peak": form.peak, "tuned_max": form.tuned_max}
    mistakes += [
        file.at_value((key,), told) for key, rate in of_plan.items() if rate and rate.is_relative
    ]
    return mistakes


def _fidelity_without_file(file: YamlFile, form: PlanForm) -> list[Mistake]:
    if form.fidelity or not form.validity.fidelity_min:
        return []
    told = "nothing is compared: give the plan a fidelity: FILE of `readiness calibrate --like`"
    return [file.at_value(("validity", "fidelity_min"), told)]


def _tuned_without_limit(file: YamlFile, form: PlanForm) -> list[Mistake]:
    tuned = [i for i, stage in enumerate(form.stages) if stage.tuned]
    if tuned and not form.tuned_max and not form.peak:
        told = "say  tuned_max:  the rate that nobody may go beyond by hand, or a peak"
        return [file.at_value(("stages", tuned[0], "tuned"), told)]
    if form.tuned_max and not tuned:
        return [file.at_value(("tuned_max",), "no stage is tuned: give one  tuned: true")]
    return []


def _plan(file: YamlFile, form: PlanForm) -> Plan:
    return Plan(
        name=form.name,
        flows=tuple(_flow(file.path, f) for f in form.flows),
        peak=form.peak,
        stages=tuple(
            PlannedStage(s.name, s.rate, s.ramp_s, s.hold_s, s.warmup_s, s.tuned)
            for s in form.stages
        ),
        options=_options(form),
        abort=tuple(AbortRule(a.metric, a.op, a.limit, a.for_s) for a in form.abort),
        expectations=Path(form.expectations),
        validity=ValidityLimits(**form.validity.model_dump()),
        evidence_valid_days=form.evidence_valid_days,
        scope=form.scope,
        source=PlanSource(file.path, file.text, file.sha256),
        schedule=form.schedule.schedule() if form.schedule else None,
        clone=_clone(form.clone),
        owner=form.owner,
        note=form.note,
        shards=form.shards,
        production_watch=_production_watch(form.production_watch),
        fidelity=Path(form.fidelity) if form.fidelity else None,
        tuned_max=form.tuned_max,
        invariants=tuple(Invariant(i.name, i.sql, i.equals, i.at_least) for i in form.invariants),
    )


def _production_watch(form: ProductionWatchForm | None) -> ProductionWatchPlan | None:
    if form is None:
        return None
    rules = tuple(AbortRule(a.metric, a.op, a.limit, a.for_s) for a in form.abort)
    return ProductionWatchPlan(form.dsn, rules, form.silence_s)


def _clone(form: CloneForm | None) -> ClonePlan | None:
    if form is None:
        return None
    return ClonePlan(form.snapshot, form.lease_h, form.keep_on_not_ready_min, _masking(form))


def _masking(form: CloneForm) -> Masking:
    if isinstance(form.masking, WaiverForm):
        return Masking(waiver=form.masking.not_needed)
    return Masking(Path(form.masking))


def _flow(path: Path, form: FlowForm) -> Flow:
    return Flow(
        name=form.name,
        workload=path.parent / Path(form.workload).expanduser() if form.workload else None,
        normal_rate=_normal_rate(form),
        is_fixed=form.scale == "fixed",
        is_read=form.endpoint == "reader",
        workers=form.workers or 1,
    )


def _normal_rate(form: FlowForm) -> NormalRate | None:
    written = form.normal_rate_per_s
    if isinstance(written, CapacityShareForm):
        return NormalRate(0.0, written.capacity_share, written.calibrate_s)
    return None if written is None else NormalRate(written)


def _options(form: PlanForm) -> LoadOptions:
    gate = form.admission
    return LoadOptions(
        arrivals=form.arrivals,
        connections=form.connections,
        binding=form.binding,
        statement_pause_ms=form.statement_pause_ms,
        transaction_pause_ms=form.transaction_pause_ms,
        pacing=form.pacing,
        in_flight_limit=form.in_flight_limit,
        workers=form.workers,
        seed=form.seed,
        retries=form.retries,
        admit=gate.admit if gate else 0,
        admit_every_s=gate.every_s if gate else 1.0,
        admit_expire_s=(gate.expire_s or 0.0) if gate else 0.0,
    )

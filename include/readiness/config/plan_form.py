"""The keys of a plan file, with what each may hold. Every key here has an effect."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal
from zoneinfo import ZoneInfo, available_timezones

from pydantic import (
    AfterValidator,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    ValidationInfo,
    model_validator,
)

from readiness.config.dsn import Dsn
from readiness.config.flow_form import FlowForm, Name, Positive, Workers
from readiness.config.masking import waiver_reason
from readiness.config.mistakes import Form, name_of
from readiness.config.nearest import did_you_mean
from readiness.config.places import find
from readiness.config.rates import Rate, parse_rate
from readiness.config.schedule import Schedule, day_of, freeze_of, schedule_of
from readiness.model.metrics import CATALOGUE, ON_PRODUCTION

StageName = Annotated[
    str, AfterValidator(name_of(r"[A-Za-z0-9][A-Za-z0-9._-]*", "letters, digits and . _ -"))
]
NotNegative = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(gt=0, le=1)]
WrittenRate = Annotated[Rate, PlainValidator(parse_rate)]
Day = Annotated[str, PlainValidator(day_of)]
Owner = Annotated[
    str, AfterValidator(name_of(r"[A-Za-z0-9][A-Za-z0-9 ._@-]*", "letters, digits and . _ @ -"))
]

_OFF = {"no", "none", "off", "false", "never", ""}
_PACING = {"none": 0.0, "captured": 1.0}


def _metric_each_second(name: str) -> str:
    """A metric that has a value each second; those of a whole stage cannot stop a load."""
    if name.startswith("native."):
        return name
    if name not in CATALOGUE:
        raise ValueError(f"no such metric.{did_you_mean(name, CATALOGUE)}")
    if name.startswith(("statement_", "checkout_service_", "commit_server_p", "recovery_s")):
        raise ValueError(f"{name} is known only when a stage has ended")
    return name


def _metric_of_production(name: str) -> str:
    if name not in ON_PRODUCTION:
        close = did_you_mean(name, ON_PRODUCTION)
        raise ValueError(f"production is asked only for what is cheap to read.{close}")
    return name


def _dsn(text: str) -> str:
    Dsn.parse(text)
    return text


def _timezone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        close = did_you_mean(name, available_timezones())
        raise ValueError(f"no such timezone, such as Europe/Berlin or UTC.{close}") from None
    return name


def _existing_expectations(name: str, info: ValidationInfo) -> str:
    plan: Path = (info.context or {})["path"]
    # A run folder keeps plan.yaml and its expectations.yaml as they were when the run began.
    kept = plan.with_name("expectations.yaml")
    if plan.name == "plan.yaml" and kept.is_file():
        return str(kept)
    return str(find(name, kind="expectations", beside=plan))


def _existing_policy(name: str, info: ValidationInfo) -> str:
    plan: Path = (info.context or {})["path"]
    if name.lower() in _OFF:
        raise ValueError("a clone is masked: name a policy, or say {not_needed: WHY}")
    # The plan in a run folder tells what was done; nothing is masked by it any more.
    if plan.name == "plan.yaml" and plan.with_name("run.json").is_file():
        return name
    return str(find(name, kind="policies", beside=plan))


def _existing_fidelity(name: str, info: ValidationInfo) -> str:
    plan: Path = (info.context or {})["path"]
    path = plan.parent / Path(name).expanduser()
    # The plan in a run folder tells what was done; the score stands in run.json.
    if not path.is_file() and not plan.with_name("run.json").is_file():
        raise ValueError(f"no such file; `readiness calibrate --like … -o {path.name}` makes one")
    return str(path)


def _pacing(written: object) -> float:
    if isinstance(written, str) and written in _PACING:
        return _PACING[written]
    if isinstance(written, bool) or not isinstance(written, int | float) or written <= 0:
        raise ValueError("allowed: none, captured, or a factor above 0")
    return float(written)


class StageForm(Form):
    """One stage of the ramp."""

    WHAT: ClassVar[str] = "a stage"
    name: StageName
    rate: WrittenRate
    ramp_s: NotNegative = 0.0
    hold_s: Annotated[float, Field(ge=1, le=86_400)]
    warmup_s: NotNegative = 0.0
    tuned: bool = False

    @model_validator(mode="after")
    def _measures_something(self) -> StageForm:
        if self.warmup_s >= self.hold_s:
            raise ValueError(f"warmup_s {self.warmup_s:g} leaves nothing of hold_s {self.hold_s:g}")
        return self


class AbortForm(Form):
    """One rule that stops the load."""

    WHAT: ClassVar[str] = "an abort rule"
    metric: Annotated[str, AfterValidator(_metric_each_second)]
    op: Literal["<", "<=", ">", ">="]
    limit: float
    for_s: Annotated[float, Field(ge=1)]


class ProductionAbortForm(AbortForm):
    """One rule on production's own metric that stops the load on its clone."""

    WHAT: ClassVar[str] = "an abort rule of production"
    metric: Annotated[str, AfterValidator(_metric_of_production)]


class ProductionWatchForm(Form):
    """Production, asked each second while its clone is loaded."""

    WHAT: ClassVar[str] = "a watch on production"
    dsn: Annotated[str, AfterValidator(_dsn)]
    abort: Annotated[list[ProductionAbortForm], Field(min_length=1)]
    silence_s: Annotated[float, Field(ge=3, le=300)] = 10.0


class ValidityForm(Form):
    """Up to where a run is believed."""

    WHAT: ClassVar[str] = "validity"
    schedule_lag_p99_ms: Positive = 50.0
    generator_cpu_ratio: Share = 0.8
    run_queue_delay_ratio: Share = 0.2
    missing_samples_ratio: Share = 0.1
    fidelity_min: Annotated[float, Field(ge=0, le=1)] = 0.0


class FreezeForm(Form):
    """Days without load."""

    WHAT: ClassVar[str] = "a freeze"
    first: Annotated[Day, Field(alias="from")]
    last: Annotated[Day, Field(alias="to")]
    because: Annotated[str, Field(min_length=1, max_length=200)]

    @model_validator(mode="after")
    def _fits_together(self) -> FreezeForm:
        freeze_of(self.first, self.last, self.because)
        return self


class ScheduleForm(Form):
    """When the plan runs by itself; without `cron` only people start it."""

    WHAT: ClassVar[str] = "a schedule"
    cron: str | None = None
    timezone: Annotated[str, AfterValidator(_timezone)] = "UTC"
    freeze: list[FreezeForm] = Field(default_factory=list)
    start_within_min: Annotated[float, Field(ge=1, le=1440)] = 10.0

    def schedule(self) -> Schedule:
        """The schedule; ValueError when it could never run."""
        return schedule_of(
            cron=self.cron,
            timezone=self.timezone,
            freeze=tuple(freeze_of(f.first, f.last, f.because) for f in self.freeze),
            start_within_min=self.start_within_min,
        )

    @model_validator(mode="after")
    def _runs(self) -> ScheduleForm:
        self.schedule()
        return self


class WaiverForm(Form):
    """A person's word that the snapshot holds nothing personal."""

    WHAT: ClassVar[str] = "masking"
    not_needed: Annotated[str, AfterValidator(waiver_reason)]


def _kind_of_masking(value: Any) -> str:
    return "<waiver>" if isinstance(value, dict | WaiverForm) else "<policy>"


WrittenMasking = Annotated[
    Annotated[str, AfterValidator(_existing_policy), Tag("<policy>")]
    | Annotated[WaiverForm, Tag("<waiver>")],
    Discriminator(_kind_of_masking),
]


class CloneForm(Form):
    """The clone that a scheduled or triggered run makes for itself."""

    WHAT: ClassVar[str] = "a clone"
    snapshot: Name
    masking: Annotated[WrittenMasking, Field(validate_default=True)] = "default"
    lease_h: Annotated[float, Field(ge=0.25, le=72)] = 4.0
    keep_on_not_ready_min: Annotated[float, Field(ge=0, le=24 * 60)] = 0.0


class AdmissionForm(Form):
    """A gate before the database: so many checkouts are let in each interval, the others wait."""

    WHAT: ClassVar[str] = "an admission gate"
    admit: Annotated[int, Field(ge=1, le=100_000)]
    every_s: Annotated[float, Field(ge=0.05, le=3600)] = 1.0
    expire_s: Positive | None = None


class InvariantForm(Form):
    """What must be true of the data when the load is over."""

    WHAT: ClassVar[str] = "an invariant"
    name: Annotated[
        str,
        AfterValidator(name_of(r"[A-Za-z0-9][A-Za-z0-9 _-]*", "letters, digits, space and _ -")),
    ]
    sql: Annotated[str, Field(min_length=1, max_length=4000)]
    equals: float | None = None
    at_least: float | None = None
    grows_by: Literal["checkouts"] | None = None

    @model_validator(mode="after")
    def _asks_one_thing(self) -> InvariantForm:
        if sum(v is not None for v in (self.equals, self.at_least, self.grows_by)) != 1:
            raise ValueError("say one of  equals: N,  at_least: N,  grows_by: checkouts")
        return self


class PlanForm(Form):
    """A plan file."""

    WHAT: ClassVar[str] = "a plan"
    name: Name
    flows: Annotated[list[FlowForm], Field(min_length=1)]
    peak: WrittenRate | None = None
    stages: Annotated[list[StageForm], Field(min_length=1, max_length=50)]
    tuned_max: WrittenRate | None = None
    arrivals: Literal["constant", "poisson"] = "constant"
    pacing: Annotated[float, PlainValidator(_pacing)] = 0.0
    connections: Literal["per-checkout", "pooled"] = "per-checkout"
    binding: Literal["literal", "uservar"] = "literal"
    statement_pause_ms: NotNegative = 0.0
    transaction_pause_ms: NotNegative = 0.0
    in_flight_limit: Annotated[int, Field(ge=1, le=20_000)] = 2000
    retries: Annotated[int, Field(ge=0, le=20)] = 3
    admission: AdmissionForm | None = None
    workers: Workers = 1
    shards: Annotated[int, Field(ge=1, le=64)] = 1
    seed: int = 1
    abort: list[AbortForm] = Field(default_factory=list)
    invariants: Annotated[list[InvariantForm], Field(max_length=50)] = Field(default_factory=list)
    production_watch: ProductionWatchForm | None = None
    expectations: Annotated[str, AfterValidator(_existing_expectations)]
    validity: ValidityForm = ValidityForm()
    evidence_valid_days: Annotated[int, Field(ge=1, le=365)] = 14
    fidelity: Annotated[str, AfterValidator(_existing_fidelity)] | None = None
    scope: Literal["demonstration", "evidence"] = "evidence"
    schedule: ScheduleForm | None = None
    clone: CloneForm | None = None
    owner: Owner = "readiness"
    note: Annotated[str, Field(max_length=2000)] = ""

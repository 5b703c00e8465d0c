"""A plan → a DAG: `reserve >> restore >> mask >> calibrate >> stages >> report >> destroy >> complete >> seal`.

reserve, restore and mask are setups, destroy and seal teardowns. There is no edge from restore to
destroy on purpose: destroy looks only at the setups that lead to it directly, so it runs although
restore failed. A stage whose load is spread over shards has a mapped task `shard` beside `load`; both
must be there at once. seal is the run's only leaf that counts, so its colour is the run's. No DAG here has
a `dagrun_timeout`: it would skip destroy.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.sdk import DAG, TaskGroup

from readiness.airflow.form import params_of
from readiness.airflow.operators import (
    LOAD_POOL,
    CalibrateOperator,
    CompleteOperator,
    DestroyOperator,
    GateOperator,
    LoadOperator,
    MaskOperator,
    ReadinessOperator,
    ReportOperator,
    ReserveOperator,
    RestoreOperator,
    SealOperator,
    ShardOperator,
)
from readiness.airflow.tags import tags_of
from readiness.airflow.timetable import timetable_of
from readiness.config.plan import Plan, PlannedStage, load_plan
from readiness.config.rates import Rate
from readiness.errors import ConfigError
from readiness.model.load import SHARDS_MEET_WITHIN_S

FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)
RETRY_DELAY = timedelta(seconds=30)
RESERVE_MIN, RESTORE_MIN, MASK_MIN = 5, 120, 360
GATE_MIN, REPORT_MIN, DESTROY_MIN, SEAL_MIN = 5, 30, 30, 10
_SPARE_MIN = 10.0


def plan_dag(name_or_path: str) -> DAG:
    """The DAG `readiness_NAME` of a plan. Raises ConfigError, ConfigMistakes: then only this DAG is
    missing, and the error says why."""
    plan = load_plan(name_or_path)
    _require_different_groups(plan)
    with DAG(
        dag_id=dag_id_of(plan.name),
        description=_description(plan),
        doc_md=_doc(plan),
        schedule=timetable_of(plan),
        start_date=FIRST_DAY,
        catchup=False,
        is_paused_upon_creation=True,
        max_active_runs=1,
        params=params_of(plan),
        tags=tags_of(plan),
        default_args={"owner": plan.owner, "retry_delay": RETRY_DELAY},
    ) as dag:
        _wire(plan)
    return dag


def dag_id_of(plan_name: str) -> str:
    """`readiness_demo_overload` for the plan `demo-overload`."""
    return f"readiness_{plan_name.replace('-', '_')}"


def group_id_of(stage_name: str) -> str:
    """A stage's name as Airflow accepts it for a task group: without dots."""
    return stage_name.replace(".", "-")


def _require_different_groups(plan: Plan) -> None:
    names: dict[str, str] = {}
    for stage in plan.stages:
        other = names.setdefault(group_id_of(stage.name), stage.name)
        if other != stage.name:
            raise ConfigError(
                f"The stages {other} and {stage.name} of plan {plan.name} are one name to Airflow,"
                " which allows no dots.",
                hint="Rename one of them.",
            )


def _wire(plan: Plan) -> None:
    # In the pool, too: where it is missing a run waits here, before anything is made.
    reserve = _task(ReserveOperator, plan, "reserve", RESERVE_MIN, pool=LOAD_POOL).as_setup()
    restore = _task(RestoreOperator, plan, "restore", RESTORE_MIN, retries=1).as_setup()
    # A setup, too: who clears a stage alone gets a fresh clone, and it must be masked.
    mask = _task(MaskOperator, plan, "mask", MASK_MIN, retries=1).as_setup()
    calibrate = _task(CalibrateOperator, plan, "calibrate", _calibrate_min(plan), pool=LOAD_POOL)
    reserve >> restore >> mask >> calibrate
    before = [calibrate]
    for stage in plan.stages:
        before = _stage(plan, stage, after=before)
    report = _task(ReportOperator, plan, "report", REPORT_MIN, retries=1, trigger_rule="all_done")
    destroy = _task(DestroyOperator, plan, "destroy", DESTROY_MIN, retries=5).as_teardown()
    complete = _task(CompleteOperator, plan, "complete", SEAL_MIN, trigger_rule="all_done")
    seal = _task(SealOperator, plan, "seal", SEAL_MIN).as_teardown(on_failure_fail_dagrun=True)
    before >> report >> destroy >> complete >> seal
    reserve >> [destroy, seal]


def _stage(plan: Plan, stage: PlannedStage, *, after: list[Any]) -> list[Any]:
    """The group of one stage; its loads, after which the next one begins."""
    with TaskGroup(group_id_of(stage.name), tooltip=f"{stage.rate} for {stage.hold_s:g} s"):
        gate = _task(GateOperator, plan, "gate", GATE_MIN, stage=stage.name)
        minutes = _load_min(plan, stage)
        load = _task(LoadOperator, plan, "load", minutes, stage=stage.name, pool=LOAD_POOL)
        loads = [load, *_shards(plan, stage, minutes)]
    after >> gate >> loads
    return loads


def _load_min(plan: Plan, stage: PlannedStage) -> float:
    """Twice all it takes: a stage that others on the host disturbed is repeated once."""
    waiting_s = SHARDS_MEET_WITHIN_S if plan.shards > 1 else 0.0
    return 2 * (stage.ramp_s + stage.hold_s + waiting_s) / 60 + _SPARE_MIN


def _shards(plan: Plan, stage: PlannedStage, minutes: float) -> list[Any]:
    """The shards beside the coordinator's own, as one mapped task; none for a plan of one shard."""
    if plan.shards == 1:
        return []
    shards = ShardOperator.partial(
        task_id="shard",
        plan=plan,
        minutes=minutes,
        execution_timeout=timedelta(minutes=minutes),
        stage=stage.name,
        pool=LOAD_POOL,
        retries=0,
        map_index_template="shard {{ task.shard }}",
        doc_md=ShardOperator.__doc__,
    )
    return [shards.expand(shard=list(range(1, plan.shards)))]


def _task(
    kind: type[ReadinessOperator], plan: Plan, task_id: str, minutes: float, **kwargs: Any
) -> Any:
    return kind(task_id=task_id, plan=plan, minutes=minutes, doc_md=kind.__doc__, **kwargs)


def _calibrate_min(plan: Plan) -> float:
    rate = plan.flow.normal_rate
    return (rate.calibrate_s if rate else 0.0) / 60 + _SPARE_MIN


def _description(plan: Plan) -> str:
    top = max((s.rate.amount for s in plan.stages if s.rate.is_relative), default=0.0)
    most = f", up to {Rate(top, is_relative=True)}" if top else ""
    count = len(plan.stages)
    beside = f", beside {' and '.join(f.name for f in plan.companions)}" if plan.companions else ""
    return f"{plan.flow.name} in {count} stage{'s' * (count != 1)}{most}{beside}, on a clone"


def _masking(plan: Plan) -> str:
    """What becomes of personal data."""
    masking = plan.clone.masking if plan.clone else None
    if masking is None or masking.waiver:
        said = masking.waiver if masking else ""
        return f"which holds nothing personal, as the plan says: {said}"
    return f"masks it by the policy `{masking.policy.stem}` and proves that"


def _doc(plan: Plan) -> str:
    """What stands above the DAG in the UI, in Markdown."""
    rows = "\n".join(
        f"| {s.name} | {s.rate} | {s.ramp_s:g} | {s.hold_s:g} | {s.warmup_s:g} |"
        for s in plan.stages
    )
    rules = "\n".join(f"- {rule.text}" for rule in plan.abort) or "- none"
    clone = plan.clone.snapshot if plan.clone else ""
    spread = f" from {plan.shards} shards at once" if plan.shards > 1 else ""
    return f"""\
## {plan.name}

{plan.note or "A ramp of load on a clone of production."}

Restores a clone of the snapshot `{clone}`, {_masking(plan)}, loads it stage by stage{spread}, judges what was measured and
destroys the clone, however the run ends. **Green** means that the run can be believed, also when
its verdict is NOT_READY; **red** means an error, a clone that is left, or a load that was not what
the plan asks for. The verdict is what the task `report` returns.

| stage | rate | ramp s | hold s | warm-up s |
|---|---|---|---|---|
{rows}

The load stops by itself at:

{rules}
"""

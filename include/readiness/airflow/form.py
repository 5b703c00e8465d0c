"""The form of a plan's DAG: what a person may change for one run, and the plan that comes of it.

Four questions stand open; the rest is in sections, which Airflow shows folded. A wrong value is
refused when the run is triggered; Airflow accepts unknown keys, so the first task refuses those.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from airflow.sdk import Param

from readiness.config.nearest import did_you_mean
from readiness.config.plan import ClonePlan, Flow, Plan, PlannedStage
from readiness.config.rates import NormalRate, Rate, parse_rate
from readiness.errors import ConfigError

_NAME = "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"
_RATE = r"^(?=.*[1-9])([0-9]+(\.[0-9]+)?|\.[0-9]+) *(x|/s)$"
_LOAD, _CLONE, _START = "Load", "Clone", "Start"


def params_of(plan: Plan) -> dict[str, Param]:
    """The form of a plan, its values the plan's own. Raises ConfigError for a plan without clone."""
    return {**_open_questions(plan), **_load(plan), **_clone(plan), **_start()}


def validate_conf(conf: object, known: Iterable[str]) -> dict[str, object]:
    """What a run was triggered with. `known` are the names of its form.

    Raises ConfigError unless it is an object (or absent) with names of the form alone."""
    if conf is None:
        return {}
    if not isinstance(conf, Mapping):
        raise ConfigError(
            f"The run's conf is {_kind(conf)}; an object is needed.",
            hint='Such as {"scale": 0.5}, or none at all.',
        )
    names = sorted(known)
    for key in conf:
        if key not in names:
            close = did_you_mean(str(key), names)
            raise ConfigError(
                f"The run's conf has an unknown key {str(key)[:60]!r}.{close}",
                hint=f"Keys: {', '.join(names)}",
            )
    return dict(conf)


def planned(plan: Plan, params: Mapping[str, Any], *, workloads: Path) -> Plan:
    """The plan as this run was told to do it. `params` has a value for each name of the form;
    `workloads` is the folder of built workloads. Raises ConfigError."""
    clone = _clone_of(plan)
    return replace(
        plan,
        stages=tuple(_scaled(stage, params["scale"]) for stage in plan.stages),
        peak=_peak(params["peak"]),
        flows=(
            _flow(plan.flow, params, workloads),
            *(replace(f, workload=_built(f, workloads)) for f in plan.companions),
        ),
        options=replace(plan.options, workers=params["workers"], seed=params["seed"]),
        clone=replace(
            clone,
            snapshot=params["target"],
            lease_h=float(params["lease_h"]),
            keep_on_not_ready_min=float(params["keep_on_not_ready_min"]),
        ),
    )


def _open_questions(plan: Plan) -> dict[str, Param]:
    return {
        "target": Param(
            _clone_of(plan).snapshot,
            type="string",
            pattern=_NAME,
            maxLength=60,
            title="Target",
            description="The snapshot that this run clones and loads.",
        ),
        "scale": Param(
            1.0,
            type="number",
            minimum=0.1,
            maximum=20,
            title="Plan scale",
            description="Multiplies the rate of every stage; the peak stays.",
        ),
        "peak": Param(
            str(plan.peak) if plan.peak else None,
            type=["null", "string"],
            pattern=_RATE,
            title="Peak",
            description="The forecast that must be proven: 10x (times a normal day) or 120/s.",
        ),
        "note": Param(
            None,
            type=["null", "string"],
            maxLength=500,
            title="Note",
            description="Why this run; it stands in the report and the messages.",
        ),
    }


def _load(plan: Plan) -> dict[str, Param]:
    return {
        "workload": Param(
            None,
            type=["null", "string"],
            pattern=_NAME,
            title="Workload",
            description="NAME of workloads/NAME.sql in the state folder, instead of the plan's.",
            section=_LOAD,
        ),
        "normal_rate_per_s": Param(
            None,
            type=["null", "number"],
            exclusiveMinimum=0,
            maximum=100_000,
            title="Normal rate",
            description="Checkouts per second of a normal day, instead of the plan's.",
            section=_LOAD,
        ),
        "workers": Param(
            plan.options.workers,
            type="integer",
            minimum=1,
            maximum=64,
            title="Workers",
            description="Processes that make the load; in each shard, where the plan has several.",
            section=_LOAD,
        ),
        "seed": Param(
            plan.options.seed,
            type="integer",
            minimum=0,
            title="Seed",
            description="The same seed gives the same arrivals and values.",
            section=_LOAD,
        ),
    }


def _clone(plan: Plan) -> dict[str, Param]:
    clone = _clone_of(plan)
    return {
        "lease_h": Param(
            clone.lease_h,
            type="number",
            minimum=0.25,
            maximum=72,
            title="Lease",
            description="Hours until the janitor may destroy the clone; running tasks renew it.",
            section=_CLONE,
        ),
        "keep_on_not_ready_min": Param(
            clone.keep_on_not_ready_min,
            type="number",
            minimum=0,
            maximum=24 * 60,
            title="Keep when not ready",
            description="Minutes that the clone of a NOT_READY run is kept for a look.",
            section=_CLONE,
        ),
    }


def _start() -> dict[str, Param]:
    return {
        "despite_freeze": Param(
            default=False,
            type="boolean",
            title="Despite a freeze",
            description="Start although the plan's schedule is frozen today.",
            section=_START,
        )
    }


def _clone_of(plan: Plan) -> ClonePlan:
    if plan.clone is None:
        raise ConfigError(
            f"The plan {plan.name} names no snapshot to clone.",
            hint="Give it  clone: {snapshot: NAME}",
        )
    return plan.clone


def _scaled(stage: PlannedStage, scale: float) -> PlannedStage:
    return replace(stage, rate=replace(stage.rate, amount=stage.rate.amount * scale))


def _peak(text: str | None) -> Rate | None:
    try:
        return parse_rate(text) if text else None
    except ValueError as error:
        raise ConfigError(
            f"The peak {text!r} is no rate: {error}.",
            hint="10x (times a normal day) or 120/s.",
        ) from None


def _flow(flow: Flow, params: Mapping[str, Any], workloads: Path) -> Flow:
    """The flow with the workload that this run uses: named in the form, or by the plan, or the
    built one of the flow's own name."""
    named, rate = params["workload"], params["normal_rate_per_s"]
    return replace(
        flow,
        workload=workloads / f"{named}.sql" if named else _built(flow, workloads),
        normal_rate=flow.normal_rate if rate is None else NormalRate(float(rate)),
    )


def _built(flow: Flow, workloads: Path) -> Path:
    """The workload that the plan names for a flow, or the built one of the flow's own name."""
    return flow.workload or workloads / f"{flow.name}.sql"


def _kind(value: object) -> str:
    """What JSON calls it, with its article."""
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    return {"str": "a text", "list": "a list"}.get(type(value).__name__, "no object")

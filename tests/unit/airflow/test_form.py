"""The form starts from the plan, refuses wrong values and unknown keys, and makes the run's plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from airflow.sdk import Param
from airflow.sdk.exceptions import ParamValidationError

from readiness.airflow.form import params_of, planned, validate_conf
from readiness.airflow.tags import Tag, tags_of
from readiness.config.plan import Flow, Plan, load_plan
from readiness.config.rates import NormalRate
from readiness.errors import ConfigError

PLANS = ["demo", "weekly", "peak", "spike"]
FOLDER = Path("workloads")


@pytest.fixture(scope="module")
def plan() -> Plan:
    return load_plan("weekly")


@pytest.fixture(scope="module")
def form(plan: Plan) -> Mapping[str, Param]:
    return params_of(plan)


def told(plan: Plan, **given: object) -> Plan:
    """The plan of a run that was triggered with `given`."""
    values = {name: param.value for name, param in params_of(plan).items()}
    return planned(plan, {**values, **given}, workloads=FOLDER)


@pytest.mark.parametrize("name", PLANS)
def test_every_plan_starts_with_its_own_values(name: str) -> None:
    for key, param in params_of(load_plan(name)).items():
        assert param.resolve() == param.value, key


def test_four_questions_stand_open_and_the_rest_is_folded(form: Mapping[str, Param]) -> None:
    is_open = [name for name, param in form.items() if "section" not in param.schema]
    assert is_open == ["target", "scale", "peak", "note"]


def test_every_question_has_a_title_and_says_what_it_means(form: Mapping[str, Param]) -> None:
    assert all(param.schema["title"] and param.description for param in form.values())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("target", "Demo Production"),
        ("target", "../production"),
        ("target", None),
        ("scale", 0.05),
        ("scale", 21),
        ("scale", "1"),
        ("peak", "10"),
        ("peak", "0x"),
        ("peak", "x"),
        ("note", "n" * 501),
        ("workload", "a/b"),
        ("normal_rate_per_s", 0),
        ("workers", 0),
        ("workers", 1.5),
        ("seed", -1),
        ("lease_h", 100),
        ("keep_on_not_ready_min", -1),
        ("despite_freeze", "yes"),
    ],
)
def test_a_wrong_value_is_refused(form: Mapping[str, Param], name: str, value: object) -> None:
    with pytest.raises(ParamValidationError):
        form[name].resolve(value)


@pytest.mark.parametrize("value", ["10x", "0.5x", "120/s", "120 /s", None])
def test_a_peak_is_a_rate_or_none(form: Mapping[str, Param], plan: Plan, value: str | None) -> None:
    assert form["peak"].resolve(value) == value
    peak = told(plan, peak=value).peak
    assert (str(peak) if peak else None) == (value.replace(" ", "") if value else None)


def test_left_as_it_is_the_form_gives_the_plan(plan: Plan) -> None:
    same = told(plan)
    assert (same.stages, same.peak, same.clone) == (plan.stages, plan.peak, plan.clone)
    assert (same.options, same.flow.normal_rate) == (plan.options, plan.flow.normal_rate)


def test_the_scale_moves_every_stage_and_leaves_the_peak(plan: Plan) -> None:
    doubled = told(plan, scale=2)
    assert [s.rate.amount for s in doubled.stages] == [s.rate.amount * 2 for s in plan.stages]
    assert doubled.peak == plan.peak


def test_the_clone_is_made_of_the_target(plan: Plan) -> None:
    clone = told(plan, target="shop-2026", lease_h=1, keep_on_not_ready_min=15).clone
    assert clone is not None
    assert (clone.snapshot, clone.lease_h, clone.keep_on_not_ready_min) == ("shop-2026", 1, 15)


def test_the_workload_is_the_built_one_unless_another_is_named(plan: Plan) -> None:
    assert told(plan).flow.workload == FOLDER / "checkout.sql"
    assert told(plan, workload="refund").flow.workload == FOLDER / "refund.sql"


def test_flows_beside_the_first_have_the_built_workload_of_their_name_or_the_plans(
    plan: Plan,
) -> None:
    named, unnamed = (
        Flow(name, path, NormalRate(4.0), is_fixed=True)
        for name, path in (("repayment", Path("mine.sql")), ("refund", None))
    )
    several = told(replace(plan, flows=(plan.flow, named, unnamed)), workload="other")
    assert [f.workload for f in several.flows] == [
        FOLDER / "other.sql", Path("mine.sql"), FOLDER / "refund.sql",
    ]  # fmt: skip


def test_a_given_rate_needs_no_calibration(plan: Plan) -> None:
    rate = told(plan, normal_rate_per_s=12).flow.normal_rate
    assert rate is not None
    assert (rate.at(0), rate.needs_calibration) == (12, False)


def test_a_peak_that_slipped_through_is_told(plan: Plan) -> None:
    with pytest.raises(ConfigError, match="is no rate"):
        told(plan, peak="fast")


def test_an_unknown_key_is_refused_with_the_nearest(form: Mapping[str, Param]) -> None:
    with pytest.raises(ConfigError, match=r"'scal'\. Did you mean scale\?") as refused:
        validate_conf({"scal": 2}, form)
    assert "despite_freeze, keep_on_not_ready_min" in refused.value.hint


@pytest.mark.parametrize("conf", [[1], "scale", 3, True])
def test_a_conf_that_is_no_object_is_refused(form: Mapping[str, Param], conf: object) -> None:
    with pytest.raises(ConfigError, match="an object is needed"):
        validate_conf(conf, form)


@pytest.mark.parametrize("conf", [None, {}])
def test_a_conf_may_be_absent(form: Mapping[str, Param], conf: object) -> None:
    assert validate_conf(conf, form) == {}


def test_a_plan_without_a_snapshot_has_no_form(plan: Plan) -> None:
    with pytest.raises(ConfigError, match="names no snapshot") as refused:
        params_of(replace(plan, clone=None))
    assert "clone: {snapshot: NAME}" in refused.value.hint


def test_tags_say_how_a_plan_starts_and_what_it_is_worth(plan: Plan) -> None:
    assert tags_of(plan) == ["readiness", "load", "scheduled", "demonstration"]
    assert tags_of(load_plan("spike")) == ["readiness", "load", "manual", "demonstration"]
    assert set(tags_of(plan)) <= set(Tag)

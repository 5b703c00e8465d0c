"""What a plan promises: absolute stages from relative rates, and a frozen source."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from readiness.config.masking import Masking
from readiness.config.places import find
from readiness.config.plan import ClonePlan, Plan, load_plan
from readiness.config.rates import Rate

PLAN = """\
name: weekly
flows:
  - {name: checkout, workload: flows/checkout.sql, normal_rate_per_s: 12}
peak: 10x
stages:
  - {name: warm, rate: 3/s, hold_s: 5}
  - {name: 1x, rate: 1x, ramp_s: 2, hold_s: 10, warmup_s: 2}
  - {name: peak, rate: 10x, ramp_s: 5, hold_s: 60}
pacing: captured
workers: 2
shards: 3
retries: 5
admission: {admit: 40, every_s: 0.5, expire_s: 20}
in_flight_limit: 100
abort:
  - {metric: commit_p99_ms, op: ">", limit: 1000, for_s: 5}
expectations: limits.yaml
validity: {generator_cpu_ratio: 0.5}
"""

LIMITS = """\
version: 1
expectations:
  - {id: errors, metric: error_ratio, stages: [peak], op: "<", limit: 0.1, unit: ratio,
     severity: critical}
"""


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "weekly.yaml").write_text(PLAN)
    (tmp_path / "limits.yaml").write_text(LIMITS)
    return load_plan(tmp_path / "weekly.yaml")


def test_stages_are_absolute_and_ramp_from_the_one_before(plan: Plan) -> None:
    stages = plan.stages_at(12.0)
    assert [(s.name, s.from_rate_per_s, s.rate_per_s) for s in stages] == [
        ("warm", 0.0, 3.0),
        ("1x", 3.0, 12.0),
        ("peak", 12.0, 120.0),
    ]
    assert sum(s.duration_s for s in stages) == plan.duration_s == 82


def test_the_peak_is_a_multiple_of_the_normal_rate(plan: Plan) -> None:
    assert plan.peak_rate(12.0) == 120.0


def test_files_are_found_beside_the_plan(plan: Plan, tmp_path: Path) -> None:
    assert plan.expectations == tmp_path / "limits.yaml"
    assert plan.flow.workload == tmp_path / "flows/checkout.sql"


def test_the_source_is_kept_as_it_stood(plan: Plan) -> None:
    assert plan.source.text == PLAN
    assert plan.source.sha256 == hashlib.sha256(PLAN.encode()).hexdigest()


def test_options_and_limits_come_through(plan: Plan) -> None:
    assert (plan.options.pacing, plan.options.workers, plan.options.in_flight_limit) == (1, 2, 100)
    assert plan.shards == 3
    assert plan.options.retries == 5
    gate = (plan.options.admit, plan.options.admit_every_s, plan.options.admit_expire_s)
    assert gate == (40, 0.5, 20)
    assert (plan.validity.generator_cpu_ratio, plan.validity.schedule_lag_p99_ms) == (0.5, 50)
    assert [(a.metric, a.for_s) for a in plan.abort] == [("commit_p99_ms", 5.0)]


def test_without_a_peak_the_peak_rate_is_none(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(PLAN.replace("peak: 10x\n", ""))
    (tmp_path / "limits.yaml").write_text(LIMITS)
    assert load_plan(tmp_path / "p.yaml").peak_rate(12.0) == 0.0


def test_the_demo_asks_two_fifths_of_the_capacity_at_its_peak() -> None:
    plan = load_plan("demo")
    normal = plan.flow.normal_rate
    assert normal is not None
    assert normal.needs_calibration
    assert plan.peak_rate(normal.at(100.0)) == pytest.approx(40.0)
    assert plan.stages_at(normal.at(100.0))[-1].rate_per_s == pytest.approx(40.0)
    assert plan.scope == "demonstration"


def test_the_overload_demo_asks_four_times_the_capacity() -> None:
    plan = load_plan("demo-overload")
    normal = plan.flow.normal_rate
    assert normal is not None
    assert plan.stages_at(normal.at(100.0))[-1].rate_per_s == pytest.approx(400.0)


@pytest.mark.parametrize("text", ["2x", "0.5x", "120/s"])
def test_rates_read_as_they_are_written(text: str, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(PLAN.replace("rate: 10x", f"rate: {text}"))
    (tmp_path / "limits.yaml").write_text(LIMITS)
    assert str(load_plan(tmp_path / "p.yaml").stages[-1].rate) == text


def test_an_absolute_rate_does_not_depend_on_the_normal_rate() -> None:
    assert Rate(120, is_relative=False).at(5) == Rate(120, is_relative=False).at(50) == 120


def test_a_plan_says_when_it_runs_and_on_what(tmp_path: Path) -> None:
    more = """\
schedule: {cron: 0 6 * * mon, timezone: Europe/Berlin, start_within_min: 30}
clone: {snapshot: gold, keep_on_not_ready_min: 15}
owner: dba@example.test
note: before the season
"""
    (tmp_path / "p.yaml").write_text(PLAN + more)
    (tmp_path / "limits.yaml").write_text(LIMITS)
    plan = load_plan(tmp_path / "p.yaml")
    assert plan.schedule is not None
    assert plan.schedule.cron is not None
    assert (plan.schedule.cron.text, plan.schedule.timezone) == ("0 6 * * mon", "Europe/Berlin")
    policy = find("default", kind="policies")
    assert plan.clone == ClonePlan("gold", 4.0, keep_on_not_ready_min=15.0, masking=Masking(policy))
    assert (plan.owner, plan.note) == ("dba@example.test", "before the season")


def test_a_plan_without_them_is_started_by_people_on_a_named_target(plan: Plan) -> None:
    assert (plan.schedule, plan.clone, plan.owner, plan.note) == (None, None, "readiness", "")


@pytest.mark.parametrize(
    ("more", "most"), [("", 120.0), ("tuned_max: 15x\n", 180.0), ("tuned_max: 1x\n", 120.0)]
)
def test_a_rate_by_hand_goes_up_to_tuned_max_or_the_peak_and_never_below_the_plans(
    more: str, most: float, tmp_path: Path
) -> None:
    last = "  - {name: hand, rate: 10x, hold_s: 60, tuned: true}\n"
    text = PLAN.replace("pacing:", f"{last}{more}pacing:", 1)
    (tmp_path / "p.yaml").write_text(text)
    (tmp_path / "limits.yaml").write_text(LIMITS)
    stages = load_plan(tmp_path / "p.yaml").stages_at(12.0)
    assert [s.tuned_max_per_s for s in stages if s.is_tuned] == [most]
    assert stages[-1].tuned_max_per_s == most

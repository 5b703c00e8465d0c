"""Several flows in one plan: the first is staged and judged, the others run beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from readiness.config.plan import Plan, load_plan
from readiness.errors import ConfigMistakes
from readiness.wiring.load_room import room_of

LIMITS = """\
version: 1
expectations:
  - {id: errors, metric: error_ratio, stages: "*", op: "<", limit: 0.1, unit: ratio,
     severity: critical}
"""
PLAN = """\
name: season
flows:
  - {name: checkout, normal_rate_per_s: 12}
  - {name: repayment, normal_rate_per_s: 4, scale: fixed, workload: repayment.sql}
  - {name: refund, normal_rate_per_s: 0.5, scale: staged, endpoint: reader, workers: 2}
stages:
  - {name: smoke, rate: 6/s, hold_s: 5}
  - {name: 2x, rate: 2x, ramp_s: 2, hold_s: 10, warmup_s: 3}
  - {name: 10x, rate: 10x, ramp_s: 4, hold_s: 20}
workers: 3
seed: 7
admission: {admit: 40}
expectations: limits.yaml
"""


def plan_of(folder: Path, text: str = PLAN, limits: str = LIMITS) -> Plan:
    (folder / "limits.yaml").write_text(limits)
    (folder / "season.yaml").write_text(text)
    return load_plan(folder / "season.yaml")


def told(folder: Path, text: str, limits: str = LIMITS) -> list[tuple[str, int, str]]:
    with pytest.raises(ConfigMistakes) as caught:
        plan_of(folder, text, limits)
    return [(m.path.name, m.line, m.text) for m in caught.value.mistakes]


def rates(plan: Plan, name: str) -> list[tuple[float, float]]:
    """From which rate to which a flow goes in each stage, where checkout's normal rate is 12/s."""
    flow = next(f for f in plan.companions if f.name == name)
    return [(s.from_rate_per_s, s.rate_per_s) for s in plan.companion_stages(flow, 12.0)]


def test_the_first_flow_is_staged_and_the_others_run_beside_it(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    assert plan.flow.name == "checkout"
    assert [f.name for f in plan.companions] == ["repayment", "refund"]
    assert [s.rate_per_s for s in plan.stages_at(12.0)] == [6, 24, 120]


def test_a_fixed_flow_runs_at_its_normal_rate_in_every_second_of_every_stage(
    tmp_path: Path,
) -> None:
    assert rates(plan_of(tmp_path), "repayment") == [(4, 4), (4, 4), (4, 4)]


def test_a_staged_flow_follows_the_multiple_of_the_stage_and_its_ramp(tmp_path: Path) -> None:
    assert rates(plan_of(tmp_path), "refund") == [(0, 0.25), (0.25, 1), (1, 5)]


def test_stages_of_all_flows_last_equally_long(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    own = plan.stages_at(12.0)
    for flow in plan.companions:
        beside = plan.companion_stages(flow, 12.0)
        assert [(s.name, s.ramp_s, s.hold_s, s.warmup_s) for s in beside] == [
            (s.name, s.ramp_s, s.hold_s, s.warmup_s) for s in own
        ]


def test_by_hand_a_staged_flow_may_go_as_far_beyond_as_the_first(tmp_path: Path) -> None:
    tuned = PLAN.replace("rate: 10x, ramp_s: 4,", "rate: 10x, ramp_s: 4, tuned: true,")
    plan = plan_of(tmp_path, tuned.replace("workers: 3", "workers: 3\ntuned_max: 20x"))
    repayment, refund = (plan.companion_stages(f, 12.0)[-1] for f in plan.companions)
    assert plan.stages_at(12.0)[-1].tuned_max_per_s == 240
    assert (repayment.is_tuned, refund.tuned_max_per_s) == (False, 10)


def test_each_flow_has_workers_and_a_seed_of_its_own_and_no_gate(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    repayment, refund = map(plan.companion_options, plan.companions)
    assert (plan.options.workers, repayment.workers, refund.workers) == (3, 1, 2)
    assert len({plan.options.seed, repayment.seed, refund.seed}) == 3
    assert (plan.options.admit, repayment.admit, refund.admit) == (40, 0, 0)


def test_a_flow_goes_to_the_writer_unless_it_says_reader(tmp_path: Path) -> None:
    assert [f.is_read for f in plan_of(tmp_path).flows] == [False, False, True]


def test_all_mistakes_of_flows_come_at_once_each_at_its_place(tmp_path: Path) -> None:
    wrong = """\
name: season
flows:
  - {name: checkout, scale: fixed, endpoint: reader, workers: 2}
  - {name: repayment}
  - {name: repayment, normal_rate_per_s: {capacity_share: 0.1}, scale: staged}
stages:
  - {name: 120, rate: 120/s, hold_s: 5}
  - {name: 2x, rate: 2x, hold_s: 5}
expectations: limits.yaml
""".replace("name: 120", 'name: "120"')
    assert told(tmp_path, wrong) == [
        ("season.yaml", 3, "the first flow is the one that is staged and judged"),
        ("season.yaml", 3,
         "the first flow is judged by the writer's figures: only further ones use the reader"),
        ("season.yaml", 3,
         "the first flow has the workers of the plan: write workers beside stages"),
        ("season.yaml", 4,
         "say scale: fixed (its normal rate in every stage) or staged (times the stage's multiple)"),
        ("season.yaml", 4, "normal_rate_per_s is missing: what it does a second on a normal day"),
        ("season.yaml", 5, "another flow is called repayment"),
        ("season.yaml", 5, "only the first flow's normal rate is measured: write a number"),
        ("season.yaml", 7,
         "a staged flow needs its multiple: give the flow checkout a normal_rate_per_s"),
        ("season.yaml", 8, "this is relative: give the flow a normal_rate_per_s"),
    ]  # fmt: skip


def test_a_plan_has_at_most_eight_flows(tmp_path: Path) -> None:
    more = "".join(
        f"  - {{name: flow-{n}, normal_rate_per_s: 1, scale: fixed}}\n" for n in range(6)
    )
    many = PLAN.replace("stages:\n", f"{more}stages:\n")
    assert told(tmp_path, many) == [("season.yaml", 11, "a plan has at most 8 flows")]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("scale: fixed", "scale: fixd", "allowed: staged, fixed. Did you mean fixed?"),
        ("endpoint: reader", "endpoint: replica", "allowed: writer, reader"),
        ("workers: 2", "workers: 0", "should be greater than or equal to 1"),
        ("workers: 2", "worker: 2", "unknown key. Did you mean workers?"),
    ],
)
def test_a_wrong_value_of_a_flow_is_told_with_its_line(
    tmp_path: Path, before: str, after: str, message: str
) -> None:
    line = 4 if "fixed" in before else 5
    found = told(tmp_path, PLAN.replace(before, after))
    assert [(at, message in text) for _, at, text in found] == [(line, True)]


def test_a_fixed_flow_needs_no_multiple_of_absolute_stages(tmp_path: Path) -> None:
    absolute = """\
name: season
flows:
  - {name: checkout}
  - {name: repayment, normal_rate_per_s: 4, scale: fixed}
stages:
  - {name: one, rate: 24/s, hold_s: 5}
  - {name: two, rate: 120/s, hold_s: 5}
expectations: limits.yaml
"""
    plan = plan_of(tmp_path, absolute)
    assert [s.rate_per_s for s in plan.companion_stages(plan.companions[0], 0.0)] == [4, 4]


JUDGED = (
    LIMITS
    + """\
  - {id: repayment-errors, metric: error_ratio, flow: repayment, stages: "*", op: "<", limit: 0.1,
     unit: ratio, severity: critical}
"""
)


def test_an_expectation_may_name_a_flow_of_the_plan(tmp_path: Path) -> None:
    assert plan_of(tmp_path, limits=JUDGED).expectations.name == "limits.yaml"


def test_a_flow_that_the_plan_has_not_is_told_where_it_is_named(tmp_path: Path) -> None:
    wrong = JUDGED.replace("flow: repayment", "flow: repaiment")
    assert told(tmp_path, PLAN, wrong) == [
        ("limits.yaml", 5, "the plan has no such flow. Did you mean repayment?")
    ]


def test_figures_of_the_whole_target_are_of_no_flow(tmp_path: Path) -> None:
    first, own = JUDGED.split("repayment-errors")
    own = own.replace("error_ratio", "aas, statistic: mean").replace(
        "unit: ratio", "unit: sessions"
    )
    wrong = f"{first}repayment-errors{own}"
    assert told(tmp_path, PLAN, wrong) == [
        ("limits.yaml", 5, "aas is of the whole target, not of one flow")
    ]


WORKLOAD = Path(__file__).parents[2] / "golden" / "workload" / "checkout.sql"


def test_the_clone_gets_room_for_the_rows_of_all_flows(tmp_path: Path) -> None:
    for name in ("checkout", "repayment", "refund"):
        (tmp_path / f"{name}.sql").write_bytes(WORKLOAD.read_bytes())
    named = PLAN.replace("normal_rate_per_s: 12", "normal_rate_per_s: 12, workload: checkout.sql")
    alone = "".join(line for line in named.splitlines(keepends=True) if "scale:" not in line)
    both = room_of(plan_of(tmp_path, named))
    only = room_of(plan_of(tmp_path, alone))
    # 41 s of repayment at 4/s beside the checkouts of the same workload; refund names no file.
    assert both.bytes / only.bytes == pytest.approx(
        (only.checkouts + 164) / only.checkouts, rel=0.01
    )


def test_the_example_keeps_repayments_at_a_normal_day_up_to_the_peak() -> None:
    plan = load_plan("peak-with-repayments")
    (repayment,) = plan.companions
    assert [s.rate_per_s for s in plan.stages_at(12.0)] == [6, 12, 36, 120]
    assert {s.rate_per_s for s in plan.companion_stages(repayment, 12.0)} == {4}

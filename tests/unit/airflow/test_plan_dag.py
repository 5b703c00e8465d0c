"""The graph of a plan's DAG: the clone is always destroyed, the colour is always seal's."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from airflow.sdk import DAG, BaseOperator
from airflow.serialization.serialized_objects import DagSerialization

from readiness.airflow.operators import LOAD_POOL
from readiness.airflow.plan_dag import dag_id_of, plan_dag
from readiness.airflow.tags import Tag
from readiness.config.plan import load_plan
from readiness.errors import ConfigError, ConfigMistakes

PLANS = ["demo", "demo-overload", "weekly", "peak", "spike"]


@pytest.fixture(scope="module", params=PLANS)
def dag(request: pytest.FixtureRequest) -> DAG:
    return plan_dag(request.param)


def tasks(dag: DAG) -> Mapping[str, BaseOperator]:
    return {task.task_id: task for task in dag.tasks if isinstance(task, BaseOperator)}


def stages(dag: DAG) -> list[str]:
    return [task_id.split(".")[0] for task_id in tasks(dag) if task_id.endswith(".load")]


def edges(dag: DAG) -> set[tuple[str, str]]:
    return {(a, b) for a, task in tasks(dag).items() for b in task.downstream_task_ids}


def test_the_graph_is_one_line_with_teardowns_on_reserve_alone(dag: DAG) -> None:
    steps = [f"{stage}.{part}" for stage in stages(dag) for part in ("gate", "load")]
    made = ["reserve", "restore", "mask", "calibrate"]
    line = [*made, *steps, "report", "destroy", "complete", "seal"]
    chain = set(pairwise(line))
    assert edges(dag) == chain | {("reserve", "destroy"), ("reserve", "seal")}


def test_a_stage_is_a_group_named_after_it(dag: DAG) -> None:
    plan = load_plan(next(p for p in PLANS if dag_id_of(p) == dag.dag_id))
    assert stages(dag) == [stage.name for stage in plan.stages]
    assert set(dag.task_group_dict) == set(stages(dag))


def test_setups_and_teardowns(dag: DAG) -> None:
    found = tasks(dag)
    # mask is one, too: who clears a stage alone has restore run again, and that clone must be masked.
    setups = [name for name, task in found.items() if task.is_setup]
    assert setups == ["reserve", "restore", "mask"]
    assert [name for name, task in found.items() if task.is_teardown] == ["destroy", "seal"]
    assert found["seal"].on_failure_fail_dagrun
    assert not found["destroy"].on_failure_fail_dagrun


def test_a_load_is_never_retried_and_runs_in_the_pool(dag: DAG) -> None:
    found = tasks(dag)
    loads = [found[f"{stage}.load"] for stage in stages(dag)] + [found["calibrate"]]
    assert {(task.retries, task.pool) for task in loads} == {(0, LOAD_POOL)}


def test_a_masking_that_was_killed_is_tried_again_where_it_stopped(dag: DAG) -> None:
    mask, restore = tasks(dag)["mask"], tasks(dag)["restore"]
    assert mask.retries == 1
    assert mask.execution_timeout
    assert restore.execution_timeout
    assert mask.execution_timeout > restore.execution_timeout


def test_the_page_of_a_dag_says_how_its_clone_is_masked(dag: DAG, tmp_path: Path) -> None:
    assert "masks it by the policy `default`" in (dag.doc_md or "")
    waived = written(tmp_path, "clone: {", "clone: {masking: {not_needed: all invented}, ")
    assert "holds nothing personal, as the plan says: all invented" in (
        plan_dag(str(waived)).doc_md or ""
    )


def test_a_missing_pool_holds_the_run_before_anything_is_made(dag: DAG) -> None:
    assert tasks(dag)["reserve"].pool == LOAD_POOL


def test_destroy_is_tried_again_and_seal_says_it_once(dag: DAG) -> None:
    assert tasks(dag)["destroy"].retries == 5
    assert tasks(dag)["seal"].retries == 0


def test_every_task_has_a_time_limit_and_the_run_has_none(dag: DAG) -> None:
    # A run's own time limit would skip destroy and seal.
    assert dag.dagrun_timeout is None
    assert all(task.execution_timeout for task in dag.tasks)


def test_a_load_may_take_as_long_as_a_repeated_stage(dag: DAG) -> None:
    plan = load_plan(next(p for p in PLANS if dag_id_of(p) == dag.dag_id))
    for stage in plan.stages:
        limit = tasks(dag)[f"{stage.name}.load"].execution_timeout
        assert limit is not None
        assert limit >= timedelta(seconds=2 * (stage.ramp_s + stage.hold_s) + 300)


def test_only_the_report_and_the_end_run_whatever_came_before(dag: DAG) -> None:
    plain = {n: t.trigger_rule for n, t in tasks(dag).items() if not t.is_teardown}
    assert {n: rule for n, rule in plain.items() if rule != "all_success"} == {
        "report": "all_done",
        "complete": "all_done",
    }


def test_what_tells_that_a_run_was_marked_costs_no_process(dag: DAG) -> None:
    back = DagSerialization.deserialize_dag(DagSerialization.serialize_dag(dag))
    assert [t.task_id for t in back.tasks if t.inherits_from_empty_operator] == ["complete"]


def test_what_the_ui_shows(dag: DAG) -> None:
    assert dag.doc_md
    assert all(f"| {stage} |" in dag.doc_md for stage in stages(dag))
    assert set(dag.tags) <= set(Tag)
    assert all(task.owner for task in dag.tasks)
    assert dag.description


def test_one_run_at_a_time_and_none_is_made_up_for(dag: DAG) -> None:
    assert dag.max_active_runs == 1
    assert not dag.catchup
    assert dag.is_paused_upon_creation


def test_it_serializes_and_comes_back_the_same(dag: DAG) -> None:
    back = DagSerialization.deserialize_dag(DagSerialization.serialize_dag(dag))
    assert {t.task_id: t.downstream_task_ids for t in back.tasks} == {
        t.task_id: t.downstream_task_ids for t in dag.tasks
    }


def test_a_stage_with_a_dot_in_its_name_is_a_group_with_a_dash(tmp_path: Path) -> None:
    assert "0-5x.load" in tasks(plan_dag(str(written(tmp_path, "name: 1x,", "name: 0.5x,"))))


def test_two_stages_that_airflow_cannot_tell_apart_are_refused(tmp_path: Path) -> None:
    plan = written(tmp_path, "name: 1x,", "name: 0.5x,", "name: 2x,", "name: 0-5x,")
    with pytest.raises(ConfigError, match=r"0\.5x and 0-5x"):
        plan_dag(str(plan))


def test_a_plan_without_a_clone_says_what_to_write(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        plan_dag(str(written(tmp_path, "clone: {", "# {")))
    assert "clone: {snapshot: NAME}" in caught.value.hint


def test_a_wrong_plan_says_where(tmp_path: Path) -> None:
    with pytest.raises(ConfigMistakes, match=r"plan\.yaml:\d+:"):
        plan_dag(str(written(tmp_path, "peak: 5x", "peek: 5x")))


def written(folder: Path, *changes: str) -> Path:
    """The demo's plan with some text replaced: old, new, old, new, …"""
    text = load_plan("demo").source.text
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        assert old in text
        text = text.replace(old, new)
    path = folder / "plan.yaml"
    path.write_text(text, encoding="utf-8")
    return path

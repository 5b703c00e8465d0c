"""A plan of several shards: beside each load a mapped task, and both are there at once."""

from __future__ import annotations

from typing import Any

import pytest
from airflow.sdk import DAG
from airflow.sdk.definitions.mappedoperator import MappedOperator
from airflow.serialization.serialized_objects import DagSerialization

from readiness.airflow.operators import LOAD_POOL, ShardOperator
from readiness.airflow.plan_dag import plan_dag
from readiness.config.plan import load_plan
from readiness.model.load import SHARDS_MEET_WITHIN_S

STAGES = ["smoke", "1x", "2x", "5x"]


@pytest.fixture(scope="module")
def dag(tmp_path_factory: pytest.TempPathFactory) -> DAG:
    path = tmp_path_factory.mktemp("plans") / "plan.yaml"
    path.write_text(f"{load_plan('demo').source.text}\nshards: 3\n", encoding="utf-8")
    return plan_dag(str(path))


def mapped(dag: DAG, stage: str) -> MappedOperator:
    task = dag.get_task(f"{stage}.shard")
    assert isinstance(task, MappedOperator)
    return task


def one(dag: DAG, stage: str, number: int) -> ShardOperator:
    task: Any = mapped(dag, stage).unmap({"shard": number})
    assert isinstance(task, ShardOperator)
    return task


def test_gate_opens_load_and_shards_and_the_next_stage_waits_for_all(dag: DAG) -> None:
    for stage, after in zip(STAGES, [*(f"{s}.gate" for s in STAGES[1:]), "report"], strict=True):
        loads = {f"{stage}.load", f"{stage}.shard"}
        assert dag.get_task(f"{stage}.gate").downstream_task_ids == loads
        assert all(dag.get_task(task).downstream_task_ids == {after} for task in loads)


def test_there_is_a_shard_for_all_but_the_coordinators_own(dag: DAG) -> None:
    assert mapped(dag, "1x").expand_input.value == {"shard": [1, 2]}


def test_a_shard_is_never_retried_and_runs_in_the_pool_of_the_load(dag: DAG) -> None:
    for task in (mapped(dag, "5x"), one(dag, "5x", 2)):
        assert (task.retries, task.pool) == (0, LOAD_POOL)
        assert task.trigger_rule == "all_success"


def test_a_shard_knows_its_stage_and_number_and_shows_it(dag: DAG) -> None:
    shard = one(dag, "5x", 2)
    assert (shard.stage, shard.shard, shard.plan.shards) == ("5x", 2, 3)
    assert mapped(dag, "5x").map_index_template == "shard {{ task.shard }}"


def test_load_and_shards_may_wait_for_each_other_in_both_tries(dag: DAG) -> None:
    for task in (dag.get_task("5x.load"), mapped(dag, "5x"), one(dag, "5x", 1)):
        assert task.execution_timeout is not None
        assert task.execution_timeout.total_seconds() > 2 * (SHARDS_MEET_WITHIN_S + 18)


def test_it_serializes_and_comes_back_the_same(dag: DAG) -> None:
    back = DagSerialization.deserialize_dag(DagSerialization.serialize_dag(dag))
    assert {t.task_id: t.downstream_task_ids for t in back.tasks} == {
        t.task_id: t.downstream_task_ids for t in dag.tasks
    }
    shard = back.get_task("5x.shard")
    assert (shard.retries, shard.pool) == (0, LOAD_POOL)
    assert shard.execution_timeout == mapped(dag, "5x").execution_timeout


def test_the_page_says_how_many(dag: DAG) -> None:
    assert dag.doc_md is not None
    assert "stage by stage from 3 shards at once" in dag.doc_md

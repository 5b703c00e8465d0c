"""Who makes the workers of a stage: all here with one shard, some by mail with more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes.shards import STAGE
from tests.fakes.workers import ScriptedWorker

from readiness.adapters.mail_files import from_path
from readiness.adapters.mailbox import MailboxWorker
from readiness.artifacts.run_folder import RunFolder
from readiness.config.plan import Plan, load_plan
from readiness.errors import ConfigError
from readiness.load.coordinator import ON_THIS_HOST
from readiness.model.load import LoadOptions, Stage
from readiness.model.workload import Workload
from readiness.ports import WorkerProcess
from readiness.wiring.ramps import require_one_shard
from readiness.wiring.shards import post_of, shard_of, spread
from readiness.wiring.targets import LoadSource
from readiness.workload.make.pools import Pools


def plan(shards: int, workers: int = 2) -> Plan:
    demo = load_plan("demo")
    return replace(demo, shards=shards, options=replace(demo.options, workers=workers))


def here(_stage: Stage, _options: LoadOptions, _first: int) -> Callable[[int], WorkerProcess]:
    return lambda _worker: ScriptedWorker([])


def source(folder: Path) -> LoadSource:
    empty = Workload("checkout", 0, (), (), ())
    return LoadSource(empty, folder / "workload.sql", Pools(()), "run-1", folder / "logs")


def newest_box(folder: RunFolder) -> Path:
    box = post_of(folder, "5x").newest_box()
    assert box is not None
    return box


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path)


def test_one_shard_needs_no_mail(folder: RunFolder) -> None:
    with spread(plan(1), folder, "5x") as shards:
        assert shards.launcher(here, source(folder.path)) is here
        assert shards.barrier == ON_THIS_HOST
        assert shards.options == plan(1).options
    assert list(folder.path.iterdir()) == []


def test_each_shard_has_the_workers_of_the_plan(folder: RunFolder) -> None:
    with spread(plan(3), folder, "5x") as shards:
        assert shards.options.workers == 6
        start = shards.launcher(here, source(folder.path))(STAGE, shards.options, 0)
        kinds = [type(start(worker)) for worker in range(6)]
    assert kinds == [ScriptedWorker] * 2 + [MailboxWorker] * 4
    assert [list(shard_of(plan(3), n).workers) for n in (1, 2)] == [[2, 3], [4, 5]]


def test_shards_get_time_to_come_and_a_start_that_mail_can_reach(folder: RunFolder) -> None:
    with spread(plan(2), folder, "5x") as shards:
        assert shards.barrier.ready_within_s >= 300
        assert shards.barrier.lead_s >= 3


def test_a_stage_that_fails_is_over_for_its_shards_and_its_mail_is_kept(folder: RunFolder) -> None:
    def interrupted() -> None:
        with spread(plan(2, 1), folder, "5x") as shards:
            shards.launcher(here, source(folder.path))(STAGE, shards.options, 0)(1)
            from_path(newest_box(folder), 1).write_bytes(b'{"ready":1}\n')
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert post_of(folder, "5x").is_over
    assert from_path(newest_box(folder), 1).exists()


def test_mail_that_all_have_read_is_thrown_away(folder: RunFolder) -> None:
    with spread(plan(2, 1), folder, "5x") as shards:
        worker = shards.launcher(here, source(folder.path))(STAGE, shards.options, 0)(1)
        box = newest_box(folder)
        from_path(box, 1).write_bytes(b'{"exit":0}\n')
        assert list(worker.lines()) == []
    assert not from_path(box, 1).exists()


@pytest.mark.parametrize("number", [0, 3, -1])
def test_a_shard_that_the_plan_has_not_is_refused(number: int) -> None:
    with pytest.raises(ConfigError, match="its shards: 3"):
        shard_of(plan(3), number)


def test_where_tasks_run_one_after_the_other_a_plan_of_shards_is_refused() -> None:
    require_one_shard(plan(1))
    with pytest.raises(ConfigError, match="demo spreads its load over 2 shards") as caught:
        require_one_shard(plan(2))
    assert "Airflow" in caught.value.hint

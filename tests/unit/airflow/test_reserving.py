"""reserve asks all that can be asked before anything is made, and holds the run to it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.unit.airflow.task_runs import SNAPSHOT, Place

from readiness.airflow.lifecycle import reserve
from readiness.airflow.reservation import read_reservation, reserved_plan
from readiness.airflow.task_run import host_lock, run_id_of, target_lock
from readiness.config.plan import Flow
from readiness.config.rates import NormalRate
from readiness.config.schedule import Freeze, Schedule
from readiness.errors import Busy, CloneError, ConfigError


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.furnish()
    return made


def nothing_is_held(place: Place) -> bool:
    locks = place.task().locks
    return locks.holder(host_lock()) is None and locks.holder(target_lock(SNAPSHOT)) is None


def test_a_run_has_a_folder_and_holds_target_and_host(place: Place) -> None:
    task = place.task()
    assert reserve(task) == str(task.folder.path)
    owners = [task.locks.holder(name) for name in read_reservation(task.folder).locks]
    assert [held.owner for held in owners if held] == [task.run_id, task.run_id]


def test_a_second_run_is_refused_and_told_of_the_first(place: Place) -> None:
    first = place.task("manual__1")
    reserve(first)
    with pytest.raises(Busy, match=first.run_id):
        reserve(place.task("manual__2"))


def test_the_host_is_one_for_all_targets_and_what_was_taken_is_given_back(place: Place) -> None:
    first = place.task("manual__1")
    reserve(first)
    first.locks.release(target_lock(SNAPSHOT), first.run_id)
    with pytest.raises(Busy, match="this load host"):
        reserve(place.task("manual__2"))
    assert first.locks.holder(target_lock(SNAPSHOT)) is None


def test_reserving_twice_is_reserving_once(place: Place) -> None:
    task = place.task()
    assert reserve(task) == reserve(task)


def test_a_misspelt_key_is_refused_with_the_nearest(place: Place) -> None:
    with pytest.raises(ConfigError, match="Did you mean scale"):
        reserve(place.task(conf={"scael": 2}))
    assert nothing_is_held(place)


@pytest.mark.parametrize("conf", [["scale", 2], "scale", 2])
def test_a_conf_that_is_no_object_is_refused(place: Place, conf: object) -> None:
    with pytest.raises(ConfigError, match="an object is needed"):
        reserve(place.task(conf=conf))


def test_what_was_asked_for_reaches_every_later_task(place: Place) -> None:
    task = place.task(conf={"scale": 2, "peak": "8x"})
    reserve(task)
    plan = reserved_plan(place.task(run_after=task.dag_run.run_after))
    assert [str(s.rate) for s in plan.stages] == ["1x", "2x", "4x", "10x"]
    assert str(plan.peak) == "8x"


def test_a_plan_edited_in_mid_run_ends_it(place: Place) -> None:
    task = place.task()
    reserve(task)
    source = replace(task.plan.source, sha256="0" * 64)
    edited = replace(task, plan=replace(task.plan, source=source))
    with pytest.raises(ConfigError, match="was edited while this run was under way"):
        reserved_plan(edited)


def test_without_a_workload_it_says_how_to_build_one(place: Place) -> None:
    (place.settings.workloads / "checkout.sql").unlink()
    with pytest.raises(ConfigError) as caught:
        reserve(place.task())
    assert "readiness workload build" in caught.value.hint
    assert nothing_is_held(place)


def with_a_flow_beside(place: Place, *, is_read: bool) -> Place:
    repayment = Flow("repayment", None, NormalRate(4.0), is_fixed=True, is_read=is_read)
    return replace(place, plan=replace(place.plan, flows=(place.plan.flow, repayment)))


def test_every_flow_needs_its_workload(place: Place) -> None:
    several = with_a_flow_beside(place, is_read=False)
    with pytest.raises(
        ConfigError, match=r"no workload file .*repayment\.sql for the flow repayment"
    ):
        reserve(several.task())
    assert nothing_is_held(place)
    (place.settings.workloads / "repayment.sql").write_text("-- a workload\n")
    assert reserve(several.task())


def test_a_clone_has_no_reader_endpoint(place: Place) -> None:
    with pytest.raises(ConfigError, match="goes to a reader endpoint, and none is named"):
        reserve(with_a_flow_beside(place, is_read=True).task())
    assert nothing_is_held(place)


def test_without_its_snapshot_nothing_begins(place: Place) -> None:
    with pytest.raises(CloneError):
        reserve(place.task(conf={"target": "another"}))
    assert nothing_is_held(place)


def frozen_today(place: Place) -> Place:
    freeze = (Freeze("01-01", "12-31", "all year"),)
    return replace(place, plan=replace(place.plan, schedule=Schedule(None, "UTC", freeze, 10)))


def test_a_frozen_day_refuses_also_people_unless_they_mean_it(place: Place) -> None:
    frozen = frozen_today(place)
    with pytest.raises(ConfigError, match="all year"):
        reserve(frozen.task())
    assert reserve(frozen.task(conf={"despite_freeze": True}))


def test_a_scheduled_run_that_comes_late_is_not_made_up_for(place: Place) -> None:
    scheduled = replace(place, plan=replace(place.plan, schedule=Schedule(None, "UTC", (), 10)))
    due = datetime.now(UTC) - timedelta(hours=3)
    with pytest.raises(ConfigError, match="min late"):
        reserve(scheduled.task(run_after=due, is_automatic=True))
    assert reserve(scheduled.task(run_after=due))


def test_a_run_is_named_after_its_time_and_tells_two_runs_apart() -> None:
    due = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)
    name = run_id_of("weekly", due, "scheduled__2026-11-30T05:00:00+00:00")
    assert name.startswith("weekly-20261130t060000z-")
    assert name != run_id_of("weekly", due, "manual__2026-11-30T05:00:00+00:00")

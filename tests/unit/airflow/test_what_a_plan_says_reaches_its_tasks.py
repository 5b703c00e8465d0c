"""What a plan says of its load and of production is known to every task that it concerns."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes.clone_shelf import CloneShelf
from tests.unit.airflow.task_runs import Place

from readiness.airflow import lifecycle, stages
from readiness.airflow.task_run import TaskRun
from readiness.config.plan import load_plan
from readiness.config.settings import Settings
from readiness.errors import CloneError, TargetRefused
from readiness.model.clone import Endpoint
from readiness.wiring.load_room import bytes_per_checkout, room_of
from readiness.wiring.targets import workload_at

PLAN = """\
name: absolute
flows: [{name: checkout, workload: checkout.sql}]
stages:
  - {name: low, rate: 10/s, hold_s: 60}
  - {name: high, rate: 30/s, ramp_s: 10, hold_s: 50}
expectations: load
clone: {snapshot: demo-production}
production_watch:
  dsn: mysql://watch@orders.example:3306/?password_env=WATCH
  abort: [{metric: threads_running, op: ">", limit: 50, for_s: 5}]
"""
WORKLOAD = """\
-- @workload checkout  schema_version: 1  captures: 2  statements: 3  transactions: 3
-- @repeat items_0  counts: 1 3

-- @statement s001  -- @transaction 0
INSERT INTO orders (note) VALUES ('goods');
-- @statement s002  -- @transaction 0  -- @turn items_0 1
INSERT INTO items (n) VALUES (1);
-- @statement s003  -- @transaction 0  -- @turn items_0 2
INSERT INTO items (n) VALUES (1);
-- @statement s004  -- @transaction 0  -- @turn items_0 3
INSERT INTO items (n) VALUES (1);
-- @statement s005  -- @transaction 0
UPDATE orders SET note = 'a very long text that takes no room of its own' WHERE id = 1;
"""
CHECKOUTS = 10 * 60 + (10 + 30) / 2 * 10 + 30 * 50
SENT = len("INSERT INTO orders (note) VALUES ('goods')") + 2 * len(
    "INSERT INTO items (n) VALUES (1)"
)


class Room(CloneShelf):
    """Remembers what a clone must have room for, and makes none."""

    asked = -1

    def __init__(self) -> None:
        super().__init__([])

    def restore(self, *_: object, load_bytes: int = 0, **__: object) -> None:  # type: ignore[override]
        """Refuses it."""
        self.asked = load_bytes
        raise CloneError("no room")


@pytest.fixture
def task(tmp_path: Path) -> TaskRun:
    """The task of a reserved run."""
    plan, place = tmp_path / "absolute.yaml", Place(tmp_path)
    plan.write_text(PLAN)
    (tmp_path / "checkout.sql").write_text(WORKLOAD)
    place.furnish()
    place.plan = load_plan(plan)
    made = place.task()
    lifecycle.reserve(made)
    return made


def watched(settings: Settings) -> bool:
    return Endpoint("orders.example", 3306) in [known.endpoint for known in settings.production]


def test_an_insert_counts_as_often_as_it_is_sent_on_average(task: TaskRun) -> None:
    """The first item is in both captures, the second and the third in one of two."""
    path = task.plan.flow.workload
    assert path
    assert bytes_per_checkout(workload_at(path)) == pytest.approx(6 * SENT, abs=24)


def test_a_clone_is_asked_for_with_room_for_the_load_of_its_plan(
    task: TaskRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend, snapshots = Room(), task.clones.snapshots
    backend.snapshots = snapshots  # type: ignore[attr-defined]
    monkeypatch.setattr(TaskRun, "clones", property(lambda _task: backend))
    with pytest.raises(CloneError, match="no room"):
        lifecycle.restore(task)
    assert room_of(task.plan).checkouts == CHECKOUTS
    assert backend.asked == room_of(task.plan).bytes > CHECKOUTS * SENT
    assert "2,300 checkouts" in room_of(task.plan).text


def test_where_the_rate_is_measured_later_nobody_knows_the_room() -> None:
    plan = load_plan("demo")
    assert plan.flow.normal_rate
    assert plan.flow.normal_rate.needs_calibration
    assert (room_of(plan).bytes, room_of(plan).text) == (0, "")


def test_checkouts_are_tried_only_where_the_watched_production_is_known(
    task: TaskRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Settings] = []

    def check(_request: object, _target: object, settings: Settings) -> None:
        asked.append(settings)
        raise TargetRefused("it is production", [])

    monkeypatch.setattr(stages, "check_workload", check)
    monkeypatch.setattr(stages, "_target", lambda _task: None)
    with pytest.raises(TargetRefused):
        stages.calibrate(task)
    assert [watched(settings) for settings in asked] == [True]
    assert not watched(task.settings)

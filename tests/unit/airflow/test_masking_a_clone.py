"""The task `mask`: what it asks for, what it says, and that a dead server is started first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from tests.fakes.clone_shelf import shelved
from tests.unit.airflow.task_runs import Lines, Place

from readiness.airflow import mask_task
from readiness.airflow.lifecycle import reserve
from readiness.airflow.task_run import TaskRun
from readiness.config.plan import ProductionWatchPlan
from readiness.config.settings import Settings
from readiness.errors import MaskingError
from readiness.model.clone import Clone, Endpoint
from readiness.model.masking import Masked
from readiness.wiring.masking import MaskRequest

MASKED = Masked(
    "policy default 0123456789ab: 3 columns of 2 tables, proven by 9 checks", 2, 3, 70, 1.5, 9, 40
)


@dataclass
class Clones:
    """Of the backend what the task asks: the run's clone, running or not."""

    clone: Clone
    starts: int = 0

    def list(self) -> list[Clone]:
        return []

    def named(self, name: str) -> Clone:
        assert name == self.clone.name
        return self.clone

    def admin_dsn(self, clone: Clone) -> str:
        return f"mysql://root@/shop?socket=/{clone.name}.sock"

    def start(self, _task: TaskRun) -> str:
        self.starts += 1
        self.clone = replace(self.clone, pid=7)
        return self.clone.name


@dataclass
class Masking:
    """What `wiring.masking` was asked, and what it answers."""

    answer: Masked | MaskingError = MASKED
    asked: list[MaskRequest] = field(default_factory=list)
    settings: list[Settings] = field(default_factory=list)

    def __call__(
        self,
        request: MaskRequest,
        _clones: object,
        settings: Settings,
        *,
        progress: Callable[[str], None],
    ) -> Masked:
        self.asked.append(request)
        self.settings.append(settings)
        progress("users 40 %")
        if isinstance(self.answer, MaskingError):
            raise self.answer
        return self.answer


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.furnish()
    return made


@pytest.fixture
def masking(monkeypatch: pytest.MonkeyPatch) -> Masking:
    made = Masking()
    monkeypatch.setattr(mask_task, "mask_target", made)
    monkeypatch.setattr(mask_task, "target_of", lambda text, _clones: text)
    return made


def run(place: Place, monkeypatch: pytest.MonkeyPatch, *, pid: int = 7) -> tuple[Clones, TaskRun]:
    task = place.task()
    reserve(task)
    clones = Clones(shelved(task.clone_name, lease_until=9e9, pid=pid))
    monkeypatch.setattr(TaskRun, "clones", property(lambda _task: clones))
    monkeypatch.setattr(mask_task, "restore", clones.start)
    return clones, task


def lines(task: TaskRun) -> list[tuple[str, str]]:
    assert isinstance(task.onlooker, Lines)
    return task.onlooker.told


def test_it_masks_as_the_plan_says_and_tells_how_far_that_is_proven(
    place: Place, masking: Masking, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, task = run(place, monkeypatch)
    assert mask_task.mask(task) == MASKED.title
    (asked,) = masking.asked
    assert asked.masking.policy.name == "default.yaml"
    assert asked.folder == task.folder.path
    assert lines(task) == [
        (
            "mask the clone",
            "3 columns of 2 tables, 0 of 40 personal values left, proven by 9 checks",
        )
    ]
    (event,) = [e for e in task.folder.read_events() if e["event"] == "clone_masked"]
    assert (event["title"], event["rows"], event["checks"]) == (MASKED.title, 70, 9)


def test_what_the_plan_watches_is_production_to_masking_too(
    place: Place, masking: Masking, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = ProductionWatchPlan("mysql://w@orders.example:3306/?password_env=W", (), 30.0)
    clones, task = run(place, monkeypatch)
    plan = replace(task.plan, production_watch=watch)
    monkeypatch.setattr(mask_task, "renewed_plan", lambda _task: plan)
    mask_task.mask(task)
    (settings,) = masking.settings
    assert Endpoint("orders.example", 3306) in [known.endpoint for known in settings.production]
    assert clones.starts == 0


def test_a_clone_of_a_golden_master_passes_with_words(
    place: Place, masking: Masking, monkeypatch: pytest.MonkeyPatch
) -> None:
    masking.answer = Masked(MASKED.title, 0, 0, 0, 0.0, 0)
    _, task = run(place, monkeypatch)
    assert mask_task.mask(task) == MASKED.title
    assert lines(task) == [("mask the clone", f"nothing to do: {MASKED.title}")]


def test_a_server_that_died_while_it_was_masked_is_started_and_masking_goes_on(
    place: Place, masking: Masking, monkeypatch: pytest.MonkeyPatch
) -> None:
    clones, task = run(place, monkeypatch, pid=0)
    mask_task.mask(task)
    assert clones.starts == 1
    assert len(masking.asked) == 1


def test_what_is_not_masked_is_noted_nowhere_as_masked(
    place: Place, masking: Masking, monkeypatch: pytest.MonkeyPatch
) -> None:
    masking.answer = MaskingError("3 of 9 checks do not hold.")
    _, task = run(place, monkeypatch)
    with pytest.raises(MaskingError):
        mask_task.mask(task)
    events = task.folder.read_events() if (task.folder.path / "events.jsonl").exists() else []
    assert [e for e in events if e["event"] == "clone_masked"] == []

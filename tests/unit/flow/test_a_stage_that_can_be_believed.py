"""A stage runs behind the interlock, is stopped by its rules, and is repeated once for the host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes.watching import HostSampler, Notes
from tests.fakes.workers import ScriptedWorker, report, second

from readiness.artifacts.run_folder import RunFolder
from readiness.errors import TargetRefused, WorkerLost
from readiness.flow.production import Look, ProductionWatch
from readiness.flow.ramp import CompanionLoad, StagePorts, StageRules, run_believable_stage
from readiness.load.messages import Message
from readiness.model.load import LoadOptions, Stage, StageResult
from readiness.model.verdict import AbortRule, ValidityLimits

STAGE = Stage("5x", rate_per_s=10, hold_s=2)
NO_ERRORS = AbortRule("error_ratio", ">", 0.05, 1)
QUIET, BUSY = 0.01, 0.9


class Ramp:
    """One stage with fakes all round; `lines` are what the worker of each try says."""

    def __init__(self, folder: Path, sampler: HostSampler, *lines: list[Message]) -> None:
        self.folder = RunFolder(folder)
        self.notes = Notes()
        self.first_numbers: list[int] = []
        self._sampler = sampler
        self._lines = list(lines)
        self.refusals: list[bool] = []
        self.production: ProductionWatch | None = None
        self.companions: tuple[CompanionLoad, ...] = ()

    def run(self, *abort: AbortRule, stage: Stage = STAGE) -> StageResult:
        ports = StagePorts(
            self._launch,
            self._sampler,
            self._gate,
            self.notes,
            production=self.production,
            end_statements=lambda: self.notes.said.append("end statements"),
            companions=self.companions,
        )
        rules = StageRules(abort, ValidityLimits())
        return run_believable_stage(stage, LoadOptions(), ports, rules, self.folder)

    def _launch(
        self, stage: Stage, options: LoadOptions, first_number: int
    ) -> Callable[[int], ScriptedWorker]:
        self.first_numbers.append(first_number)
        lines = self._lines.pop(0)
        return lambda _index: ScriptedWorker([{"ready": 1}, *lines])

    def _gate(self) -> None:
        self.notes.said.append("gate")
        if self.refusals and self.refusals.pop(0):
            raise TargetRefused("no marker", [("marker", False, "gone")])


def a_try(ok: int = 3, **changes: object) -> list[Message]:
    return [second(0, offered=5, finished=5), report(ok=ok, **changes)]


def test_the_interlock_is_asked_before_anything_begins(tmp_path: Path) -> None:
    ramp = Ramp(tmp_path, HostSampler(QUIET), a_try())
    ramp.run()
    assert ramp.notes.said == ["gate", "begin 5x", "second 0", "end 5x"]


def test_a_refusal_launches_no_worker_and_writes_nothing(tmp_path: Path) -> None:
    ramp = Ramp(tmp_path / "run", HostSampler(QUIET), a_try())
    ramp.refusals = [True]
    with pytest.raises(TargetRefused):
        ramp.run()
    assert ramp.first_numbers == []
    assert not ramp.folder.path.exists()


def test_what_was_measured_stands_in_the_folder(tmp_path: Path) -> None:
    ramp = Ramp(tmp_path, HostSampler(QUIET), a_try(ok=3))
    result = ramp.run()
    assert ramp.folder.read_stages() == [result]
    assert len(ramp.folder.read_samples()) == 1
    assert [e["event"] for e in ramp.folder.read_events()] == ["stage_ended"]


def test_a_second_stage_is_added_to_the_first(tmp_path: Path) -> None:
    for ok, name in ((3, "2x"), (4, "5x")):
        stage = Stage(name, rate_per_s=10, hold_s=2)
        Ramp(tmp_path, HostSampler(QUIET), a_try(ok=ok)).run(stage=stage)
    assert [r.checkouts_ok for r in RunFolder(tmp_path).read_stages()] == [3, 4]


def test_a_stage_that_runs_anew_takes_its_own_place(tmp_path: Path) -> None:
    for ok in (3, 4):
        Ramp(tmp_path, HostSampler(QUIET), a_try(ok=ok)).run()
    assert [r.checkouts_ok for r in RunFolder(tmp_path).read_stages()] == [4]


def test_a_stage_that_the_host_disturbed_runs_again_and_the_second_try_counts(
    tmp_path: Path,
) -> None:
    ramp = Ramp(tmp_path, HostSampler(BUSY, QUIET), a_try(ok=3), a_try(ok=4))
    result = ramp.run()
    assert result.checkouts_ok == 4
    assert [r.checkouts_ok for r in ramp.folder.read_stages()] == [4]
    assert [s.value for s in ramp.folder.read_samples()] == [QUIET]
    assert "5x was repeated once" in result.notes[-1]
    assert [e["event"] for e in ramp.folder.read_events()] == ["stage_repeated", "stage_ended"]


def test_the_interlock_is_asked_again_before_the_second_try(tmp_path: Path) -> None:
    ramp = Ramp(tmp_path, HostSampler(BUSY, QUIET), a_try(), a_try())
    ramp.refusals = [False, True]
    with pytest.raises(TargetRefused):
        ramp.run()
    assert ramp.notes.said.count("gate") == 2
    assert len(ramp.first_numbers) == 1


def test_the_second_try_uses_no_checkout_number_of_the_first(tmp_path: Path) -> None:
    ramp = Ramp(tmp_path, HostSampler(BUSY, QUIET), a_try(next_number=17), a_try())
    ramp.run()
    assert ramp.first_numbers == [0, 17]


def test_a_flow_beside_it_is_repeated_with_it_and_numbers_on(tmp_path: Path) -> None:
    ramp = Ramp(tmp_path, HostSampler(BUSY, QUIET), a_try(), a_try())
    tries = [a_try(ok=2, next_number=5), a_try(ok=4, next_number=9)]
    first_numbers: list[int] = []

    def launch(
        stage: Stage, options: LoadOptions, first_number: int
    ) -> Callable[[int], ScriptedWorker]:
        first_numbers.append(first_number)
        lines = tries.pop(0)
        return lambda _index: ScriptedWorker([{"ready": 1}, *lines])

    ramp.companions = (CompanionLoad("repayment", STAGE, LoadOptions(), launch),)
    ramp.run()
    assert first_numbers == [0, 5]
    (kept,) = ramp.folder.read_stages()
    assert {flow: r.checkouts_ok for flow, r in kept.companions.items()} == {"repayment": 4}


def test_a_host_that_stays_busy_is_asked_twice_and_no_more(tmp_path: Path) -> None:
    sampler = HostSampler(BUSY, BUSY)
    Ramp(tmp_path, sampler, a_try(), a_try()).run()
    assert sampler.tries == 2


def test_a_rule_that_is_broken_stops_the_stage_with_its_value(tmp_path: Path) -> None:
    failing = [second(0, offered=4, finished=4, failed=1), report(ok=3, failed=1)]
    result = Ramp(tmp_path, HostSampler(QUIET), failing).run(NO_ERRORS)
    assert result.aborted_by == "error_ratio > 0.05 for 1 s (0.25)"


def test_what_a_signal_stopped_is_not_begun_again(tmp_path: Path) -> None:
    sampler = HostSampler(BUSY, QUIET)
    result = Ramp(tmp_path, sampler, a_try(stopped_by="SIGTERM")).run()
    assert (result.aborted_by, sampler.tries) == ("SIGTERM", 1)


class Hurt(ProductionWatch):
    """A production that says at each look that it suffers."""

    def __init__(self) -> None:
        super().__init__(list, (), silence_s=30)  # type: ignore[arg-type]

    def begin(self, stage: str) -> None:
        """It is there."""

    def look(self) -> Look:
        """It suffers."""
        return Look(stop="native.production.threads_running > 3 for 1 s (9)")

    def end(self) -> None:
        """It is left alone."""


def test_what_production_stopped_is_not_begun_again_however_busy_the_host(tmp_path: Path) -> None:
    sampler = HostSampler(BUSY, QUIET)
    ramp = Ramp(tmp_path, sampler, a_try())
    ramp.production = Hurt()
    result = ramp.run()
    assert result.aborted_by.startswith("native.production.threads_running")
    assert sampler.tries == 1


def test_what_a_stopped_load_left_on_the_server_is_ended(tmp_path: Path) -> None:
    stopped = Ramp(tmp_path, HostSampler(QUIET), a_try(stopped_by="SIGTERM"))
    stopped.run()
    lost = Ramp(tmp_path, HostSampler(QUIET), [second(0)])
    with pytest.raises(WorkerLost):
        lost.run()
    for ramp in (stopped, lost):
        assert ramp.notes.said[:4] == ["gate", "begin 5x", "second 0", "end statements"]


def test_a_tuned_stage_is_not_asked_of_its_person_again(tmp_path: Path) -> None:
    sampler = HostSampler(BUSY, QUIET)
    Ramp(tmp_path, sampler, a_try()).run(stage=replace(STAGE, tuned_max_per_s=90.0))
    assert sampler.tries == 1


def test_a_worker_that_dies_leaves_the_stages_before_it(tmp_path: Path) -> None:
    Ramp(tmp_path, HostSampler(QUIET), a_try(ok=3)).run()
    with pytest.raises(WorkerLost):
        Ramp(tmp_path, HostSampler(QUIET), [second(0)]).run()
    assert [r.checkouts_ok for r in RunFolder(tmp_path).read_stages()] == [3]

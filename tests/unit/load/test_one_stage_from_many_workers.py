"""The coordinator: one start, merged seconds, an abort, lost workers, and nobody left behind."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from tests.fakes.workers import ScriptedWorker, report, second

from readiness.errors import TargetError, WorkerLost
from readiness.load.coordinator import OnTick, Outside, Stopping, never, run_stage, untuned
from readiness.load.messages import Message, refusal_to_json
from readiness.model.load import LoadOptions, RateChange, Stage, StageResult, Tick

STAGE = Stage("x", rate_per_s=10, hold_s=3)


def run(
    workers: list[ScriptedWorker],
    on_tick: OnTick = lambda _: None,
    stopping: Stopping = never,
    tune: Callable[[int], RateChange | None] = untuned,
) -> StageResult:
    options = LoadOptions(workers=len(workers))
    outside = Outside(stopping=stopping, tune=tune)
    return run_stage(
        STAGE, options, launch=lambda index: workers[index], on_tick=on_tick, outside=outside
    )


def two(*lines: Message) -> list[ScriptedWorker]:
    return [ScriptedWorker([{"ready": 1}, *lines]) for _ in range(2)]


def test_all_workers_get_the_same_start_in_the_future() -> None:
    workers = two(report())
    before = time.monotonic_ns()
    run(workers)
    first, other = (worker.received("go") for worker in workers)
    assert first == other
    assert int(str(first[0])) > before


def test_the_seconds_of_all_workers_become_one_tick() -> None:
    seen: list[Tick] = []
    workers = two(second(0, offered=5), second(1, offered=7), report())
    run(workers, seen.append)
    assert [(tick.second, tick.offered) for tick in seen] == [(0, 10), (1, 14)]


def test_statements_errors_and_counts_add_up() -> None:
    result = run(two(second(0), report(ok=4, failed=1, errors={("s001", 1213): 1}, next_number=9)))
    assert (result.checkouts_ok, result.checkouts_failed) == (8, 2)
    assert result.errors == {("s001", 1213): 2}
    assert result.statements["s001"].count == 8
    assert result.next_number == 9


def test_what_the_drain_measured_is_in_the_last_tick() -> None:
    drain = second(0, finished=2, failed=1, in_flight=0, responses=[5_000_000])
    result = run(two(second(0, in_flight=3), second(1, in_flight=3), report(drain=drain)))
    assert (result.ticks[-1].finished, result.ticks[-1].failed) == (4, 2)
    assert result.ticks[-1].checkout.count == 2
    assert result.ticks[-1].in_flight == 6


def test_a_reason_from_the_watcher_stops_all_workers_and_is_told() -> None:
    workers = two(second(0), report(stopped_by="too slow"))
    result = run(workers, lambda _: "too slow")
    assert result.aborted_by == "too slow"
    assert all(worker.received("stop") == ["too slow"] for worker in workers)


def test_a_stop_that_finds_a_worker_already_ended_keeps_what_was_measured() -> None:
    lines = [{"ready": 1}, second(0), report(ok=4)]
    result = run([ScriptedWorker(lines, hears_no_stop=True)], lambda _: "too slow")
    assert (result.aborted_by, result.checkouts_ok) == ("too slow", 4)


def test_a_worker_that_stopped_by_itself_aborts_the_stage() -> None:
    assert run(two(report(stopped_by="SIGTERM"))).aborted_by == "SIGTERM"


def test_checkouts_that_a_stop_cut_are_told_in_a_note() -> None:
    assert run(two(report(cut=2))).notes == ("4 checkouts were cut by the stop",)


def test_a_worker_that_dies_loses_the_stage_and_ends_the_others() -> None:
    workers = [ScriptedWorker([{"ready": 1}]), ScriptedWorker([{"ready": 1}], stays=True)]
    with pytest.raises(WorkerLost, match="Load worker 0 ended before its report"):
        run(workers)
    assert all(worker.is_ended for worker in workers)


def test_a_refusal_before_the_start_is_raised_as_what_it_is() -> None:
    refusal = {"refused": refusal_to_json(TargetError("no entry", hint="knock"))}
    workers = [ScriptedWorker([refusal]), ScriptedWorker([{"ready": 1}], stays=True)]
    with pytest.raises(TargetError, match="no entry") as caught:
        run(workers)
    assert caught.value.hint == "knock"
    assert all(worker.is_ended for worker in workers)


def test_ctrl_c_ends_the_workers_before_it_goes_on() -> None:
    workers = [ScriptedWorker([{"ready": 1}, second(0)], stays=True) for _ in range(2)]

    def interrupt(_: Tick) -> str | None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(workers, interrupt)
    assert all(worker.is_ended for worker in workers)


def test_a_second_ctrl_c_while_ending_kills_the_workers_at_once() -> None:
    workers = [ScriptedWorker([{"ready": 1}, report()], interrupts_waiting=True) for _ in range(2)]
    with pytest.raises(KeyboardInterrupt):
        run(workers)
    assert all(worker.was_killed for worker in workers)


def test_workers_that_do_not_end_by_themselves_are_killed() -> None:
    workers = [ScriptedWorker([{"ready": 1}, report()], stubborn=True)]
    run(workers)
    assert workers[0].was_killed


def test_a_worker_that_cannot_be_launched_ends_those_before_it() -> None:
    first = ScriptedWorker([], stays=True)

    def launch(index: int) -> ScriptedWorker:
        if index:
            raise WorkerLost("no memory")
        return first

    with pytest.raises(WorkerLost, match="no memory"):
        run_stage(STAGE, LoadOptions(workers=2), launch=launch, on_tick=lambda _: None)
    assert first.is_ended


def test_heartbeats_reach_every_worker_while_the_watcher_is_busy() -> None:
    workers = two(second(0), report())

    def busy(_: Tick) -> str | None:
        time.sleep(0.8)
        return None

    run(workers, busy)
    assert all(worker.received("beat") for worker in workers)


def test_a_stop_from_outside_reaches_all_workers_and_keeps_what_they_measured() -> None:
    reasons: list[str] = []
    workers = two(second(0), report(ok=3, stopped_by="interrupted by SIGTERM"))
    result = run(
        workers,
        lambda _: reasons.append("interrupted by SIGTERM"),
        lambda: reasons[0] if reasons else "",
    )
    assert all(worker.received("stop")[0] == "interrupted by SIGTERM" for worker in workers)
    assert (result.aborted_by, result.checkouts_ok) == ("interrupted by SIGTERM", 6)


def test_a_stop_is_heard_while_the_watcher_waits_for_a_frozen_server() -> None:
    reasons: list[str] = []
    (worker,) = workers = [ScriptedWorker([{"ready": 1}, second(0), report(ok=1)])]

    def frozen(_tick: Tick) -> None:
        reasons.append("interrupted by SIGTERM")
        deadline = time.monotonic() + 5
        while not worker.received("stop") and time.monotonic() < deadline:
            time.sleep(0.01)
        assert worker.received("stop")

    run(workers, frozen, lambda: reasons[0] if reasons else "")


def test_a_stop_before_the_start_measures_nothing_and_leaves_nobody() -> None:
    workers = two(second(0), report())
    result = run(workers, stopping=lambda: "interrupted by SIGINT")
    assert (result.aborted_by, result.ticks) == ("interrupted by SIGINT", ())
    assert not any(worker.received("go") for worker in workers)
    assert all(worker.is_ended for worker in workers)


def test_another_rate_reaches_all_workers_for_one_second_that_is_still_to_come() -> None:
    asked: list[int] = []

    def once(from_s: int) -> RateChange | None:
        asked.append(from_s)
        return RateChange(from_s, 25.0) if len(asked) == 1 else None

    workers = [
        ScriptedWorker([{"ready": 1}, second(0), second(1), report()], pause_s=0.1)
        for _ in range(2)
    ]
    result = run(workers, tune=once)
    told = {(m["rate"], m["from_s"]) for worker in workers for m in worker.heard if "rate" in m}
    assert told == {(25.0, asked[0])}
    assert asked[0] >= 1
    assert result.rates == (RateChange(asked[0], 25.0),)


def test_nobody_is_asked_for_a_rate_that_would_come_after_the_end() -> None:
    asked: list[int] = []

    def end(from_s: int) -> RateChange:
        asked.append(from_s)
        return RateChange(from_s, 0.0)

    result = run(two(second(0), second(1), second(2), report()), tune=end)
    assert len(asked) == 1
    assert [change.is_end for change in result.rates] == [True]

"""Flows that run side by side: one start and one end for all workers, figures flow by flow."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.fakes.workers import ScriptedWorker, report, second

from readiness.errors import LoadError, WorkerLost, WorkloadError
from readiness.load.coordinator import Companion, OnTick, Outside, run_stage
from readiness.load.messages import Message, refusal_to_json
from readiness.model.load import LoadOptions, RateChange, Stage, StageResult, Tick

STAGE = Stage("4x", rate_per_s=40, hold_s=3)
BESIDE = Stage("4x", rate_per_s=5, hold_s=3)


def worker(*lines: Message, **how: Any) -> ScriptedWorker:
    return ScriptedWorker([{"ready": 1}, *lines], **how)


def run(
    checkout: Sequence[ScriptedWorker],
    repayment: Sequence[ScriptedWorker],
    on_tick: OnTick = lambda _: None,
) -> StageResult:
    beside = Companion(
        "repayment", BESIDE, LoadOptions(workers=len(repayment)), lambda index: repayment[index]
    )
    return run_stage(
        STAGE,
        LoadOptions(workers=len(checkout)),
        launch=lambda index: checkout[index],
        on_tick=on_tick,
        companions=[beside],
    )


def test_all_workers_of_all_flows_begin_at_one_moment() -> None:
    workers = [worker(report()) for _ in range(3)]
    run(workers[:1], workers[1:])
    assert len({w.received("go")[0] for w in workers}) == 1


def test_what_each_flow_did_is_counted_apart() -> None:
    checkout = [worker(second(0, offered=20, finished=20), report(ok=20, next_number=20))]
    repayment = [worker(second(0, offered=2, finished=2), report(ok=2, failed=1)) for _ in range(2)]
    result = run(checkout, repayment)
    beside = result.companions["repayment"]
    assert (result.checkouts_ok, result.ticks[0].offered, result.next_number) == (20, 20, 20)
    assert (beside.checkouts_ok, beside.checkouts_failed, beside.ticks[0].offered) == (4, 2, 4)
    assert (result.stage, beside.stage) == (STAGE, BESIDE)
    assert beside.started_at == result.started_at


def test_only_the_seconds_of_the_first_flow_are_watched() -> None:
    seen: list[Tick] = []
    run(
        [worker(second(0, offered=20), report())],
        [worker(second(0, offered=2), report())],
        seen.append,
    )
    assert [tick.offered for tick in seen] == [20]


def test_a_rule_that_stops_the_first_flow_stops_all() -> None:
    checkout, repayment = [worker(second(0), report())], [worker(second(0), report())]
    result = run(checkout, repayment, lambda _: "too slow")
    assert [w.received("stop") for w in (*checkout, *repayment)] == [["too slow"]] * 2
    assert (result.aborted_by, result.companions["repayment"].aborted_by) == ("too slow",) * 2


def test_a_flow_that_was_stopped_by_a_signal_stops_the_others() -> None:
    checkout = [worker(second(0), second(1), report(), pause_s=0.2)]
    result = run(checkout, [worker(report(stopped_by="SIGTERM"))])
    assert checkout[0].received("stop") == ["SIGTERM"]
    assert result.aborted_by == "SIGTERM"


def test_a_lost_worker_of_a_flow_beside_ends_all_and_is_named() -> None:
    checkout = [worker(second(0), stays=True)]
    repayment = [worker(second(0), stays=True), worker(second(0))]
    began = time.monotonic()
    with pytest.raises(WorkerLost, match="Load worker 1 of repayment ended before its report"):
        run(checkout, repayment)
    assert time.monotonic() - began < 2
    assert all(w.is_ended for w in (*checkout, *repayment[:1]))


def test_a_flow_that_cannot_begin_says_which_it_is_and_nothing_begins() -> None:
    refusal = {"refused": refusal_to_json(WorkloadError("no rows to sample", hint="fill it"))}
    checkout = [worker(stays=True)]
    with pytest.raises(WorkloadError, match="Flow repayment: no rows to sample") as caught:
        run(checkout, [ScriptedWorker([refusal])])
    assert caught.value.hint == "fill it"
    assert checkout[0].received("go") == []
    assert checkout[0].is_ended


def test_a_flow_whose_worker_cannot_be_launched_ends_the_workers_before_it() -> None:
    checkout = [worker(stays=True)]

    def launch(_index: int) -> ScriptedWorker:
        raise LoadError("no memory")

    with pytest.raises(LoadError, match="no memory"):
        run_stage(
            STAGE,
            LoadOptions(),
            launch=lambda index: checkout[index],
            on_tick=lambda _: None,
            companions=[Companion("repayment", BESIDE, LoadOptions(), launch)],
        )
    assert checkout[0].is_ended


def test_ctrl_c_leaves_no_worker_of_any_flow() -> None:
    checkout, repayment = [worker(second(0), stays=True)], [worker(second(0), stays=True)]

    def interrupt(_: Tick) -> str | None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(checkout, repayment, interrupt)
    assert all(w.is_ended for w in (*checkout, *repayment))


def test_the_stage_is_over_when_the_last_flow_is() -> None:
    repayment = [worker(second(0), second(1), report(ok=9), pause_s=0.2)]
    assert run([worker(report())], repayment).companions["repayment"].checkouts_ok == 9


def tuned(*asked: RateChange) -> tuple[StageResult, dict[str, list[object]]]:
    """A tuned stage at 40/s with a staged flow at 5/s and a fixed one at 5/s; the rates that each was
    told."""
    waiting = list(asked)
    workers = {
        name: worker(second(0), second(1), second(2), report(), pause_s=0.1)
        for name in ("checkout", "staged", "fixed")
    }
    result = run_stage(
        replace(STAGE, hold_s=60, tuned_max_per_s=100),
        LoadOptions(),
        launch=lambda _: workers["checkout"],
        on_tick=lambda _: None,
        outside=Outside(tune=lambda _: waiting.pop(0) if waiting else None),
        companions=[
            Companion(
                name, BESIDE, LoadOptions(), lambda _, n=name: workers[n], is_fixed=name == "fixed"
            )
            for name in ("staged", "fixed")
        ],
    )
    return result, {name: w.received("rate") for name, w in workers.items()}


def test_a_rate_by_hand_is_followed_by_staged_flows_and_not_by_fixed_ones() -> None:
    result, rates = tuned(RateChange(2, 80.0))
    assert rates == {"checkout": [80.0], "staged": [10.0], "fixed": []}
    assert result.rates == (RateChange(2, 80.0),)
    assert result.companions["staged"].rates == (RateChange(2, 10.0),)


def test_an_end_by_hand_ends_all_flows() -> None:
    _, rates = tuned(RateChange(2, 0.0))
    assert rates == {"checkout": [0.0], "staged": [0.0], "fixed": [0.0]}


def test_a_stop_before_the_start_begins_no_flow() -> None:
    checkout, repayment = ScriptedWorker([], stays=True), ScriptedWorker([], stays=True)
    result = run_stage(
        STAGE,
        LoadOptions(),
        launch=lambda _: checkout,
        on_tick=lambda _: None,
        outside=Outside(stopping=lambda: "SIGTERM"),
        companions=[Companion("repayment", BESIDE, LoadOptions(), lambda _: repayment)],
    )
    assert (result.aborted_by, result.companions["repayment"].aborted_by) == ("SIGTERM",) * 2
    assert (result.ticks, result.companions["repayment"].ticks) == ((), ())
    assert not checkout.received("go") + repayment.received("go")
    assert checkout.is_ended
    assert repayment.is_ended

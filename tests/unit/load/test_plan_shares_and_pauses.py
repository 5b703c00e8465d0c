"""A worker's part of a stage: shares that add up, pauses where they belong."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.flows import TextFlow

from readiness.load.plan import WorkerPlan, measured_from_s, pauses_ns, share
from readiness.model.load import LoadOptions, Stage

STAGE = Stage("x", rate_per_s=5, hold_s=4.5, ramp_s=1.5, warmup_s=2)


@given(st.integers(0, 5000), st.integers(1, 40))
def test_the_shares_of_all_workers_are_the_whole(total: int, workers: int) -> None:
    shares = [share(total, worker, workers) for worker in range(workers)]
    assert sum(shares) == total
    assert max(shares) - min(shares) <= 1


def test_statement_and_transaction_pauses_take_each_others_place() -> None:
    flow = TextFlow(["BEGIN", "SELECT 1", "COMMIT", "BEGIN", "COMMIT", "SELECT 2", "SELECT 3"])
    options = LoadOptions(statement_pause_ms=1, transaction_pause_ms=9)
    assert [ns // 1_000_000 for ns in pauses_ns(flow, options)] == [0, 1, 1, 9, 1, 9, 9]


def test_captured_gaps_are_added_times_the_pacing() -> None:
    flow = TextFlow(["BEGIN", "COMMIT"], gap_ms=10)
    assert pauses_ns(flow, LoadOptions(statement_pause_ms=1, pacing=0.5)) == (0, 6_000_000)


def test_every_worker_may_have_one_checkout_in_flight() -> None:
    plan = WorkerPlan.of(
        TextFlow(["SELECT 1"]), STAGE, LoadOptions(in_flight_limit=1, workers=3), 2
    )
    assert plan.in_flight_limit == 1


@pytest.mark.parametrize(("connections", "limit"), [("pooled", 4), ("per-checkout", 0)])
def test_only_a_pool_has_a_size(connections: str, limit: int) -> None:
    options = LoadOptions(connections=connections, pool_size=4)
    assert WorkerPlan.of(TextFlow(["SELECT 1"]), STAGE, options, 0).set_limit == limit


def test_a_closed_loop_has_no_schedule() -> None:
    plan = WorkerPlan.of(TextFlow(["SELECT 1"]), STAGE, LoadOptions(closed_loop_clients=2), 0)
    assert plan.schedule().due_s() == math.inf


def test_the_first_second_that_counts_is_whole() -> None:
    assert measured_from_s(STAGE) == 4  # 1.5 s of ramp and 2 s of warm-up

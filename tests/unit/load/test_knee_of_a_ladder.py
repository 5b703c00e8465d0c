"""Clients against throughput: where it stops growing, and whose limit that is."""

from __future__ import annotations

import pytest
from tests.fakes.stages import stage_result

from readiness.load.calibrate import (
    Rung,
    clients_up_to,
    cpu_per_checkout_s,
    has_stopped_growing,
    knee,
)
from readiness.report.calibration import capacity_text


def rungs(*per_s: float, limited_by: str = "server") -> list[Rung]:
    return [
        Rung(1 << k, rate, 10.0, 20.0, 5.0, 0.3, 0.0, limited_by) for k, rate in enumerate(per_s)
    ]


def test_clients_double_up_to_the_most() -> None:
    assert clients_up_to(64) == [1, 2, 4, 8, 16, 32, 64]
    assert clients_up_to(20) == [1, 2, 4, 8, 16, 20]
    assert clients_up_to(1) == [1]


def test_the_knee_is_the_last_that_more_clients_bring_little_over() -> None:
    ladder = rungs(100, 190, 300, 310)
    found = knee(ladder)
    assert found is not None
    assert (found.clients, found.per_s) == (4, 300)
    assert has_stopped_growing(ladder)
    assert "The knee: 4 clients, 300/s" in capacity_text(ladder)


def test_a_ladder_that_still_grows_has_none() -> None:
    assert knee(rungs(100, 190, 300)) is None
    assert knee(rungs(100)) is None
    assert "--clients 16" in capacity_text(rungs(100, 190, 300))


@pytest.mark.parametrize("limit", ["generator", "host"])
def test_what_was_not_the_servers_limit_is_no_capacity_of_it(limit: str) -> None:
    said = " ".join(capacity_text(rungs(100, 101, limited_by=limit)).split())
    assert f"{limit} was the limit" in said
    assert "no capacity of" in said


def test_a_checkout_costs_what_its_busiest_worker_paid() -> None:
    result = stage_result(seconds=5, generator_cpu_ratio=0.2)  # 10 checkouts a second
    assert cpu_per_checkout_s(result, workers=1) == pytest.approx(0.02)
    assert cpu_per_checkout_s(result, workers=2) == pytest.approx(0.04)
    assert cpu_per_checkout_s(stage_result(finished=0), workers=1) is None

"""Laws of the schedule: stripes add up to it, its count is the area, its density the rate."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readiness.config.plan import load_plan
from readiness.errors import ConfigError
from readiness.load.schedule import Schedule, area, arrivals, moment
from readiness.model.load import RateChange, Stage
from readiness.wiring.shards import Shards, shard_of

PLAN = load_plan("demo")
rates = st.one_of(st.just(0.0), st.floats(0.01, 60.0))
stages = st.builds(
    Stage,
    name=st.just("x"),
    rate_per_s=rates,
    hold_s=st.floats(0, 20),
    ramp_s=st.one_of(st.just(0.0), st.floats(0.01, 20)),
    from_rate_per_s=rates,
)
kinds = st.sampled_from(["constant", "poisson"])


@given(stages, kinds, st.integers(1, 64), st.integers(0, 9))
def test_the_stripes_of_n_workers_are_exactly_one_schedule(
    stage: Stage, kind: str, workers: int, seed: int
) -> None:
    whole = list(arrivals(stage, kind=kind, seed=seed))
    stripes = [
        list(arrivals(stage, kind=kind, seed=seed, worker=worker, workers=workers))
        for worker in range(workers)
    ]
    assert sorted(itertools.chain(*stripes)) == whole
    assert max(map(len, stripes)) - min(map(len, stripes)) <= 1


@given(stages, kinds, st.integers(1, 4), st.integers(1, 3))
def test_the_workers_of_all_shards_are_exactly_one_schedule(
    stage: Stage, kind: str, shards: int, workers: int
) -> None:
    plan = replace(PLAN, shards=shards, options=replace(PLAN.options, workers=workers))
    elsewhere = [k for number in range(1, shards) for k in shard_of(plan, number).workers]
    stripes = [
        list(arrivals(stage, kind=kind, worker=k, workers=Shards(plan, None).options.workers))
        for k in [*range(workers), *elsewhere]
    ]
    assert sorted(itertools.chain(*stripes)) == list(arrivals(stage, kind=kind))


@given(stages)
def test_the_count_is_the_area_under_the_rate_curve(stage: Stage) -> None:
    count = len(list(arrivals(stage)))
    assert abs(count - area(stage, stage.duration_s)) <= 0.5 + 1e-6


@given(stages, st.floats(0, 1))
def test_up_to_any_moment_the_count_is_the_area(stage: Stage, part: float) -> None:
    moment_s = part * stage.duration_s
    count = sum(due <= moment_s for due in arrivals(stage))
    assert abs(count - area(stage, moment_s)) <= 0.5 + 1e-6


@given(stages, kinds)
def test_arrivals_ascend_and_stay_within_the_stage(stage: Stage, kind: str) -> None:
    due = list(arrivals(stage, kind=kind))
    assert due == sorted(due)
    assert all(0 <= t < stage.duration_s for t in due)


@given(stages, st.floats(0, 500))
def test_moment_is_the_inverse_of_area(stage: Stage, checkouts: float) -> None:
    at = moment(stage, checkouts)
    if math.isfinite(at):
        assert area(stage, at) == pytest.approx(checkouts, abs=1e-6, rel=1e-6)


@given(stages, st.integers(0, 99))
def test_the_same_seed_gives_the_same_arrivals(stage: Stage, seed: int) -> None:
    first, again = (list(arrivals(stage, kind="poisson", seed=seed)) for _ in range(2))
    assert first == again


def test_poisson_gaps_vary_as_much_as_their_mean() -> None:
    due = list(arrivals(Stage("x", rate_per_s=100, hold_s=100), kind="poisson", seed=3))
    gaps = [b - a for a, b in itertools.pairwise(due)]
    mean = sum(gaps) / len(gaps)
    spread = math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps))
    assert mean == pytest.approx(0.01, rel=0.05)
    assert spread == pytest.approx(mean, rel=0.1)


def test_a_fractional_rate_is_kept_over_a_long_stage() -> None:
    assert len(list(arrivals(Stage("x", rate_per_s=1 / 3, hold_s=900)))) == 300


@pytest.mark.parametrize(
    ("stage", "kind"),
    [
        (Stage("x", rate_per_s=-1, hold_s=1), "constant"),
        (Stage("x", rate_per_s=math.nan, hold_s=1), "constant"),
        (Stage("x", rate_per_s=1, hold_s=math.inf), "constant"),
        (Stage("x", rate_per_s=1, hold_s=1), "bursty"),
    ],
)
def test_what_cannot_be_a_schedule_is_refused(stage: Stage, kind: str) -> None:
    with pytest.raises(ConfigError):
        arrivals(stage, kind=kind)


def tuned(schedule: Schedule, changes: list[RateChange], *, heard_s: float) -> list[float]:
    """All arrivals of a worker that hears of each change `heard_s` before it holds."""
    due, waiting = [], list(changes)
    while waiting or math.isfinite(schedule.due_s()):
        if waiting and schedule.due_s() >= waiting[0].from_s - heard_s:
            schedule.change(waiting.pop(0))
            continue
        due.append(schedule.due_s())
        schedule.advance()
    return due


def turned(changes: list[tuple[int, float]], end_s: int | None) -> list[RateChange]:
    """Changes in order, and where there is one, the end after them."""
    made = [RateChange(from_s, rate) for from_s, rate in sorted(changes)]
    if end_s is not None:
        made = [c for c in made if c.from_s < end_s] + [RateChange(end_s, 0.0)]
    return made


changes_by_hand = st.builds(
    turned,
    st.lists(st.tuples(st.integers(0, 20), st.floats(0.01, 60.0)), max_size=6),
    st.one_of(st.none(), st.integers(0, 20)),
)


@given(stages, kinds, changes_by_hand, st.integers(1, 7), st.floats(0, 2))
def test_whatever_a_person_turns_the_stripes_are_exactly_one_schedule(
    stage: Stage, kind: str, changes: list[RateChange], workers: int, heard_s: float
) -> None:
    whole = tuned(Schedule(stage, kind=kind), changes, heard_s=heard_s)
    stripes = [
        tuned(Schedule(stage, kind=kind, worker=worker, workers=workers), changes, heard_s=heard_s)
        for worker in range(workers)
    ]
    assert sorted(itertools.chain(*stripes)) == whole == sorted(whole)


@given(stages, changes_by_hand)
def test_whatever_a_person_turns_the_count_is_the_area(
    stage: Stage, changes: list[RateChange]
) -> None:
    count = len(tuned(Schedule(stage), changes, heard_s=0.5))
    assert abs(count - area_by_hand(stage, changes)) <= 0.5 + 1e-6


def area_by_hand(stage: Stage, changes: list[RateChange]) -> float:
    """Ramp and hold up to the first change, then each rate times how long it held."""
    end_s = min([stage.duration_s, *(c.from_s for c in changes if c.is_end)])
    rates = [c for c in changes if not c.is_end and c.from_s < end_s]
    edges = [*(float(c.from_s) for c in rates), end_s]
    held = (c.rate_per_s * (after - c.from_s) for c, after in zip(rates, edges[1:], strict=True))
    return area(stage, edges[0]) + sum(held)

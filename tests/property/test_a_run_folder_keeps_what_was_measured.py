"""Results and samples read from a run folder are those that were written."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from readiness.artifacts.run_folder import RunFolder
from readiness.model.histogram import Histogram
from readiness.model.load import RateChange, Stage, StageResult, Tick
from readiness.model.metrics import Sample

counts = st.integers(0, 2**40)
ratios = st.floats(0, 1)
reals = st.floats(allow_nan=False, allow_infinity=False)
words = st.text(max_size=12)


@st.composite
def histograms(draw: st.DrawFn) -> Histogram:
    made = Histogram()
    for value in draw(st.lists(st.integers(0, 10**11), max_size=5)):
        made.record(value)
    return made


ticks = st.builds(
    Tick,
    second=st.just(0),
    offered=counts,
    started=counts,
    finished=counts,
    failed=counts,
    dropped=counts,
    in_flight=counts,
    checkout=histograms(),
    commit=histograms(),
    connect=histograms(),
    lag=histograms(),
    generator_cpu_ratio=ratios,
    run_queue_delay_ratio=ratios,
    timer_floor=histograms(),
)
results = st.builds(
    StageResult,
    stage=st.builds(
        Stage, name=words, rate_per_s=reals, hold_s=reals, ramp_s=reals, tuned_max_per_s=reals
    ),
    rates=st.lists(st.builds(RateChange, from_s=st.integers(0, 999), rate_per_s=reals)).map(tuple),
    started_at=reals,
    ended_at=reals,
    ticks=st.lists(ticks, max_size=3).map(
        lambda made: tuple(replace(t, second=s) for s, t in enumerate(made))
    ),
    measured_from_s=st.integers(0, 9),
    statements=st.dictionaries(words, histograms(), max_size=3),
    errors=st.dictionaries(st.tuples(words, st.integers(0, 9999)), counts, max_size=3),
    checkouts_ok=counts,
    checkouts_failed=counts,
    aborted_by=words,
    notes=st.lists(words, max_size=2).map(tuple),
    service=histograms(),
    next_number=counts,
)
samples = st.builds(
    Sample, ts=reals, stage=words, metric=words, value=reals, unit=words, source=words
)


@settings(max_examples=30)
@given(st.lists(results, max_size=3), st.lists(samples, max_size=5))
def test_measurements_come_back_the_same(measured: list[StageResult], taken: list[Sample]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        folder = RunFolder(Path(directory))
        folder.write_results(measured, taken)
        assert folder.read_stages() == measured
        assert folder.read_samples() == taken

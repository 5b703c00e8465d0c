"""The sampler gives what happened in each second, and never waits for a server that hangs."""

from __future__ import annotations

import pytest
from tests.fakes.sources import CountingSource, HandClock

from readiness.errors import MetricsError
from readiness.metrics.sampler import StageSampler


def started(*sources: CountingSource, clock: HandClock | None = None) -> StageSampler:
    sampler = StageSampler(sources, clock or HandClock(), patience_s=3.0)
    sampler.start_stage("5x")
    return sampler


def test_the_first_sample_of_a_stage_is_the_baseline() -> None:
    sampler = started(CountingSource())
    assert sampler.sample("5x") == []
    (sample,) = sampler.sample("5x")
    assert (sample.metric, sample.value, sample.unit) == ("statements_per_s", 50.0, "/s")
    assert (sample.stage, sample.source) == ("5x", "performance_schema")


def test_no_delta_spans_two_stages() -> None:
    sampler = started(CountingSource())
    sampler.sample("5x")
    sampler.start_stage("6x")
    assert sampler.sample("6x") == []
    assert [s.stage for s in sampler.sample("6x")] == ["6x"]


def test_all_sources_are_sampled() -> None:
    sampler = started(CountingSource("one"), CountingSource("two"))
    sampler.sample("5x")
    assert [s.source for s in sampler.sample("5x")] == ["one", "two"]


def test_the_idle_probe_comes_with_the_first_sample_and_once() -> None:
    sampler = StageSampler(
        [CountingSource()], HandClock(), idle_probe=lambda: {"native.host.fsync_probe_ms": 0.7}
    )
    sampler.start_stage("5x")
    (probed,) = sampler.sample("5x")
    assert (probed.metric, probed.value, probed.unit) == ("native.host.fsync_probe_ms", 0.7, "ms")
    assert [s.metric for s in sampler.sample("5x")] == ["statements_per_s"]


def test_a_source_that_hangs_gives_nothing_and_is_caught_up_with() -> None:
    source = CountingSource()
    sampler = started(source)
    sampler.sample("5x")
    source.may_answer.clear()
    assert sampler.sample("5x") == []
    source.may_answer.set()
    assert [s.value for s in sampler.sample("5x")] == [50.0]


def test_a_reading_that_began_in_another_stage_is_dropped() -> None:
    source = CountingSource()
    sampler = started(source)
    sampler.sample("5x")
    source.may_answer.clear()
    sampler.sample("5x")
    sampler.start_stage("6x")
    source.may_answer.set()
    assert sampler.sample("6x") == []
    assert sampler.sample("6x") == []
    assert len(sampler.sample("6x")) == 1


def test_a_source_that_hangs_for_too_long_stops_the_load() -> None:
    source, clock = CountingSource(), HandClock()
    sampler = started(source, clock=clock)
    source.may_answer.clear()
    sampler.sample("5x")
    clock.sleep(3.5)
    with pytest.raises(MetricsError, match="3 s"):
        sampler.sample("5x")
    source.may_answer.set()


def test_a_source_that_is_gone_is_an_error() -> None:
    source = CountingSource()
    sampler = started(source)
    source.fails = True
    with pytest.raises(MetricsError, match="gone"):
        sampler.sample("5x")


def test_close_ends_every_source_even_when_one_fails() -> None:
    broken, good = CountingSource(), CountingSource()
    broken.fails = True
    sampler = started(broken, good)
    with pytest.raises(MetricsError):
        sampler.close()
    assert good.is_closed

"""All sources of a target, once a second, as samples; a source that hangs never holds up the load.

Each `sample` starts one reading in a thread of its own and waits for it a fraction of a second. A
reading that takes longer (the server is frozen, or starved by its load) gives nothing now and its
values when it ends; the seconds in between are missing, and validity counts them. A source that
has not answered for `patience_s` is gone: MetricsError, and without a sampler there is no load.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence

from readiness.errors import MetricsError, ReadinessError
from readiness.metrics.derive import derive
from readiness.model.metrics import Sample, unit_of
from readiness.ports import Clock, MetricSource

Readings = dict[str, Mapping[str, float]]
IdleProbe = Callable[[], Mapping[str, float]]

_WAIT_S = 0.25
_NATIVE_UNITS = {"_ms": "ms", "_ratio": "ratio", "_bytes": "bytes", "_per_s": "/s", "_s": "s"}


class StageSampler:
    """A `ports.Sampler` over `sources`. `idle_probe` runs in `start_stage`, before any load, and
    gives metrics by name (such as how long the idle storage takes to flush)."""

    def __init__(
        self,
        sources: Sequence[MetricSource],
        clock: Clock,
        *,
        idle_probe: IdleProbe | None = None,
        patience_s: float = 10.0,
    ) -> None:
        self._sources = tuple(sources)
        self._clock = clock
        self._idle_probe = idle_probe
        self._patience_ns = int(patience_s * 1e9)
        self._before: Readings = {}
        self._probed: list[Sample] = []
        self._reading: _Reading | None = None

    def start_stage(self, stage: str) -> None:
        """Forgets the past, so that no delta spans two stages; probes the idle target."""
        self._before = {}
        if self._reading is not None:
            self._reading.is_stale = True
        values = self._idle_probe() if self._idle_probe else {}
        self._probed = _samples(values, self._clock.wall_s(), stage, "host")

    def sample(self, stage: str) -> list[Sample]:
        """What happened since the call before; see `ports.Sampler`."""
        probed, self._probed = self._probed, []
        reading = self._reading or _Reading(self._sources, self._clock)
        self._reading = None if reading.ended(_WAIT_S) else reading
        if self._reading is not None:
            self._require_patience(reading)
            return probed
        if reading.is_stale:
            return probed
        return probed + self._since(reading, stage)

    def close(self) -> None:
        """Ends the sources, every one of them, even when one fails; the failure is raised then."""
        failures = []
        if self._reading is not None:
            self._reading.ended(timeout_s=1.0)
        for source in self._sources:
            try:
                source.close()
            except MetricsError as error:
                failures.append(error)
        if failures:
            raise failures[0]

    def _since(self, reading: _Reading, stage: str) -> list[Sample]:
        before, self._before = self._before, reading.values()
        made: list[Sample] = []
        for name, after in self._before.items():
            if name in before:
                made += _samples(derive(before[name], after), reading.wall_s, stage, name)
        return made

    def _require_patience(self, reading: _Reading) -> None:
        if self._clock.monotonic_ns() - reading.started_ns > self._patience_ns:
            seconds = self._patience_ns / 1e9
            message = f"The metric sources have not answered for {seconds:g} s."
            raise MetricsError(message, hint="Is the target alive? Its load is stopped.")


class _Reading:
    """One reading of all sources, in a thread that never keeps the process alive."""

    def __init__(self, sources: Sequence[MetricSource], clock: Clock) -> None:
        self.started_ns = clock.monotonic_ns()
        self.wall_s = 0.0
        self.is_stale = False
        self._clock = clock
        self._values: Readings = {}
        self._error: ReadinessError | None = None
        self._thread = threading.Thread(target=self._run, args=(sources,), daemon=True)
        self._thread.start()

    def ended(self, timeout_s: float) -> bool:
        """Whether it ended, within `timeout_s` at most."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def values(self) -> Readings:
        """Readings by source; raises the error of the source that failed."""
        if self._error is not None:
            raise self._error
        return self._values

    def _run(self, sources: Sequence[MetricSource]) -> None:
        try:
            self._values = {source.name: source.read() for source in sources}
        except ReadinessError as error:
            self._error = error
        self.wall_s = self._clock.wall_s()


def _samples(values: Mapping[str, float], ts: float, stage: str, source: str) -> list[Sample]:
    return [
        Sample(ts, stage, metric, value, unit_of(metric) or _native_unit(metric), source)
        for metric, value in values.items()
    ]


def _native_unit(metric: str) -> str:
    return next((unit for end, unit in _NATIVE_UNITS.items() if metric.endswith(end)), "")

"""The watch on production while a clone is loaded: its own metrics may stop the load.

A thread asks production once a second, so that a slow answer never holds up the load; what it says
is looked at with every second of the stage. A question that fails is an event, and asked anew. A
production that has said nothing for `silence_s` stops the load: nobody could keep the promise then.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from readiness.analysis.checks import holds
from readiness.errors import ConfigError, MetricsError, ReadinessError
from readiness.metrics.derive import derive
from readiness.model.metrics import PRODUCTION, Sample, of_production, unit_of
from readiness.model.verdict import AbortRule
from readiness.ports import MetricSource

_EVERY_S = 1.0


class ProductionSource(MetricSource, Protocol):
    """Counters of production that are cheap to read."""

    def gives(self, metric: str) -> bool:
        """Whether this server can tell the metric."""
        ...


@dataclass(slots=True)
class Look:
    """What production said since the last look: samples, what went wrong, and why the load must
    stop ("": it may go on)."""

    samples: list[Sample] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    stop: str = ""


class ProductionWatch:
    """Watches production through sources that `open_source` opens, from `begin` to `end`."""

    def __init__(
        self,
        open_source: Callable[[], ProductionSource],
        rules: Sequence[AbortRule],
        *,
        silence_s: float,
        every_s: float = _EVERY_S,
    ) -> None:
        self._open_source = open_source
        self._rules = tuple(rules)
        self._silence_s = silence_s
        self._every_s = every_s
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, stage: str) -> None:
        """Asks once, and goes on asking. Raises MetricsError where production does not answer or
        cannot tell a metric of the rules: then no load may begin."""
        self.end()
        source = self._opened()
        before = source.read()
        self._stage, self._new, self._since = stage, Look(), dict[AbortRule, float]()
        self._answered_s = time.monotonic()
        self._is_over = threading.Event()
        self._thread = threading.Thread(
            target=self._ask_on, args=(self._is_over, source, before), daemon=True
        )
        self._thread.start()

    def look(self) -> Look:
        """What is new; it never waits for production."""
        with self._lock:
            new, self._new = self._new, Look()
            silent_s = time.monotonic() - self._answered_s
        new.stop = self._broken_rule(new.samples)
        if not new.stop and silent_s > self._silence_s:
            new.stop = f"production gave no metrics for {silent_s:.0f} s"
        return new

    def end(self) -> None:
        """Stops asking, soon; twice is once."""
        self._is_over.set()
        if self._thread is not None:
            self._thread.join(self._every_s + 1.0)
            self._thread = None

    def _opened(self) -> ProductionSource:
        source = self._open_source()
        unknown = [rule.metric for rule in self._rules if not source.gives(rule.metric)]
        if unknown:
            source.close()
            raise MetricsError(
                f"Production cannot tell {', '.join(unknown)}: its performance_schema is off.",
                hint="Watch threads_running, or connections, in production_watch.",
            )
        return source

    def _ask_on(
        self, is_over: threading.Event, source: ProductionSource, before: Mapping[str, float]
    ) -> None:
        """Until it is over: a reading a second; after one that failed, a new session."""
        asked: ProductionSource | None = source
        known: Mapping[str, float] | None = before
        try:
            while not is_over.wait(self._every_s):
                try:
                    asked = asked or self._opened()
                    after = asked.read()
                except (ReadinessError, ConfigError) as error:
                    _closed(asked)
                    asked = known = None
                    self._note(error.message)
                    continue
                self._keep(derive(known, after) if known else {})
                known = after
        finally:
            _closed(asked)

    def _note(self, trouble: str) -> None:
        with self._lock:
            if trouble not in self._new.troubles:
                self._new.troubles.append(trouble)

    def _keep(self, values: Mapping[str, float]) -> None:
        now_s, stage = time.time(), self._stage
        made = [
            Sample(now_s, stage, of_production(name), value, unit_of(name), PRODUCTION)
            for name, value in values.items()
            if not name.startswith("native.")
        ]
        with self._lock:
            self._answered_s = time.monotonic()
            self._new.samples += made

    def _broken_rule(self, samples: Sequence[Sample]) -> str:
        """The rule that has been broken for its time, with the last value; "" for none. A second
        that cannot say (no COMMIT: no mean) neither adds to a breach nor ends it."""
        for rule in self._rules:
            name = of_production(rule.metric)
            for sample in (s for s in samples if s.metric == name):
                if not holds(sample.value, rule.op, rule.limit):
                    self._since.pop(rule, None)
                    continue
                began = self._since.setdefault(rule, sample.ts)
                # A sample stands for the second before it.
                if round(sample.ts - began + self._every_s, 1) >= rule.for_s:
                    return f"{of_production(rule.text)} ({sample.value:.3g})"
        return ""


def _closed(source: ProductionSource | None) -> None:
    if source is None:
        return
    try:
        source.close()
    except ReadinessError:
        return  # it is gone

"""Rules that stop the load while it runs: a breach in each of so many seconds on end.

Every second counts, ramp and warm-up too. A second that cannot say (no checkout finished: no error
ratio) neither adds to a breach nor ends it. Latencies are of that second's operations, however few.
"""

from __future__ import annotations

from collections.abc import Sequence

from readiness.analysis.checks import holds
from readiness.analysis.figures import achieved_ratio, error_ratio, latency_ms, tick_series
from readiness.model.load import Tick
from readiness.model.metrics import CATALOGUE, Sample
from readiness.model.verdict import AbortRule

_HISTOGRAMS = {
    "checkout_response": "checkout",
    "commit": "commit",
    "connect": "connect",
    "schedule_lag": "lag",
    "timer_floor": "timer_floor",
    "gate_wait": "queue",
}


class AbortWatch:
    """Watches one stage: make a new one for each."""

    def __init__(self, rules: Sequence[AbortRule]) -> None:
        self._breached_s = dict.fromkeys(rules, 0)

    def update(self, tick: Tick, samples: Sequence[Sample]) -> str | None:
        """The rule that stops the load, with the value of this second; None to go on."""
        for rule, seconds in self._breached_s.items():
            value = second_value(rule.metric, tick, samples)
            if value is None:
                continue
            self._breached_s[rule] = seconds + 1 if holds(value, rule.op, rule.limit) else 0
            if self._breached_s[rule] >= max(rule.for_s, 1):
                return f"{rule.text} ({value:.3g})"
        return None


def second_value(metric: str, tick: Tick, samples: Sequence[Sample]) -> float | None:
    """A metric in one second: the engine's from its tick, any other from the last sample."""
    if metric == "achieved_ratio":
        return achieved_ratio([tick])
    if metric == "error_ratio":
        return error_ratio([tick])
    series = tick_series(tick)
    if metric in series:
        return series[metric]
    stem, _, statistic = metric.removesuffix("_ms").rpartition("_")
    if stem in _HISTOGRAMS:
        return latency_ms(getattr(tick, _HISTOGRAMS[stem]), statistic)
    return next((s.value for s in reversed(samples) if s.metric == metric), None)


def aborting_metric(aborted_by: str) -> str:
    """The metric of the rule behind `StageResult.aborted_by`; "" when no rule but a signal or a
    failure stopped the stage."""
    words = aborted_by.split(maxsplit=2)
    if len(words) < 3 or words[1] not in {"<", "<=", ">", ">="}:
        return ""
    return words[0] if words[0] in CATALOGUE or words[0].startswith("native.") else ""

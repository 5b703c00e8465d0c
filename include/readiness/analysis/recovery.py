"""After a spike: how long until customers no longer notice it, or does the trouble feed itself?

A stage recovers from the one before it when that had a higher rate. Its yardstick is the latest earlier
stage at its own rate or less: back means that the p99 of checkout responses in windows of 3 s is at most
1.25 times that stage's p99 (or 5 ms more, where that is larger), for 10 s on end. A window in which
checkouts wait and none ends is not back. Where the load is back and the responses are not, and no fewer
checkouts are in flight at the end than at the beginning, the state is metastable (Bronson et al.,
Metastable Failures in Distributed Systems, 2021): it will not pass by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from readiness.analysis.figures import latency_ms
from readiness.model.histogram import merged
from readiness.model.load import StageResult, Tick
from readiness.model.verdict import Figure

RECOVERY = "recovery_s"
_WINDOW_S = 3
_STAYS_S = 10
_TIMES = 1.25
_LEAST_MS = 5.0
_SAME_RATE = 1.05


@dataclass(frozen=True, slots=True)
class Recovery:
    """How one stage came back. `after_s` is seconds from its beginning, None where it did not come
    back in `watched_s`; `limit_ms` is what its p99 had to come down to."""

    stage: str
    spike: str
    limit_ms: float
    watched_s: int
    after_s: int | None
    is_metastable: bool = False

    @property
    def words(self) -> str:
        """ "back 14 s after 10x"."""
        aim = f"p99 at most {self.limit_ms:.3g} ms"
        if self.after_s is not None:
            return f"back to normal {self.after_s} s after {self.spike} ({aim})"
        state = "metastable: " if self.is_metastable else ""
        return f"{state}not back to normal within {self.watched_s} s after {self.spike} ({aim})"

    @property
    def figure(self) -> Figure:
        """`recovery_s`; where it did not come back, a second more than was watched: at least that."""
        seconds = self.watched_s + 1 if self.after_s is None else self.after_s
        return Figure((float(seconds),), self.watched_s)


def recoveries(results: Sequence[StageResult]) -> list[Recovery]:
    """One for each stage that follows a higher rate and has an earlier stage to be measured by."""
    found = []
    for before, spike, after in _triples(results):
        limit_ms = _limit_ms(before)
        if limit_ms is not None and after.ticks:
            found.append(_recovery(spike, after, limit_ms))
    return found


def _triples(results: Sequence[StageResult]) -> list[tuple[StageResult, StageResult, StageResult]]:
    found = []
    for at in range(2, len(results)):
        spike, after = results[at - 1], results[at]
        most = after.stage.rate_per_s * _SAME_RATE
        earlier = [r for r in results[: at - 1] if r.stage.rate_per_s <= most]
        if earlier and spike.stage.rate_per_s > most:
            found.append((earlier[-1], spike, after))
    return found


def _limit_ms(before: StageResult) -> float | None:
    p99 = latency_ms(merged(tick.checkout for tick in before.measured), "p99")
    return None if p99 is None else max(_TIMES * p99, p99 + _LEAST_MS)


def _recovery(spike: StageResult, after: StageResult, limit_ms: float) -> Recovery:
    ticks = after.ticks
    is_back = [
        _is_back(ticks[at : at + _WINDOW_S], limit_ms) for at in range(0, len(ticks), _WINDOW_S)
    ]
    stays = min(-(-_STAYS_S // _WINDOW_S), len(is_back))
    begins = range(len(is_back) - stays + 1)
    first = next((n for n in begins if all(is_back[n : n + stays])), None)
    return Recovery(
        stage=after.stage.name,
        spike=spike.stage.name,
        limit_ms=limit_ms,
        watched_s=len(ticks),
        after_s=None if first is None else first * _WINDOW_S,
        is_metastable=first is None and _stays_full(ticks),
    )


def _is_back(window: Sequence[Tick], limit_ms: float) -> bool:
    p99 = latency_ms(merged(tick.checkout for tick in window), "p99")
    if p99 is None:  # nobody came, or nobody got through
        return not any(tick.in_flight or tick.failed for tick in window)
    return p99 <= limit_ms


def _stays_full(ticks: Sequence[Tick]) -> bool:
    third = max(len(ticks) // 3, 1)
    return sum(t.in_flight for t in ticks[-third:]) >= sum(t.in_flight for t in ticks[:third]) > 0

"""How far a percentile may be off: an interval of ranks that holds whatever the distribution is.

Of n values the number below the quantile q is binomial with n and q. So the ranks between which that
count lies with 95 % enclose the quantile with 95 % (Conover, Practical Nonparametric Statistics, 3.2:
confidence intervals for quantiles). Both bounds are values that were measured. Where there are too few
for an upper bound, the percentile is refused: that is the one rule of how many a percentile needs.

Values are taken as independent. Those of one freeze are not: the interval tells how well the stage knows
its own percentile, not how much the next run may differ.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from readiness.model.histogram import Histogram

LEVEL = 0.95
_TAIL = (1 - LEVEL) / 2
_NORMAL = NormalDist().inv_cdf(1 - _TAIL)
# Values expected in the thinner tail; from there on the normal curve is as good.
_EXACT_UP_TO = 400.0


def needed(q: float) -> int:
    """How many values the percentile `q` (0 to 1) needs: with fewer no measured value is its upper
    bound, since all of them lie below it too often. 6 for p50, 72 for p95, 368 for p99."""
    return math.ceil(math.log(_TAIL) / math.log(q))


def ranks(count: int, q: float) -> tuple[int, int] | None:
    """The ranks (1 to `count`) of the values that bound the percentile; None below `needed`."""
    if count < needed(q):
        return None
    if count * min(q, 1 - q) > _EXACT_UP_TO:
        half = _NORMAL * math.sqrt(count * q * (1 - q))
        low, high = math.floor(count * q - half), math.ceil(count * q + half) + 1
    else:
        # Counted from the thin end, where the terms do not vanish: from above for a high percentile.
        above_low, above_high = _tails(count, 1 - q)
        low, high = count - above_high, count - above_low + 1
    return max(low, 1), min(high, count)


def interval(histogram: Histogram, q: float) -> tuple[float, float] | None:
    """The bounds of a percentile with 95 %, in the histogram's unit; None where it is refused."""
    found = ranks(histogram.count, q)
    return None if found is None else (histogram.at_rank(found[0]), histogram.at_rank(found[1]))


def _tails(count: int, p: float) -> tuple[int, int]:
    """The largest k with P(K < k) ≤ 2.5 %, and the smallest k with P(K ≤ k) ≥ 97.5 %, of a binomial K."""
    term = (1 - p) ** count
    below, k, low = 0.0, 0, 0
    while below + term < 1 - _TAIL:
        below += term
        k += 1
        low = k if below <= _TAIL else low
        term *= (count - k + 1) / k * p / (1 - p)
    return low, k

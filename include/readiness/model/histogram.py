"""A sparse, mergeable latency histogram: ≤ 0.8 % relative error, exact count, sum, min and max.

Values are non-negative integers (nanoseconds). Below 128 a bucket holds one value; above, each
octave has 64 buckets, so a bucket is 1/64 of its lower edge wide and its middle is off by at most
1/128. Merging is adding, hence free of order. Percentiles are nearest-rank over the merged
counts; an average of percentiles is never formed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

_SUB_BITS = 6
_OCTAVE = _SUB_BITS + 1
_LINEAR = 1 << _OCTAVE


def bucket_of(value: int) -> int:
    """The bucket that holds `value`."""
    if value < _LINEAR:
        return max(value, 0)
    shift = value.bit_length() - _OCTAVE
    return (shift << _SUB_BITS) + (value >> shift)


def bucket_middle(bucket: int) -> float:
    """The value that stands for all values of a bucket."""
    if bucket < _LINEAR:
        return float(bucket)
    shift = (bucket >> _SUB_BITS) - 1
    low = (bucket - (shift << _SUB_BITS)) << shift
    return low + (1 << shift) / 2


class Histogram:
    """Counts by bucket; `counts` may be read, and is written by `record` alone."""

    __slots__ = ("count", "counts", "maximum", "minimum", "total")

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}
        self.count = 0
        self.total = 0
        self.minimum = 0
        self.maximum = 0

    def __eq__(self, other: object) -> bool:
        """Equal when both counted the same: what a round trip through a file must keep."""
        if not isinstance(other, Histogram):
            return NotImplemented
        return self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]  # it changes while it counts

    def __repr__(self) -> str:
        return f"<Histogram of {self.count} from {self.minimum} to {self.maximum}>"

    def record(self, value: int) -> None:
        """Count one value (a negative one as 0). Inlined: the load engine calls it per statement."""
        if value < _LINEAR:
            value = max(value, 0)
            bucket = value
        else:
            shift = value.bit_length() - _OCTAVE
            bucket = (shift << _SUB_BITS) + (value >> shift)
        counts = self.counts
        counts[bucket] = counts.get(bucket, 0) + 1
        if value < self.minimum or not self.count:
            self.minimum = value
        if value > self.maximum:
            self.maximum = value
        self.count += 1
        self.total += value

    def add(self, other: Histogram) -> None:
        """Count all that `other` counted."""
        for bucket, n in other.counts.items():
            self.counts[bucket] = self.counts.get(bucket, 0) + n
        if other.count:
            self.minimum = min(self.minimum, other.minimum) if self.count else other.minimum
        self.count += other.count
        self.total += other.total
        self.maximum = max(self.maximum, other.maximum)

    def percentile(self, q: float) -> float | None:
        """The value at or below which a share `q` (0 to 1) of all values lies; None when empty."""
        if not self.count:
            return None
        return self.at_rank(max(1, math.ceil(q * self.count)))

    def at_rank(self, rank: int) -> float:
        """The value of rank 1 (the smallest) to `count`; meaningless where it is empty."""
        seen = 0
        for bucket in sorted(self.counts):
            seen += self.counts[bucket]
            if seen >= rank:
                return min(max(bucket_middle(bucket), self.minimum), self.maximum)
        return float(self.maximum)

    def mean(self) -> float | None:
        """The exact mean; None when empty."""
        return self.total / self.count if self.count else None

    def to_json(self) -> dict[str, object]:
        """The on-disk form: pairs of bucket and count, sorted."""
        return {
            "count": self.count,
            "sum": self.total,
            "min": self.minimum,
            "max": self.maximum,
            "buckets": [[b, self.counts[b]] for b in sorted(self.counts)],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Histogram:
        """The inverse of `to_json`; raises ValueError when the counts do not add up."""
        made = cls()
        pairs = data["buckets"]
        if not isinstance(pairs, list):
            raise ValueError("buckets is not a list")
        made.counts = {int(b): int(n) for b, n in pairs}
        made.count, made.total, made.minimum, made.maximum = (
            int(str(data[k])) for k in ("count", "sum", "min", "max")
        )
        if sum(made.counts.values()) != made.count:
            raise ValueError("the buckets do not add up to the count")
        return made


def merged(histograms: Iterable[Histogram]) -> Histogram:
    """One histogram that counted all that the given ones did."""
    total = Histogram()
    for h in histograms:
        total.add(h)
    return total

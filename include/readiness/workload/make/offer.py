"""What a target offers to the samples of a workload: how many rows, and how skewed. No value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from readiness.workload.make.pools import Group, Pools

_TOP_SHARE = 10  # the busiest tenth


@dataclass(frozen=True, slots=True)
class Offer:
    """One family of rows. `parents` is how many rows it hangs on (0: on none); `busiest_tenth` the
    share of draws that its busiest tenth takes: 0.1 where all rows are drawn alike."""

    table: str
    rows: int
    parents: int
    weight_by: str
    busiest_tenth: float

    def to_json(self) -> dict[str, object]:
        """The form of `--json`."""
        return {
            "table": self.table,
            "rows": self.rows,
            "parents": self.parents,
            "weight_by": self.weight_by,
            "busiest_tenth_ratio": round(self.busiest_tenth, 3),
        }

    def line(self) -> str:
        """`products: 812 rows of 40 parents, drawn alike`."""
        of = f" of {self.parents:,} parents" if self.parents else ""
        told = f"{self.table}: {self.rows:,} rows{of}"
        if not self.weight_by:
            return f"{told}, drawn alike"
        return f"{told}, drawn by {self.weight_by}: the busiest tenth {self.busiest_tenth:.0%}"


def offers_of(pools: Pools) -> list[Offer]:
    """One for each family of samples, in the order they are drawn."""
    return [
        Offer(
            pool.family.table,
            sum(len(g.rows) for g in pool.groups.values()),
            len(pool.groups) if pool.family.where else 0,
            pool.family.weight_by,
            _busiest_tenth(list(pool.groups.values())),
        )
        for pool in pools.pools
    ]


def _busiest_tenth(groups: Sequence[Group]) -> float:
    """The share of the weights that the heaviest tenth of the rows carries, at least one row."""
    weights = sorted((b - a for g in groups for a, b in pairwise((0, *g.cumulative))), reverse=True)
    count = max(1, len(weights) // _TOP_SHARE)
    return sum(weights[:count]) / max(sum(weights), 1)

"""Reads once what the target holds: the existing rows that checkouts pick from, with the skew it
has, and what is free for new values.

Samples of one table, skew and condition share a pool; a condition (`the product of the sampled
merchant`) groups it by the parent's value. Parents without enough children are left out, so that
a pick never comes back empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from readiness.errors import WorkloadError
from readiness.model.transactions import Raw
from readiness.model.workload import Sample, Workload
from readiness.ports import Session
from readiness.workload.make.free import Free
from readiness.workload.make.rows import Family, Key, read_rows, server_offset_s
from readiness.workload.make.taken import read_taken

PoolRow = tuple[bytes, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Group(Raw):
    """Different rows with the running sum of their weights: row i is drawn as often as
    `cumulative[i] - cumulative[i - 1]` says."""

    rows: tuple[PoolRow, ...]
    cumulative: tuple[int, ...]

    @classmethod
    def of(cls, weights: Mapping[PoolRow, int]) -> Group:
        """From rows and their weights."""
        return cls(tuple(weights), tuple(accumulate(weights.values())))

    def weights(self) -> dict[PoolRow, int]:
        """The inverse of `of`."""
        steps = zip((0, *self.cumulative), self.cumulative, strict=False)
        return {row: b - a for row, (a, b) in zip(self.rows, steps, strict=True)}


@dataclass(frozen=True, slots=True, repr=False)
class Pool(Raw):
    """The rows of one family: `columns` names the fields, `groups` maps the values of the
    condition's variables to rows (one group, under (), without a condition)."""

    family: Family
    columns: tuple[str, ...]
    groups: Mapping[Key, Group]

    def positions(self, sample: Sample) -> tuple[int, ...]:
        """Where the sample's columns lie in a row."""
        return tuple(self.columns.index(c) for c in sample.columns)


@dataclass(frozen=True, slots=True)
class Pools:
    """What the target holds: all pools of a workload, how far the server's clock is ahead of UTC,
    which columns of fresh variables stand in unique keys (with the key's other columns), and what
    is free for fresh variables of few values, by `lanes.lane_key`."""

    pools: tuple[Pool, ...]
    offset_s: float = 0.0
    unique: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    free: Mapping[str, Free] = field(default_factory=dict)

    def of(self, sample: Sample) -> Pool:
        """The pool that a sample draws from; raises WorkloadError when it was not read."""
        family = family_of(sample)
        for pool in self.pools:
            if pool.family == family and set(sample.columns) <= set(pool.columns):
                return pool
        raise WorkloadError(
            f"the pools hold no rows of {sample.table} for this workload",
            hint="Read the pools again: the workload was changed after they were read.",
        )

    def to_json(self) -> dict[str, object]:
        """Plain lists, dictionaries and text; bytes as latin-1."""
        return {
            "offset_s": self.offset_s,
            "pools": [_pool_to_json(pool) for pool in self.pools],
            "unique": {column: list(beside) for column, beside in self.unique.items()},
            "free": {key: free.to_json() for key, free in self.free.items()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Pools:
        """The inverse of `to_json`; raises WorkloadError for anything else."""
        try:
            pools = tuple(_pool_from_json(p) for p in _list(data["pools"]))
            unique = {c: tuple(map(str, _list(b))) for c, b in _dict(data["unique"]).items()}
            free = {k: Free.from_json(_dict(f)) for k, f in _dict(data["free"]).items()}
            return cls(pools, float(str(data["offset_s"])), unique, free)
        except (KeyError, TypeError, ValueError) as error:
            raise WorkloadError(f"the pools cannot be read: {type(error).__name__}") from None


def family_of(sample: Sample) -> Family:
    """The family of a sample."""
    return Family(sample.table, sample.weight_by, sample.where)


def read_pools(workload: Workload, session: Session, *, limit: int = 5000, seed: int = 1) -> Pools:
    """Reads about `limit` rows for each family of samples.

    Raises WorkloadError naming the table that has no row to offer."""
    members: dict[Family, list[Sample]] = {}
    for sample in workload.samples:
        members.setdefault(family_of(sample), []).append(sample)
    sources = {
        name: (family_of(s), column)
        for s in workload.samples
        for name, column in zip(s.variables, s.columns, strict=True)
    }
    pools: dict[Family, Pool] = {}
    for family, samples in members.items():
        columns = tuple(dict.fromkeys(c for s in samples for c in s.columns))
        parents = [_values(pools, sources, name, family.table) for _, name in family.where]
        weights = read_rows(session, family, columns, parents, limit=limit, seed=seed)
        groups = {key: Group.of(rows) for key, rows in weights.items()}
        pools[family] = _with_enough(Pool(family, columns, groups), 1)
    needs = {f: 1 + max(s.distinct for s in samples) for f, samples in members.items()}
    for family in reversed(members):
        pools[family] = _with_enough(pools[family], needs[family])
        if len(family.where) == 1:
            source, column = sources[family.where[0][1]]
            pools[source] = _only(pools[source], column, {k[0] for k in pools[family].groups})
    found = read_taken(workload, session)
    unique = {column: key.beside for column, key in found.unique.items()}
    return Pools(tuple(pools.values()), server_offset_s(session), unique, found.free)


def _values(
    pools: Mapping[Family, Pool],
    sources: Mapping[str, tuple[Family, str]],
    name: str,
    table: str,
) -> set[bytes]:
    """The values that a sampled variable can take."""
    if name not in sources or sources[name][0] not in pools:
        raise WorkloadError(
            f"the sample of {table} depends on @{name}, which is not sampled before it",
            hint="Sample the row that gives it first.",
        )
    family, column = sources[name]
    at = pools[family].columns.index(column)
    return {row[at] for group in pools[family].groups.values() for row in group.rows}


def _with_enough(pool: Pool, need: int) -> Pool:
    """Without the groups that have fewer different rows than one checkout takes."""
    groups = {key: g for key, g in pool.groups.items() if len(g.rows) >= need}
    if not groups:
        rows = "a row" if need == 1 else f"{need} different rows"
        of = f" for one {pool.family.where[0][0]}" if pool.family.where else ""
        fewer = f", or capture smaller baskets: the largest takes {need}" if need > 1 else ""
        raise WorkloadError(
            f"table {pool.family.table} of the target has not {rows}{of} to sample",
            hint=f"Point --target at a clone with production's data, or change its @sample line{fewer}.",
        )
    return replace(pool, groups=groups)


def _only(pool: Pool, column: str, allowed: set[bytes]) -> Pool:
    """Without the rows whose `column` no child can be sampled for."""
    at = pool.columns.index(column)
    groups: dict[Key, Group] = {}
    for key, group in pool.groups.items():
        rows = {row: w for row, w in group.weights().items() if row[at] in allowed}
        if rows:
            groups[key] = Group.of(rows)
    return replace(pool, groups=groups)


def _pool_to_json(pool: Pool) -> dict[str, object]:
    return {
        "table": pool.family.table,
        "weight_by": pool.family.weight_by,
        "where": [list(pair) for pair in pool.family.where],
        "columns": list(pool.columns),
        "groups": [
            [_texts(key), [_texts(row) for row in group.rows], list(group.cumulative)]
            for key, group in pool.groups.items()
        ],
    }


def _pool_from_json(data: object) -> Pool:
    if not isinstance(data, dict):
        raise TypeError("a pool is a dictionary")
    where = tuple((str(c), str(v)) for c, v in data["where"])
    groups = {
        _bytes(key): Group(tuple(map(_bytes, rows)), tuple(map(int, cumulative)))
        for key, rows, cumulative in data["groups"]
    }
    family = Family(str(data["table"]), str(data["weight_by"]), where)
    return Pool(family, tuple(map(str, data["columns"])), groups)


def _list(value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise TypeError("pools is a list")
    return value


def _dict(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise TypeError("a dictionary is missing")
    return value


def _texts(row: Iterable[bytes]) -> list[str]:
    return [field.decode("latin-1") for field in row]


def _bytes(row: Iterable[str]) -> PoolRow:
    return tuple(field.encode("latin-1") for field in row)

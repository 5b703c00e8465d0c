"""The metric catalogue: what may be named in an expectation, with unit, direction and aggregation.

A metric that is not here is called `native.<source>.<name>`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Origin(StrEnum):
    """Who measures a metric."""

    ENGINE = "engine"  # the load engine
    SERVER = "server"  # the database over SQL
    HOST = "host"  # the host of a local server, or AWS


class Better(StrEnum):
    """Which way is good."""

    LOW = "low"
    HIGH = "high"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class Metric:
    """One row of the catalogue. `statistics` are the allowed aggregations over a stage's seconds;
    a metric from a histogram allows only `value`: it is already the statistic of the whole stage."""

    name: str
    unit: str
    origin: Origin
    better: Better
    statistics: tuple[str, ...]
    engines: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, slots=True)
class Sample:
    """One measured value of one metric. `ts` is the wall clock in seconds; `source` names the
    adapter ("performance_schema", "engine", "host")."""

    ts: float
    stage: str
    metric: str
    value: float
    unit: str
    source: str


_OVER_TIME = ("mean", "min", "max", "p50", "p95")
_WHOLE = ("value",)
_BOTH = ("mariadb", "mysql", "aurora")
_LOW, _HIGH, _ANY = Better.LOW, Better.HIGH, Better.NEITHER

_LATENCIES = {
    "checkout_response": "last reply - intended arrival of a checkout",
    "checkout_service": "last reply - first statement handed to the kernel",
    "connect": "opening and authenticating one connection",
    "commit": "COMMIT sent to OK received, at the client",
    "statement": "one statement sent to its reply, at the client",
    "gate_wait": "time outside the admission gate, of the checkouts that were let in",
}

_Row = tuple[str, str, Better, tuple[str, ...], str]

_ENGINE: tuple[_Row, ...] = (
    ("offered_rate_per_s", "/s", _ANY, _OVER_TIME, "checkouts due per second"),
    ("achieved_rate_per_s", "/s", _HIGH, _OVER_TIME, "checkouts finished per second"),
    ("goodput_per_s", "/s", _HIGH, _OVER_TIME, "checkouts finished without error per second"),
    ("achieved_ratio", "ratio", _HIGH, _WHOLE, "checkouts finished / due, over the stage"),
    ("error_ratio", "ratio", _LOW, _WHOLE, "checkouts failed / finished, over the stage"),
    ("dropped_per_s", "/s", _LOW, _OVER_TIME, "due but never started: the in-flight limit"),
    ("in_flight", "checkouts", _LOW, _OVER_TIME, "due and not over"),
    ("retries_per_s", "/s", _LOW, _OVER_TIME, "transactions tried again: deadlock, lock timeout"),
    ("expired_per_s", "/s", _LOW, _OVER_TIME, "left the line outside the admission gate"),
    ("schedule_lag_p50_ms", "ms", _LOW, _WHOLE, "how late the engine came to an arrival, median"),
    ("schedule_lag_p99_ms", "ms", _LOW, _WHOLE, "how late the engine came to an arrival, p99"),
    ("generator_cpu_ratio", "ratio", _LOW, _OVER_TIME, "CPU of the busiest worker, of one core"),
    ("run_queue_delay_ratio", "ratio", _LOW, _OVER_TIME, "share of time it waited for a core"),
    ("timer_floor_p99_ms", "ms", _LOW, _WHOLE, "lag of a timer that does nothing else"),
    ("recovery_s", "s", _LOW, _WHOLE, "until the response p99 is back after a higher rate"),
)

_SERVER: tuple[_Row, ...] = (
    ("commit_server_mean_ms", "ms", _LOW, _OVER_TIME, "the server's own timer of COMMIT: mean"),
    ("commit_server_p50_ms", "ms", _LOW, _WHOLE, "the server's own histogram of COMMIT: p50"),
    ("commit_server_p99_ms", "ms", _LOW, _WHOLE, "the server's own histogram of COMMIT: p99"),
    ("commits_per_s", "/s", _ANY, _OVER_TIME, "read-write transactions committed"),
    ("statements_per_s", "/s", _ANY, _OVER_TIME, "statements from clients"),
    ("aas", "sessions", _LOW, _OVER_TIME, "average active sessions: DB time / wall time"),
    ("aas_cpu", "sessions", _LOW, _OVER_TIME, "active sessions not in a known wait"),
    ("aas_commit", "sessions", _LOW, _OVER_TIME, "active sessions in COMMIT"),
    ("aas_lock", "sessions", _LOW, _OVER_TIME, "active sessions waiting for a row lock"),
    ("aas_io", "sessions", _LOW, _OVER_TIME, "active sessions reading data files"),
    ("threads_running", "threads", _LOW, _OVER_TIME, "threads running, the sampler left out"),
    ("connections", "connections", _LOW, _OVER_TIME, "connections open, the sampler left out"),
    ("read_iops", "/s", _LOW, _OVER_TIME, "reads of data files per second"),
    ("write_iops", "/s", _LOW, _OVER_TIME, "writes of data, redo and binlog per second"),
    ("fsyncs_per_s", "/s", _LOW, _OVER_TIME, "flushes to storage per second"),
    ("read_bytes_per_s", "bytes/s", _LOW, _OVER_TIME, "bytes read from data files"),
    ("write_bytes_per_s", "bytes/s", _LOW, _OVER_TIME, "bytes written to data files and redo"),
    ("redo_bytes_per_s", "bytes/s", _LOW, _OVER_TIME, "bytes written to the redo log"),
    ("buffer_pool_hit_ratio", "ratio", _HIGH, _OVER_TIME, "1 - disk reads / read requests"),
    ("physical_reads_per_statement", "reads", _LOW, _OVER_TIME, "disk reads / statements"),
    ("working_set_ratio", "ratio", _LOW, _OVER_TIME, "data and index bytes / buffer pool"),
    ("row_lock_waits_per_s", "/s", _LOW, _OVER_TIME, "row lock waits begun per second"),
    ("row_lock_time_ms_per_s", "ms/s", _LOW, _OVER_TIME, "row lock time, counted when waits end"),
    ("row_lock_current_waits", "waits", _LOW, _OVER_TIME, "row lock waits now"),
    ("deadlocks_per_s", "/s", _LOW, _OVER_TIME, "deadlocks per second"),
    ("tmp_disk_tables_per_s", "/s", _LOW, _OVER_TIME, "temporary tables on disk per second"),
    ("history_list_length", "undo logs", _LOW, _OVER_TIME, "undo not purged yet"),
    ("checkpoint_age_ratio", "ratio", _LOW, _OVER_TIME, "redo not checkpointed / redo capacity"),
    ("replica_lag_ms", "ms", _LOW, _OVER_TIME, "how far a replica is behind"),
)

_HOST: tuple[_Row, ...] = (
    ("host_cpu_ratio", "ratio", _LOW, _OVER_TIME, "CPU in use, of all cores"),
    ("host_iowait_ratio", "ratio", _LOW, _OVER_TIME, "time cores waited for storage"),
    ("burst_balance_ratio", "ratio", _HIGH, _OVER_TIME, "burst credits left"),
    ("burst_time_to_empty_s", "s", _HIGH, _OVER_TIME, "until credits end at the measured IOPS"),
    ("freeable_memory_bytes", "bytes", _HIGH, _OVER_TIME, "memory available on the host"),
    ("vcpu", "cores", _ANY, _OVER_TIME, "cores of the server's host"),
    ("max_iops", "/s", _ANY, _OVER_TIME, "IOPS limit of storage or instance"),
)

_MYSQL_ONLY = {"commit_server_p50_ms", "commit_server_p99_ms"}  # MariaDB has no histograms


def _latencies() -> list[_Row]:
    return [
        (f"{stem}_{statistic}_ms", "ms", _LOW, _WHOLE, f"{meaning}: {statistic}")
        for stem, meaning in _LATENCIES.items()
        for statistic in ("mean", "p50", "p95", "p99", "max")
    ]


def _metric(origin: Origin, row: _Row) -> Metric:
    name, unit, better, statistics, meaning = row
    engines = ("mysql",) if name in _MYSQL_ONLY else _BOTH
    return Metric(name, unit, origin, better, statistics, engines, meaning)


CATALOGUE: dict[str, Metric] = {
    row[0]: _metric(origin, row)
    for origin, rows in (
        (Origin.ENGINE, (*_ENGINE, *_latencies())),
        (Origin.SERVER, _SERVER),
        (Origin.HOST, _HOST),
    )
    for row in rows
}


PRODUCTION = "production"
"""The source of what production says of itself while its clone is loaded."""

ON_PRODUCTION = (
    "threads_running",
    "connections",
    "commit_server_mean_ms",
    "statements_per_s",
    "aas",
    "aas_commit",
    "aas_lock",
    "read_iops",
    "read_bytes_per_s",
    "buffer_pool_hit_ratio",
    "physical_reads_per_statement",
    "row_lock_waits_per_s",
    "row_lock_time_ms_per_s",
    "row_lock_current_waits",
)
"""What a watch on production may be asked for: all of it is cheap to read."""


def of_production(metric: str) -> str:
    """What a catalogue metric is called when production itself was asked: never mixed with the
    target's own."""
    return f"native.{PRODUCTION}.{metric}"


def of_flow(metric: str, flow: str) -> str:
    """What a metric of a flow beside the first is called among a stage's figures; "" is the first."""
    return f"{flow}/{metric}" if flow else metric


def unit_of(name: str) -> str:
    """The unit of a catalogue metric, also of production's own, or "" for a native one."""
    metric = CATALOGUE.get(name.removeprefix(of_production("")))
    return metric.unit if metric else ""

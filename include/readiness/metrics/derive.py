"""Two readings of a source, a moment apart → catalogue metrics of that moment.

A formula whose counters the source does not give is left out; so is a ratio of nothing (no COMMIT
ended: no mean of COMMIT). Where MariaDB and MySQL count differently the formula says so. A counter
that fell, or an uptime that fell, means restart, FLUSH STATUS or TRUNCATE: the step is void.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

COMMIT = "statement/sql/commit"
DATA_FILE = "wait/io/file/innodb/innodb_data_file"
BINLOG_FILE = "wait/io/file/sql/binlog"
_PS_PER_S = 1e12
_PS_PER_MS = 1e9


class CounterReset(Exception):
    """A counter fell between two readings."""


@dataclass(frozen=True, slots=True)
class Step:
    """Two readings and the seconds between them. Asking for an absent counter raises KeyError."""

    before: Mapping[str, float]
    after: Mapping[str, float]

    @property
    def seconds(self) -> float:
        """Time between the readings."""
        return self.after["monotonic_s"] - self.before["monotonic_s"]

    @property
    def is_mariadb(self) -> bool:
        """Whether the server counts as MariaDB does."""
        return bool(self.now("is_mariadb"))

    def now(self, key: str) -> float:
        """A gauge."""
        return self.after[key]

    def delta(self, key: str) -> float:
        """What a counter grew by; raises CounterReset when it fell."""
        grown = self.after[key] - self.before[key]
        if grown < 0:
            raise CounterReset(key)
        return grown

    def rate(self, key: str) -> float:
        """What a counter grew by per second."""
        return self.delta(key) / self.seconds

    def has(self, key: str) -> bool:
        """Whether both readings hold the key."""
        return key in self.after and key in self.before


Formula = Callable[[Step], float | None]


def derive(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    """Metrics by name; {} when the step is void. Both readings hold `monotonic_s` in seconds."""
    step = Step(before, after)
    made: dict[str, float] = {}
    if step.seconds <= 0:
        return {}
    try:
        if step.has("Uptime"):
            step.delta("Uptime")
        for name, formula in FORMULAS.items():
            value = _value(formula, step)
            if value is not None:
                made[name] = value
    except CounterReset:
        return {}
    return made


def _value(formula: Formula, step: Step) -> float | None:
    try:
        return formula(step)
    except KeyError:
        return None


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None


def _rate(key: str) -> Formula:
    return lambda step: step.rate(key)


def _gauge(key: str) -> Formula:
    return lambda step: step.now(key)


def _commit_mean_ms(step: Step) -> float | None:
    spent = step.delta(f"{COMMIT}.timer_ps")
    return _ratio(spent / _PS_PER_MS, step.delta(f"{COMMIT}.count"))


def _aas(step: Step) -> float:
    """DB time / wall time: statement timers, or `Busy_time` of userstat where P_S is off."""
    if step.has("statements.timer_ps"):
        return step.rate("statements.timer_ps") / _PS_PER_S
    return step.rate("Busy_time")


def _aas_commit(step: Step) -> float:
    return step.rate(f"{COMMIT}.timer_ps") / _PS_PER_S


def _aas_lock(step: Step) -> float:
    """Row lock time is counted when a wait ends, so a second may show more than it held."""
    return step.rate("Innodb_row_lock_time") / 1000


def _aas_io(step: Step) -> float:
    return step.rate(f"{DATA_FILE}.foreground_ps") / _PS_PER_S


def _aas_cpu(step: Step) -> float:
    waiting = _aas_commit(step) + _aas_lock(step) + _aas_io(step)
    return max(0.0, _aas(step) - waiting)


def _write_iops(step: Step) -> float:
    """`Innodb_data_writes` holds the redo writes on MySQL, not on MariaDB; the binlog is apart."""
    writes = step.rate("Innodb_data_writes")
    if step.is_mariadb:
        writes += step.rate("Innodb_log_writes")
    if step.has(f"{BINLOG_FILE}.writes"):
        writes += step.rate(f"{BINLOG_FILE}.writes")
    return writes


def _fsyncs(step: Step) -> float:
    """`Innodb_data_fsyncs` holds the redo's on both. MariaDB counts a group of commits whether it
    is flushed or not, so its binlog counts only while sync_binlog is 1."""
    flushes = step.rate("Innodb_data_fsyncs")
    if step.is_mariadb:
        return flushes + (step.rate("Binlog_group_commits") if step.now("sync_binlog") == 1 else 0)
    if step.has(f"{BINLOG_FILE}.flushes"):
        flushes += step.rate(f"{BINLOG_FILE}.flushes")
    return flushes


def _write_bytes(step: Step) -> float:
    """`Innodb_data_written` holds the redo on MySQL, not on MariaDB."""
    written = step.rate("Innodb_data_written")
    return written + (step.rate("Innodb_os_log_written") if step.is_mariadb else 0)


def _hit_ratio(step: Step) -> float | None:
    misses = step.delta("Innodb_buffer_pool_reads")
    missed = _ratio(misses, step.delta("Innodb_buffer_pool_read_requests"))
    return None if missed is None else max(0.0, 1 - missed)


def _physical_reads(step: Step) -> float | None:
    return _ratio(step.delta("Innodb_data_reads"), step.delta("Questions"))


def _working_set(step: Step) -> float | None:
    pool = step.now("Innodb_buffer_pool_pages_total") * step.now("Innodb_page_size")
    return _ratio(step.now("data_and_index_bytes"), pool)


def _checkpoint_age(step: Step) -> float | None:
    if step.is_mariadb:
        return _ratio(step.now("Innodb_checkpoint_age"), step.now("Innodb_checkpoint_max_age"))
    age = step.now("Innodb_redo_log_current_lsn") - step.now("Innodb_redo_log_checkpoint_lsn")
    return _ratio(age, step.now("innodb_redo_log_capacity"))


def _share_of_host(key: str) -> Formula:
    return lambda step: _ratio(step.delta(key), step.delta("host.total_cpu_s"))


def _foreign_cpu(step: Step) -> float | None:
    """User and system time that none of our processes used. Interrupts are nobody's: left out."""
    foreign = step.delta("host.process_cpu_s") - step.delta("ours.cpu_s")
    return _ratio(max(0.0, foreign), step.delta("host.total_cpu_s"))


FORMULAS: dict[str, Formula] = {
    "commit_server_mean_ms": _commit_mean_ms,
    "commits_per_s": _rate("trx_rw_commits"),
    "statements_per_s": _rate("Questions"),
    "aas": _aas,
    "aas_cpu": _aas_cpu,
    "aas_commit": _aas_commit,
    "aas_lock": _aas_lock,
    "aas_io": _aas_io,
    "threads_running": _gauge("threads_running"),
    "connections": _gauge("connections"),
    "read_iops": _rate("Innodb_data_reads"),
    "write_iops": _write_iops,
    "fsyncs_per_s": _fsyncs,
    "read_bytes_per_s": _rate("Innodb_data_read"),
    "write_bytes_per_s": _write_bytes,
    "redo_bytes_per_s": _rate("Innodb_os_log_written"),
    "buffer_pool_hit_ratio": _hit_ratio,
    "physical_reads_per_statement": _physical_reads,
    "working_set_ratio": _working_set,
    "row_lock_waits_per_s": _rate("Innodb_row_lock_waits"),
    "row_lock_time_ms_per_s": _rate("Innodb_row_lock_time"),
    "row_lock_current_waits": _gauge("Innodb_row_lock_current_waits"),
    "deadlocks_per_s": _rate("lock_deadlocks"),
    "tmp_disk_tables_per_s": _rate("Created_tmp_disk_tables"),
    "history_list_length": _gauge("trx_rseg_history_len"),
    "checkpoint_age_ratio": _checkpoint_age,
    "host_cpu_ratio": _share_of_host("host.busy_cpu_s"),
    "host_iowait_ratio": _share_of_host("host.iowait_s"),
    "freeable_memory_bytes": _gauge("host.available_bytes"),
    "vcpu": _gauge("host.cores"),
    "native.host.steal_ratio": _share_of_host("host.steal_s"),
    "native.host.foreign_cpu_ratio": _foreign_cpu,
}

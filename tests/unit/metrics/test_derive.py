"""Two readings make metrics as each engine counts them; a reset makes none."""

from __future__ import annotations

import pytest

from readiness.metrics.derive import FORMULAS, derive
from readiness.model.metrics import CATALOGUE

BEFORE = {"monotonic_s": 100.0, "is_mariadb": 1.0, "Uptime": 500.0, "sync_binlog": 0.0}


def step(seconds: float = 2.0, *, mariadb: bool = True, **counters: float) -> dict[str, float]:
    """Metrics when each counter grows by its value over `seconds`; `__` stands for a dot."""
    names = {name.replace("__", "."): grown for name, grown in counters.items()}
    before = {**BEFORE, "is_mariadb": float(mariadb), **dict.fromkeys(names, 1000.0)}
    after = {n: v + names.get(n, 0.0) for n, v in before.items()}
    return derive(before, {**after, "monotonic_s": 100.0 + seconds, "Uptime": 502.0})


def test_a_counter_becomes_a_rate_per_second() -> None:
    assert step(Innodb_data_reads=30)["read_iops"] == 15


def test_redo_writes_are_added_where_the_server_leaves_them_out() -> None:
    counters = {"Innodb_data_writes": 20.0, "Innodb_log_writes": 100.0}
    assert step(**counters)["write_iops"] == 60
    assert step(mariadb=False, **counters)["write_iops"] == 10


def test_binlog_writes_count_as_writes_where_they_are_seen() -> None:
    grown = {"Innodb_data_writes": 20.0, "wait/io/file/sql/binlog.writes": 40.0}
    assert step(mariadb=False, **grown)["write_iops"] == 30


def test_a_mariadb_binlog_group_is_a_flush_only_while_it_is_synced() -> None:
    counters = {"Innodb_data_fsyncs": 10.0, "Binlog_group_commits": 6.0}
    assert step(**counters)["fsyncs_per_s"] == 5
    before = {**BEFORE, "sync_binlog": 1.0, "Innodb_data_fsyncs": 0.0, "Binlog_group_commits": 0.0}
    after = {**before, **counters, "monotonic_s": 102.0}
    assert derive(before, after)["fsyncs_per_s"] == 8


def test_active_sessions_are_database_time_over_wall_time() -> None:
    grown = {"statements.timer_ps": 6e12}
    assert step(**grown)["aas"] == 3


def test_without_timers_active_sessions_come_from_busy_time() -> None:
    assert step(Busy_time=5.0)["aas"] == 2.5


def test_active_sessions_on_cpu_are_those_in_no_known_wait() -> None:
    grown = {
        "statements.timer_ps": 8e12,
        "statement/sql/commit.timer_ps": 2e12,
        "statement/sql/commit.count": 4.0,
        "Innodb_row_lock_time": 1000.0,
        "wait/io/file/innodb/innodb_data_file.foreground_ps": 1e12,
    }
    made = step(**grown)
    assert made["aas"] == 4
    assert made["aas_commit"] == 1
    assert made["aas_lock"] == 0.5
    assert made["aas_io"] == 0.5
    assert made["aas_cpu"] == 2
    assert made["commit_server_mean_ms"] == 500


def test_the_hit_ratio_is_of_deltas() -> None:
    made = step(Innodb_buffer_pool_reads=5, Innodb_buffer_pool_read_requests=100)
    assert made["buffer_pool_hit_ratio"] == 0.95


def test_a_ratio_of_nothing_is_absent() -> None:
    made = step(Innodb_buffer_pool_reads=0, Innodb_buffer_pool_read_requests=0, Questions=0)
    assert "buffer_pool_hit_ratio" not in made
    assert made["statements_per_s"] == 0


def test_physical_reads_are_told_per_statement() -> None:
    assert step(Innodb_data_reads=30, Questions=60)["physical_reads_per_statement"] == 0.5


@pytest.mark.parametrize("mariadb", [True, False])
def test_the_checkpoint_age_is_a_share_of_the_redo_capacity(mariadb: bool) -> None:
    gauges = {
        "Innodb_checkpoint_age": 25.0, "Innodb_checkpoint_max_age": 100.0,
        "Innodb_redo_log_current_lsn": 1025.0, "Innodb_redo_log_checkpoint_lsn": 1000.0,
        "innodb_redo_log_capacity": 100.0, "is_mariadb": float(mariadb),
    }  # fmt: skip
    before = {**BEFORE, **gauges}
    assert derive(before, {**before, "monotonic_s": 101.0})["checkpoint_age_ratio"] == 0.25


def test_the_working_set_is_a_share_of_the_buffer_pool() -> None:
    gauges = {
        "data_and_index_bytes": 32768.0, "Innodb_buffer_pool_pages_total": 4.0,
        "Innodb_page_size": 16384.0,
    }  # fmt: skip
    before = {**BEFORE, **gauges}
    assert derive(before, {**before, "monotonic_s": 101.0})["working_set_ratio"] == 0.5


def test_foreign_cpu_is_what_none_of_ours_used_of_all_cores() -> None:
    grown = {"host.total_cpu_s": 4.0, "host.process_cpu_s": 3.0, "ours.cpu_s": 1.0}
    assert step(**grown)["native.host.foreign_cpu_ratio"] == 0.5


def test_foreign_cpu_is_never_negative() -> None:
    grown = {"host.total_cpu_s": 4.0, "host.process_cpu_s": 0.5, "ours.cpu_s": 0.6}
    assert step(**grown)["native.host.foreign_cpu_ratio"] == 0


@pytest.mark.parametrize("fell", ["Questions", "Innodb_data_reads"])
def test_a_counter_that_fell_makes_the_step_void(fell: str) -> None:
    assert step(**{"Questions": 5.0, "Innodb_data_reads": 5.0, fell: -1.0}) == {}


def test_a_restart_makes_the_step_void() -> None:
    before = {**BEFORE, "Questions": 10.0}
    assert derive(before, {**before, "monotonic_s": 101.0, "Uptime": 3.0, "Questions": 99.0}) == {}


def test_two_readings_at_one_moment_say_nothing() -> None:
    before = {**BEFORE, "Questions": 10.0}
    assert derive(before, dict(before)) == {}


def test_every_derived_name_is_in_the_catalogue_or_native() -> None:
    assert [n for n in FORMULAS if n not in CATALOGUE and not n.startswith("native.")] == []

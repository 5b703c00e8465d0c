"""A retry of a restore goes on where the try before stopped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readiness.clones import lifecycle
from readiness.clones.lifecycle import Step, next_step
from readiness.errors import CloneError
from readiness.model.clone import Clone, Endpoint, Snapshot

RECORD = Clone("c", "r", "gold", Endpoint("127.0.0.1", 3306), 7, "/c", 1.0, 2.0, "shop")
SNAPSHOT = Snapshot("gold", "/s", "mariadb", "10.11.6", 300, 1.0)


@pytest.mark.parametrize(
    ("record", "is_copied", "is_running", "is_marked", "step"),
    [
        (None, False, False, False, Step.COPY),
        (None, True, True, True, Step.COPY),
        (RECORD, False, False, False, Step.COPY),
        (RECORD, True, False, True, Step.START),
        (RECORD, True, False, False, Step.COPY),
        (RECORD, True, True, False, Step.ADOPT),
        (RECORD, True, True, True, Step.ADOPT),
    ],
)
def test_the_next_step_follows_from_what_is_there(
    record: Clone | None, is_copied: bool, is_running: bool, is_marked: bool, step: Step
) -> None:
    there = {"is_copied": is_copied, "is_running": is_running, "is_marked": is_marked}
    assert next_step(record, SNAPSHOT, **there) is step


@pytest.mark.parametrize("change", [{"name": "silver"}, {"created_at": 1.5}])
def test_a_clone_of_another_snapshot_or_of_an_older_one_is_void(change: dict[str, Any]) -> None:
    other = replace(SNAPSHOT, **change)
    assert next_step(RECORD, other, is_copied=True, is_running=True, is_marked=True) is Step.COPY


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    lifecycle.write_record(tmp_path, RECORD)
    assert lifecycle.read_record(tmp_path) == RECORD


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema_version": 2}', '{"schema_version": 1}'])
def test_a_torn_record_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / lifecycle.RECORD_FILE).write_text(text)
    assert lifecycle.read_record(tmp_path) is None


@pytest.mark.parametrize("version", ["10.11.6", "10.11.19"])
def test_a_server_of_the_same_series_may_open_a_snapshot(version: str) -> None:
    lifecycle.require_fit(SNAPSHOT, engine="mariadb", version=version)


@pytest.mark.parametrize(
    ("engine", "version"),
    [("mysql", "10.11.6"), ("mariadb", "10.11.5"), ("mariadb", "11.8.2"), ("mariadb", "10.6.20")],
)
def test_another_engine_series_or_older_release_is_refused(engine: str, version: str) -> None:
    with pytest.raises(CloneError, match=r"mariadb 10\.11\.6") as refused:
        lifecycle.require_fit(SNAPSHOT, engine=engine, version=version)
    assert "READINESS_MYSQLD" in refused.value.hint


def test_a_copy_carries_neither_identity_nor_replication_nor_logs_of_its_source(
    tmp_path: Path,
) -> None:
    gone = {
        *("auto.cnf", "mysqld-auto.cnf", "master.info", "relay-log-a.info", "box.pid"),
        *("binlog.index", "binlog.000001", "binlog.000002", "box-slow.log", "box.err"),
    }
    kept = {"ibdata1", "aria_log.00000001", "aria_log_control", "ib_logfile0", "tc.log", "undo_001"}
    for name in gone | kept | {"ddl_recovery.log"}:
        (tmp_path / name).touch()
    (tmp_path / "binlog.index").write_bytes(b"./binlog.000001\n/var/lib/mysql/binlog.000002\n")
    assert {path.name for path in lifecycle.not_carried(tmp_path)} == gone


def test_an_intent_appears_with_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "clones" / "c"
    lifecycle.begin(folder, RECORD)
    assert lifecycle.read_record(folder) == RECORD
    assert [path.name for path in folder.parent.iterdir()] == ["c"]


def test_a_record_of_a_clone_that_is_gone_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(CloneError, match="destroyed meanwhile"):
        lifecycle.write_record(tmp_path / "gone", RECORD)

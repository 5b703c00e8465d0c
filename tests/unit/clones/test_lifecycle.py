"""A retry of a restore goes on where the try before stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

from readiness.clones import lifecycle
from readiness.clones.lifecycle import Step, next_step
from readiness.errors import CloneError
from readiness.model.clone import Clone, Endpoint, Snapshot

RECORD = Clone("c", "r", "gold", Endpoint("127.0.0.1", 3306), 7, "/c", 1.0, 2.0, "shop")
SNAPSHOT = Snapshot("gold", "/s", "mariadb", "10.11.6", 300, 1.0)


@pytest.mark.parametrize(
    ("record", "snapshot", "is_copied", "is_running", "step"),
    [
        (None, "gold", False, False, Step.COPY),
        (None, "gold", True, True, Step.COPY),
        (RECORD, "gold", False, False, Step.COPY),
        (RECORD, "silver", True, True, Step.COPY),
        (RECORD, "gold", True, False, Step.START),
        (RECORD, "gold", True, True, Step.ADOPT),
    ],
)
def test_the_next_step_follows_from_what_is_there(
    record: Clone | None, snapshot: str, is_copied: bool, is_running: bool, step: Step
) -> None:
    assert next_step(record, snapshot=snapshot, is_copied=is_copied, is_running=is_running) is step


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


def test_a_copy_does_not_carry_the_identity_or_the_replication_of_its_source(
    tmp_path: Path,
) -> None:
    for name in ("auto.cnf", "master.info", "relay-log-a.info", "box.pid", "ibdata1", "aria_log"):
        (tmp_path / name).touch()
    names = {path.name for path in lifecycle.not_carried(tmp_path)}
    assert names == {"auto.cnf", "master.info", "relay-log-a.info", "box.pid"}

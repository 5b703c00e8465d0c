"""Switching a server's log on and off leaves its settings as they were, whatever happens between."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes.server_logs import AS_INSTALLED as FORMER
from tests.fakes.server_logs import FakeServerLog, row

from readiness.capture.general_table import GeneralTable
from readiness.errors import ArtifactError, CaptureError, ConfigError
from readiness.flow import server_log
from readiness.flow.server_log import LogMemory
from readiness.model.server_log import FILE, TABLE, LogRecord, LogSettings


@pytest.fixture
def mysql(tmp_path: Path) -> FakeServerLog:
    return FakeServerLog(tmp_path)


@pytest.fixture
def mariadb(tmp_path: Path) -> FakeServerLog:
    return FakeServerLog(tmp_path, engine="mariadb")


@pytest.fixture
def memory(tmp_path: Path) -> LogMemory:
    return LogMemory(tmp_path / "state", "mysql://admin@db:3306/")


def switch_on(log: FakeServerLog, memory: LogMemory, output: str = "auto") -> LogRecord:
    return server_log.switch_on(log, server_log.plan_on(log, memory, output=output), memory)


def test_a_plan_changes_nothing(mysql: FakeServerLog, memory: LogMemory) -> None:
    plan = server_log.plan_on(mysql, memory)
    assert (plan.former, plan.wanted.is_on, plan.wanted.output) == (FORMER, True, TABLE)
    assert mysql.applied == []
    assert memory.read() is None


def test_mysql_logs_to_its_table_and_keeps_its_file_name(
    mysql: FakeServerLog, memory: LogMemory
) -> None:
    record = switch_on(mysql, memory)
    assert mysql.settings() == record.made == LogSettings(True, TABLE, FORMER.file)


def test_mariadb_logs_to_a_new_file_of_its_own(
    mariadb: FakeServerLog, memory: LogMemory, tmp_path: Path
) -> None:
    record = switch_on(mariadb, memory)
    assert mariadb.settings() == record.made
    assert record.made.output == FILE
    assert Path(record.made.file).parent == tmp_path
    assert Path(record.made.file).name.startswith("readiness-general-")


def test_mariadb_behind_a_tunnel_logs_to_its_table(
    mariadb: FakeServerLog, memory: LogMemory
) -> None:
    mariadb.writes_files = False
    record = switch_on(mariadb, memory)
    assert mariadb.settings() == record.made == LogSettings(True, TABLE, FORMER.file)
    assert record.former == FORMER


def test_mariadb_on_another_machine_logs_to_its_table_and_says_why(
    mariadb: FakeServerLog, memory: LogMemory
) -> None:
    mariadb.is_near = False
    plan = server_log.plan_on(mariadb, memory)
    assert plan.wanted.output == TABLE
    assert "emoji" in plan.why


@pytest.mark.parametrize("output", ["file", "table"])
def test_an_output_that_was_asked_for_is_taken(
    output: str, mariadb: FakeServerLog, memory: LogMemory
) -> None:
    mariadb.writes_files = False
    assert switch_on(mariadb, memory, output).made.output == output.upper()


@pytest.mark.parametrize(
    "former",
    [
        FORMER,
        LogSettings(True, "FILE", "/elsewhere.log"),
        LogSettings(True, "TABLE,FILE", "/elsewhere.log"),
        LogSettings(False, "NONE", "x"),
    ],
)
@pytest.mark.parametrize("engine", ["mysql", "mariadb"])
def test_off_restores_exactly_what_was(
    engine: str, former: LogSettings, memory: LogMemory, tmp_path: Path
) -> None:
    log = FakeServerLog(tmp_path, engine=engine, set=former)
    switch_on(log, memory)
    record, said = server_log.switch_off(log, memory)
    assert log.settings() == former
    assert said == []
    assert not record.is_on
    assert memory.read() == record


def test_off_in_another_process_after_a_crash_restores_too(
    mysql: FakeServerLog, memory: LogMemory, tmp_path: Path
) -> None:
    switch_on(mysql, memory)
    later = LogMemory(tmp_path / "state", memory.server)
    server_log.switch_off(mysql, later)
    assert mysql.settings() == FORMER


def test_the_former_settings_are_on_disk_before_anything_is_set(
    mysql: FakeServerLog, memory: LogMemory
) -> None:
    class Crash(FakeServerLog):
        def apply(self, settings: LogSettings) -> None:
            raise KeyboardInterrupt

    log = Crash(mysql.folder)
    with pytest.raises(KeyboardInterrupt):
        switch_on(log, memory)
    record = memory.read()
    assert record is not None
    assert record.former == FORMER
    assert record.is_on


@pytest.mark.parametrize("refuses", ["log_output", "general_log"])
def test_a_refusal_leaves_settings_and_memory_as_they_were(
    refuses: str, mysql: FakeServerLog, memory: LogMemory
) -> None:
    mysql.refuses = refuses
    with pytest.raises(CaptureError, match=f"may not set {refuses}"):
        switch_on(mysql, memory)
    assert mysql.settings() == FORMER
    assert memory.read() is None


def test_on_twice_is_refused(mysql: FakeServerLog, memory: LogMemory) -> None:
    switch_on(mysql, memory)
    with pytest.raises(ConfigError, match="already"):
        server_log.plan_on(mysql, memory)


def test_on_again_after_off_is_on(mysql: FakeServerLog, memory: LogMemory) -> None:
    switch_on(mysql, memory)
    server_log.switch_off(mysql, memory)
    assert switch_on(mysql, memory).former == FORMER


def test_a_restart_ends_the_log_so_on_is_possible_again(
    mysql: FakeServerLog, memory: LogMemory
) -> None:
    switch_on(mysql, memory)
    mysql.set, mysql.started_s = FORMER, 5000.0
    assert switch_on(mysql, memory).former == FORMER


def test_off_without_on_is_refused_with_the_statement_to_type(
    mysql: FakeServerLog, memory: LogMemory
) -> None:
    with pytest.raises(ConfigError, match="does not know what was set") as refused:
        server_log.switch_off(mysql, memory)
    assert "SET GLOBAL general_log=0" in refused.value.hint


def test_off_never_touches_another_server(mysql: FakeServerLog, memory: LogMemory) -> None:
    switch_on(mysql, memory)
    other = FakeServerLog(mysql.folder, identity="two", set=LogSettings(True, TABLE, "y"))
    with pytest.raises(ConfigError, match="Another server answers"):
        server_log.switch_off(other, memory)
    assert other.applied == []


def test_a_change_by_somebody_else_is_said(mysql: FakeServerLog, memory: LogMemory) -> None:
    switch_on(mysql, memory)
    mysql.set = replace(mysql.set, output="NONE")
    _, said = server_log.switch_off(mysql, memory)
    assert said == [
        "somebody changed the settings since --on: found general_log=ON, log_output=NONE"
    ]
    assert mysql.settings() == FORMER


def test_what_is_fetched_begins_with_on_ends_with_off_and_lacks_our_sessions(
    mysql: FakeServerLog, memory: LogMemory, tmp_path: Path
) -> None:
    mysql.second = 10
    switch_on(mysql, memory)  # at 12
    mysql.second, mysql.connection_id = 20, 101
    server_log.switch_off(mysql, memory)  # at 21
    mysql.connection_id = 102
    mysql.table = [row(11, 7), row(12, 7), row(15, 100), row(16, 101), row(17, 102), row(22, 7)]
    mysql.table.append(row(21, 8, b"a\tb\n\\ \xff\x00"))
    fetched, said = server_log.fetch(mysql, memory, tmp_path / "out.tsv")
    events = list(GeneralTable(fetched.path))
    assert [(e.thread_id, e.argument) for e in events] == [
        (7, b"SELECT 1"),
        (8, b"a\tb\n\\ \xff\x00"),
    ]
    assert (fetched.rows, said) == (2, [])
    assert fetched.path.stat().st_mode & 0o777 == 0o600


def test_sessions_that_looked_while_it_was_on_are_ours(
    mysql: FakeServerLog, memory: LogMemory
) -> None:
    switch_on(mysql, memory)
    mysql.table = [row(30, 7), row(30, 200)]
    mysql.connection_id = 200
    source, _ = server_log.open_source(mysql, memory)
    assert [event.thread_id for event in source] == [7]
    mysql.connection_id = 201
    again, _ = server_log.open_source(mysql, memory)
    assert [event.thread_id for event in again] == [7]


def test_without_a_record_all_of_the_table_is_read(mysql: FakeServerLog, memory: LogMemory) -> None:
    mysql.set = LogSettings(True, TABLE, "x")
    mysql.table = [row(1, 7), row(2, 8)]
    source, said = server_log.open_source(mysql, memory)
    assert [event.thread_id for event in source] == [7, 8]
    assert source.name == memory.server
    assert said == []


def test_after_a_restart_ids_are_counted_anew_and_it_is_said(
    mysql: FakeServerLog, memory: LogMemory
) -> None:
    switch_on(mysql, memory)
    mysql.started_s, mysql.connection_id = 9000.0, 300
    mysql.table = [row(30, 100)]
    source, said = server_log.open_source(mysql, memory)
    assert [event.thread_id for event in source] == [100]
    assert said == ["the server has restarted since --on, which ended the log there"]


def test_a_file_of_this_machine_is_copied_as_it_is(
    mariadb: FakeServerLog, memory: LogMemory, tmp_path: Path
) -> None:
    switch_on(mariadb, memory)
    fetched, _ = server_log.fetch(mariadb, memory, tmp_path / "copy.log")
    assert fetched.path.read_bytes() == b"the server's file\n"
    assert fetched.path.stat().st_mode & 0o777 == 0o600
    assert (fetched.rows, fetched.size_bytes) == (0, 18)


def test_a_file_of_another_machine_is_refused_with_the_way_to_it(
    mariadb: FakeServerLog, memory: LogMemory, tmp_path: Path
) -> None:
    mariadb.writes_files = False
    switch_on(mariadb, memory, "file")
    for read in (
        lambda: server_log.open_source(mariadb, memory),
        lambda: server_log.fetch(mariadb, memory, tmp_path / "out"),
    ):
        with pytest.raises(ConfigError, match="cannot be read here") as refused:
            read()
        assert "download-db-log-file-portion" in refused.value.hint
    assert list(tmp_path.glob("*out*")) == []


def test_nothing_is_overwritten(mysql: FakeServerLog, memory: LogMemory, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("mine")
    mysql.set = LogSettings(True, TABLE, "x")
    with pytest.raises(ConfigError, match="exists"):
        server_log.fetch(mysql, memory, there)
    assert there.read_text() == "mine"


def test_a_broken_memory_is_named(memory: LogMemory, mysql: FakeServerLog) -> None:
    memory.path.parent.mkdir(parents=True)
    memory.path.write_text('{"schema_version": 1}')
    with pytest.raises(ArtifactError, match=str(memory.path)):
        server_log.switch_off(mysql, memory)


def test_two_servers_are_remembered_apart(tmp_path: Path) -> None:
    one, other = LogMemory(tmp_path, "mysql://a@b/"), LogMemory(tmp_path, "mysql://a@c/")
    switch_on(FakeServerLog(tmp_path), one)
    assert other.read() is None

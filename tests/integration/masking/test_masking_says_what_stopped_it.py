"""What stops masking is told by table, cause and remedy, never by value; and it can go on after."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from tests.fakes.engines import binary_of
from tests.fakes.masking_sql import HashingSql
from tests.integration.masking.shelf import KEY, NUMBERS, Shelf, plan_of

from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_session import open_session
from readiness.adapters.server_command import ServerOptions
from readiness.errors import Busy, MaskingError
from readiness.masking.run import session as sessions
from readiness.masking.run.tables import mask_tables
from readiness.model.catalogue import TableFacts
from readiness.model.masking import MaskedColumn

pytestmark = pytest.mark.mysql


@pytest.fixture
def people(shelf: Shelf) -> Shelf:
    """Two tables of three names each."""
    shelf.run(
        "CREATE TABLE indexed (id INT PRIMARY KEY, name VARCHAR(8), KEY (name))",
        "CREATE TABLE plain (id INT PRIMARY KEY, name VARCHAR(8))",
        "INSERT INTO indexed VALUES (1, 'Aloysius'), (2, 'Bob'), (3, 'Zygmunt')",
        "INSERT INTO plain SELECT * FROM indexed",
    )
    return shelf


class Giving:
    """Expressions that give one text for every value."""

    def __init__(self, sql: str) -> None:
        self._sql = sql

    def expressions_of(
        self, columns: Sequence[MaskedColumn], table: TableFacts, attempts: Mapping[str, int]
    ) -> Mapping[str, str]:
        return {c.column: self._sql for c in columns}

    def key_statement(self, key_hex: str) -> tuple[str, tuple[object, ...]]:
        return HashingSql().key_statement(key_hex)


def mask_as(shelf: Shelf, sql: str, *columns: str) -> None:
    """Masks with that expression."""
    mask_tables(
        shelf.server.root_session,
        shelf.catalogue(),
        plan_of(columns, {}),
        key_hex=KEY,
        progress=lambda _: None,
        sql=Giving(sql),
    )


@pytest.mark.parametrize("table", ["indexed", "plain"])
@pytest.mark.parametrize("wrong", ["REPEAT('x', 9)", "CAST('12x' AS UNSIGNED)"])
def test_a_value_that_does_not_fit_is_an_error_and_no_truncation(
    people: Shelf, table: str, wrong: str
) -> None:
    with pytest.raises(MaskingError, match=rf"Table {table} could not .* fit its column") as told:
        mask_as(people, wrong, f"{table}.name")
    assert "policy" in told.value.hint
    assert people.run(f"SELECT COUNT(*) FROM {table} WHERE name LIKE 'x%'") == [(0,)]


def test_two_values_that_meet_in_a_unique_index_are_told(people: Shelf) -> None:
    people.run("ALTER TABLE indexed ADD UNIQUE KEY one (name)")
    with pytest.raises(MaskingError, match=r"Table indexed .* met in a unique index"):
        mask_as(people, "'same'", "indexed.name")


def test_a_check_that_a_masked_value_breaks_is_told(people: Shelf) -> None:
    people.run("ALTER TABLE plain ADD CONSTRAINT short CHECK (name <> 'never')")
    with pytest.raises(MaskingError, match=r"Table plain .* CHECK"):
        mask_as(people, "'never'", "plain.name")


def test_a_lock_of_another_session_is_told_and_masking_goes_on_after(
    people: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = sessions._REQUIRED[0].replace("= 30", "= 1")
    monkeypatch.setattr(sessions, "_REQUIRED", (short, *sessions._REQUIRED[1:]))
    other = people.server.root_session("shop")
    other.query("LOCK TABLES plain READ")
    catalogue = people.catalogue()
    with pytest.raises(MaskingError, match=r"Table plain .* holds a lock") as told:
        people.mask("plain.name", catalogue=catalogue)
    assert "PROCESSLIST" in told.value.hint
    other.close()
    assert people.mask("plain.name", catalogue=catalogue) == 3


def test_a_second_masking_waits_and_says_who_is_at_work(people: Shelf) -> None:
    first, second = people.server.root_session(), people.server.root_session()
    sessions.take_over(first)
    with pytest.raises(Busy, match=r"in session \d+"):
        sessions.take_over(second, patience_s=0)
    first.close()
    sessions.take_over(second)
    second.close()


def test_an_account_that_lacks_a_right_is_told_which_are_needed(people: Shelf) -> None:
    people.run(
        "CREATE DATABASE IF NOT EXISTS readiness_marker",
        "DROP USER IF EXISTS masker@localhost",
        "CREATE USER masker@localhost",
        "GRANT ALL ON readiness_marker.* TO masker@localhost",
        "GRANT SELECT, INSERT, UPDATE ON shop.* TO masker@localhost",
    )
    login = people.server.root_login() | {"user": "masker"}
    with pytest.raises(MaskingError, match="lacks a right") as told:
        people.mask("indexed.name", open_session=lambda: open_session(**login))
    assert "TRIGGER" in told.value.hint


@pytest.mark.long
@pytest.mark.parametrize(("engine", "extra_mb", "fillers"), [("mariadb", 26, 2), ("mysql", 20, 1)])
def test_a_full_disk_is_told_and_masking_goes_on_when_there_is_room(
    tmp_path: Path, engine: str, extra_mb: int, fillers: int
) -> None:
    for shelf in _of_one_small_file(tmp_path, engine, extra_mb):
        shelf.run(
            "CREATE TABLE big (id INT PRIMARY KEY, name VARCHAR(200), note TEXT, KEY (name))",
            f"INSERT INTO big SELECT n, SHA2(n, 512), REPEAT('x', 8000) FROM {NUMBERS} WHERE n < 500",
            "CREATE TABLE filler AS " + " UNION ALL ".join(["SELECT * FROM big"] * fillers),
        )
        catalogue, before = shelf.catalogue(), shelf.created("big")
        with pytest.raises(MaskingError, match=r"Table big .* disk is full") as told:
            shelf.mask("big.name", catalogue=catalogue)
        assert "Run it again" in told.value.hint
        assert shelf.run("SELECT COUNT(*) FROM big WHERE name = SHA2(id, 512)") == [(500,)]
        shelf.run("DROP TABLE filler")
        wait_for_room(shelf)
        assert shelf.mask("big.name", catalogue=catalogue) == 500
        assert shelf.created("big") == before
        assert shelf.run("SELECT COUNT(*) FROM big WHERE name <> SHA2(id, 512)") == [(500,)]


def wait_for_room(shelf: Shelf) -> None:
    """MariaDB gives the room of a dropped table back a moment later."""
    for _ in range(100):
        free = shelf.run(
            "SELECT DATA_FREE FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'shop'"
        )
        if int(str(free[0][0])) > 12 << 20:
            return
        time.sleep(0.2)


def _of_one_small_file(folder: Path, engine: str, extra_mb: int) -> Iterator[Shelf]:
    """A server that keeps all tables in one file which cannot grow."""
    options = ServerOptions(
        extra=(
            "--innodb-file-per-table=OFF",
            f"--innodb-data-file-path=ibdata1:12M;ibdata2:{extra_mb}M",
        )
    )
    server = LocalServer(folder / engine, options=options, binary=binary_of(engine))
    with server:
        shelf = Shelf(server)
        shelf.empty()
        yield shelf
        shelf.close()

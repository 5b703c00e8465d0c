"""What a server keeps beside its tables holds no original after masking: statistics, logs, histories."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.fakes.engines import binary_of
from tests.integration.masking.shelf import KEY, Shelf

from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_session import open_session
from readiness.adapters.server_command import ServerOptions
from readiness.errors import MaskingError
from readiness.masking.run.hygiene import forget

pytestmark = pytest.mark.mysql

LOGGING = ServerOptions(log_bin=True, extra=("--log-output=TABLE", "--general-log=ON"))


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    """One that logs all it is told, into tables and a binary log."""
    binary = binary_of(request.param)
    made = LocalServer(tmp_path_factory.mktemp("logging"), options=LOGGING, binary=binary)
    with made:
        yield made


@pytest.fixture
def people(shelf: Shelf) -> Shelf:
    """Names, one of them rare, in an indexed column and in one that is not."""
    shelf.run(
        "CREATE TABLE indexed (id INT PRIMARY KEY, name VARCHAR(40), KEY (name))",
        "CREATE TABLE plain (id INT PRIMARY KEY, name VARCHAR(40), city VARCHAR(40))",
        "INSERT INTO indexed VALUES (1, 'Aloysius'), (2, 'Bob'), (3, 'Zygmunt')",
        "INSERT INTO plain VALUES (1, 'Aloysius', 'Ulm'), (2, 'Bob', 'Ulm'), (3, 'Zygmunt', 'Bonn')",
    )
    return shelf


def statistics(shelf: Shelf) -> list[tuple[object, ...]]:
    """All that the server keeps of the values of columns."""
    if shelf.engine == "mariadb":
        return shelf.run(
            "SELECT table_name, column_name, hist_type, hist_size, min_value, max_value, histogram"
            " FROM mysql.column_stats WHERE db_name = 'shop' ORDER BY 1, 2"
        )
    return shelf.run(
        "SELECT TABLE_NAME, COLUMN_NAME, HISTOGRAM->'$.\"number-of-buckets-specified\"',"
        " HISTOGRAM->'$.\"auto-update\"', FROM_BASE64(SUBSTRING_INDEX("
        "COALESCE(HISTOGRAM->>'$.buckets[2][0]', HISTOGRAM->>'$.buckets[1][0]'), ':', -1))"
        " FROM information_schema.COLUMN_STATISTICS WHERE SCHEMA_NAME = 'shop' ORDER BY 1, 2"
    )


def gather(shelf: Shelf) -> None:
    """As an administrator does once."""
    if shelf.engine == "mariadb":
        shelf.run(
            "SET SESSION histogram_size = 20",
            "SET SESSION histogram_type = 'DOUBLE_PREC_HB'",
            "ANALYZE TABLE indexed PERSISTENT FOR COLUMNS (name) INDEXES ALL",
            "SET SESSION histogram_size = 0",
            "ANALYZE TABLE plain PERSISTENT FOR COLUMNS (name, city) INDEXES ALL",
        )
        return
    shelf.run(
        "ANALYZE TABLE indexed UPDATE HISTOGRAM ON name WITH 7 BUCKETS",
        "ANALYZE TABLE plain UPDATE HISTOGRAM ON name, city WITH 9 BUCKETS AUTO UPDATE",
    )


def test_statistics_are_made_again_from_masked_rows(people: Shelf) -> None:
    gather(people)
    before = statistics(people)
    assert "Zygmunt" in str(before)
    people.mask("indexed.name", "plain.name")
    after = statistics(people)
    assert [row[:4] for row in after] == [row[:4] for row in before]
    assert not any(name in str(after) for name in ("Aloysius", "Zygmunt"))
    assert "Ulm" in str(after)


def test_logs_and_histories_are_emptied_and_told(people: Shelf) -> None:
    people.mask("indexed.name", "plain.name")
    said = forget(people.session)
    assert any(line.startswith("statement histories:") for line in said)
    assert any(line.startswith("mysql.general_log: emptied") for line in said)
    assert any("purged" in line for line in said)
    assert "Zygmunt" not in str(people.run("SELECT argument FROM mysql.general_log"))
    assert len(people.run("SHOW BINARY LOGS")) == 1
    texts = people.run("SELECT SQL_TEXT FROM performance_schema.events_statements_history_long")
    assert "Zygmunt" not in str(texts)


def test_masking_itself_stands_in_no_log(people: Shelf) -> None:
    people.run("FLUSH BINARY LOGS")
    people.run("TRUNCATE TABLE mysql.general_log")
    people.mask("indexed.name", "plain.name")
    logged = str(people.run("SELECT argument FROM mysql.general_log"))
    assert KEY not in logged
    assert "SHA2" not in logged
    last = people.run("SHOW BINARY LOGS")[-1]
    events = people.run(f"SHOW BINLOG EVENTS IN '{last[0]}'")
    rows = {"Write_rows", "Update_rows", "Write_rows_v1", "Update_rows_v1"}
    assert not {str(e[2]) for e in events} & rows
    assert "readiness_" not in str(events)
    texts = people.run("SELECT SQL_TEXT FROM performance_schema.events_statements_history_long")
    assert KEY not in str(texts)


def test_forgetting_twice_is_forgetting_once(people: Shelf) -> None:
    forget(people.session)
    assert forget(people.session)


def test_an_account_that_may_not_forget_is_told_so(people: Shelf) -> None:
    people.run("DROP USER IF EXISTS masker@localhost", "CREATE USER masker@localhost")
    people.run("GRANT ALL ON shop.* TO masker@localhost")
    login = people.server.root_login() | {"user": "masker"}
    session = open_session(**login)
    try:
        assert any("lacks the right" in line for line in forget(session))
    finally:
        session.close()


def test_the_event_scheduler_is_off_while_a_clone_is_masked(people: Shelf) -> None:
    people.run("SET GLOBAL event_scheduler = ON")
    people.mask("plain.name")
    assert people.run("SELECT @@GLOBAL.event_scheduler") == [("OFF",)]


def test_an_account_that_may_not_turn_events_off_is_refused(people: Shelf) -> None:
    people.run("DROP USER IF EXISTS masker@localhost", "CREATE USER masker@localhost")
    people.run("GRANT ALL ON shop.* TO masker@localhost", "SET GLOBAL event_scheduler = ON")
    login = people.server.root_login() | {"user": "masker"}
    try:
        with pytest.raises(MaskingError, match="event scheduler") as refused:
            people.mask("plain.name", open_session=lambda: open_session(**login))
        assert "event_scheduler = OFF" in refused.value.hint
    finally:
        people.run("SET GLOBAL event_scheduler = OFF")

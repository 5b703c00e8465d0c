"""One DDL on MariaDB and on MySQL gives one fingerprint, and a change gives another on both."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes.engines import binary_of

from readiness.adapters.local_server import LocalServer
from readiness.workload.prove.drift import table_fingerprint
from readiness.workload.schema import Schema, read_schema

pytestmark = pytest.mark.mysql
PARENT = "CREATE TABLE parents (id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY)"
TABLES = {
    "whole": "(a TINYINT(1) NOT NULL DEFAULT 0, b SMALLINT UNSIGNED, c INT(11) NOT NULL,"
    " d BIGINT(20) UNSIGNED NOT NULL DEFAULT 7, e YEAR, PRIMARY KEY (d, a), KEY (c))",
    "text": "(a VARCHAR(40) NOT NULL DEFAULT 'it''s', b CHAR(26) DEFAULT '', c TEXT, d LONGTEXT,"
    " e ENUM('New', 'Old') NOT NULL DEFAULT 'New', f JSON, g BINARY(16) PRIMARY KEY)",
    "numbers": "(a DECIMAL(10,2) NOT NULL DEFAULT 1, b DOUBLE, c FLOAT NULL DEFAULT NULL,"
    " d BIT(4), UNIQUE KEY zz (a, b), UNIQUE KEY aa (b))",
    "times": "(a DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),"
    " b TIMESTAMP NULL DEFAULT NULL, c TIMESTAMP NOT NULL DEFAULT NOW(), d DATE, e TIME(3))",
    "children": "(id BIGINT PRIMARY KEY AUTO_INCREMENT, parent_id INT UNSIGNED NOT NULL,"
    " n INT, twice INT GENERATED ALWAYS AS (n * 2) STORED, KEY by_parent (parent_id),"
    " CONSTRAINT up FOREIGN KEY (parent_id) REFERENCES parents (id) ON DELETE CASCADE)",
}


def read(folder: Path, engine: str) -> Schema:
    with LocalServer(folder / engine, binary=binary_of(engine)) as server:
        session = server.root_session()
        session.query("CREATE DATABASE alike CHARACTER SET utf8mb4")
        session.query("USE alike")
        session.query(PARENT)
        for name, columns in TABLES.items():
            session.query(f"CREATE TABLE `{name}` {columns}")
        schema = read_schema(session, "alike")
        session.close()
    return schema


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> tuple[Schema, Schema]:
    folder = tmp_path_factory.mktemp("engines")
    return read(folder, "mariadb"), read(folder, "mysql")


@pytest.mark.parametrize("table", ["parents", *TABLES])
def test_fingerprints_are_equal(schemas: tuple[Schema, Schema], table: str) -> None:
    mariadb, mysql = (schema.tables[table] for schema in schemas)
    assert [*mariadb.columns.items()] != []
    assert {n: (c.full_type, c.filled) for n, c in mariadb.columns.items()} == {
        n: (c.full_type, c.filled) for n, c in mysql.columns.items()
    }
    assert table_fingerprint(mariadb) == table_fingerprint(mysql)


def test_no_two_of_these_tables_are_alike(schemas: tuple[Schema, Schema]) -> None:
    for schema in schemas:
        assert len({table_fingerprint(t) for t in schema.tables.values()}) == len(TABLES) + 1

"""The same column definition, as MariaDB and MySQL show it, has one spelling."""

from __future__ import annotations

import pytest

from readiness.workload.prove.definitions import filled_by, full_type

TYPES = [
    ("int(11)", "int", "int"),
    ("bigint(20) unsigned", "bigint unsigned", "bigint unsigned"),
    ("tinyint(1)", "tinyint(1)", "tinyint"),
    ("int(10) unsigned zerofill", "int(10) unsigned zerofill", "int unsigned zerofill"),
    ("year(4)", "year", "year"),
    ("varchar(40)", "varchar(40)", "varchar(40)"),
    ("decimal(6,4)", "decimal(6,4)", "decimal(6,4)"),
    ("enum('New','Old')", "enum('New','Old')", "enum('New','Old')"),
    ("datetime(6)", "datetime(6)", "datetime(6)"),
]


@pytest.mark.parametrize(("mariadb", "mysql", "spelling"), TYPES)
def test_types(mariadb: str, mysql: str, spelling: str) -> None:
    data_type = mysql.partition("(")[0].split()[0]
    assert full_type(mariadb, data_type) == full_type(mysql, data_type) == spelling


def test_json_is_a_longtext_on_mariadb() -> None:
    assert full_type("json", "json") == full_type("longtext", "longtext") == "longtext"


FILLED = [
    (("'new'", ""), ("new", ""), "default new"),
    (("NULL", ""), (None, ""), ""),
    (("''", ""), ("", ""), "default ''"),
    (("0", ""), ("0", ""), "default 0"),
    (("'O''Hara'", ""), ("O'Hara", ""), "default O'Hara"),
    (("current_timestamp()", ""), ("CURRENT_TIMESTAMP", "DEFAULT_GENERATED"), "default now()"),
    (
        ("current_timestamp(6)", "on update current_timestamp(6)"),
        ("CURRENT_TIMESTAMP(6)", "DEFAULT_GENERATED on update CURRENT_TIMESTAMP(6)"),
        "default now(6) on update now(6)",
    ),
    ((None, "auto_increment"), (None, "auto_increment"), ""),
    ((None, "STORED GENERATED"), (None, "STORED GENERATED"), "stored generated"),
]


@pytest.mark.parametrize(("mariadb", "mysql", "spelling"), FILLED)
def test_what_the_server_fills_in(
    mariadb: tuple[str | None, str], mysql: tuple[str | None, str], spelling: str
) -> None:
    assert filled_by(*mariadb) == filled_by(*mysql) == spelling

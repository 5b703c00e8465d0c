"""Counters move on a real server, once, where it is allowed, and never on production."""

from __future__ import annotations

import pytest
from tests.integration.checking.conftest import DATABASE, Readiness, Said, Shop, connect

from readiness.workload.prove.salt import RANGE

pytestmark = pytest.mark.mysql


def salt(readiness: Readiness, shop: Shop, *more: str) -> Said:
    return readiness("workload", "salt", "--target", shop.dsn, *more)


def next_ids(shop: Shop) -> dict[str, int]:
    """The id that each table gives next, by inserting and rolling back."""
    found = {}
    with connect(shop.server) as connection, connection.cursor() as cursor:
        cursor.execute("SET FOREIGN_KEY_CHECKS = 0")
        for table, columns in (
            ("shops", "(name) VALUES ('x')"),
            ("orders", "(token, shop_id) VALUES ('x', 1)"),
            ("order_lines", "(order_id, product_id) VALUES (1, 1)"),
        ):
            cursor.execute("BEGIN")
            cursor.execute(f"INSERT INTO {table} {columns}")
            found[table] = cursor.lastrowid
            cursor.execute("ROLLBACK")
    return found


def test_a_preproduction_needs_consent_and_nothing_moves_without(
    preproduction: Shop, readiness: Readiness
) -> None:
    before = next_ids(preproduction)
    said = salt(readiness, preproduction)
    assert said.code == 2
    assert "--yes" in said.err
    assert "no row changes" in said.err
    after = next_ids(preproduction)
    assert all(after[table] < before[table] + 10 for table in before)


def test_production_is_refused_even_with_consent(
    preproduction: Shop, readiness: Readiness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READINESS_PRODUCTION", preproduction.server.running_state().socket)
    before = next_ids(preproduction)
    said = salt(readiness, preproduction, "--yes")
    assert said.code == 2
    assert "is production" in said.err
    assert next_ids(preproduction)["shops"] < before["shops"] + 10


def test_each_table_gets_its_own_range_and_keeps_it(
    preproduction: Shop, readiness: Readiness
) -> None:
    first = salt(readiness, preproduction, "--yes", "--json")
    assert first.code == 0, first.err
    assert f"AUTO_INCREMENT on {DATABASE}" in first.err
    assert first.json["moved"] == 4
    ranges = [i // RANGE for i in next_ids(preproduction).values()]
    assert sorted(set(ranges)) == sorted(ranges)
    assert min(ranges) >= 1
    again = salt(readiness, preproduction, "--yes", "--json")
    assert again.json["moved"] == 0
    assert {t["action"] for t in again.json["tables"]} == {"stays"}


def test_small_types_are_told_and_left(preproduction: Shop, readiness: Readiness) -> None:
    with connect(preproduction.server) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE `small one` (id SMALLINT AUTO_INCREMENT PRIMARY KEY)")
        try:
            said = salt(readiness, preproduction, "--yes")
        finally:
            cursor.execute("DROP TABLE `small one`")
    assert said.code == 0, said.err
    assert "left as it is: smallint has no room for a range" in said.err


def test_a_clone_needs_no_consent(preproduction: Shop, readiness: Readiness) -> None:
    assert readiness("clone", "adopt", preproduction.dsn, "--yes").code == 0
    with connect(preproduction.server) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE later (id INT AUTO_INCREMENT PRIMARY KEY)")
        try:
            said = salt(readiness, preproduction, "--json")
        finally:
            cursor.execute("DROP TABLE later")
    assert (said.code, said.json["moved"]) == (0, 1)


def test_a_salted_database_may_be_captured_again(preproduction: Shop, readiness: Readiness) -> None:
    """The rows that were there are still there."""
    with connect(preproduction.server) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*), MAX(id) FROM products")
        assert cursor.fetchall() == ((360, 859),)


def test_odd_counters_are_read(preproduction: Shop, readiness: Readiness) -> None:
    """MariaDB lists a versioned table as no base table, and its FLOAT counter tells `1.0`; MySQL 9
    has neither."""
    is_mariadb = preproduction.engine == "mariadb"
    kind, versioned = ("FLOAT", "WITH SYSTEM VERSIONING") if is_mariadb else ("TINYINT", "")
    with connect(preproduction.server) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE odd_one (id {kind} AUTO_INCREMENT PRIMARY KEY)")
        cursor.execute("INSERT INTO odd_one VALUES (NULL)")
        cursor.execute(f"CREATE TABLE kept (id INT AUTO_INCREMENT PRIMARY KEY) {versioned}")
        try:
            said = salt(readiness, preproduction, "--yes", "--json")
        finally:
            cursor.execute("DROP TABLE odd_one, kept")
    assert said.code == 0, said.err
    actions = {t["table"]: t["action"] for t in said.json["tables"]}
    assert (actions["odd_one"], actions["kept"]) == ("left", "salt")

"""Ranges go through any key in the order of its index, and miss no row and take none twice."""

from __future__ import annotations

import pytest
from tests.integration.masking.shelf import Shelf

from readiness.masking.run.ranges import condition, end_of_range, range_key

pytestmark = pytest.mark.mysql

KEYS = {
    "a sparse number": ("a BIGINT", "(-9223372036854775808), (-1), (0), (5), (1000000), (9223372036854775807)"),
    "an unsigned number": ("a BIGINT UNSIGNED", "(0), (1), (18446744073709551615), (9223372036854775808)"),
    "a decimal": ("a DECIMAL(20,4)", "(-1.5), (0), (0.0001), (9999999999999999.9999)"),
    "a float": ("a FLOAT", "(0.1), (0.2), (-1e30), (3.4e38), (1.1), (0)"),
    "a double": ("a DOUBLE", "(0.1), (1e-300), (-1e300), (1.7976931348623157e308), (0.30000000000000004)"),
    "a text": ("a VARCHAR(20) COLLATE utf8mb4_unicode_ci", "(''), ('Zoë'), ('zob'), ('it''s'), ('a\\\\b'), ('😀'), ('a b'), ('%s')"),
    "a binary text": ("a VARCHAR(20) COLLATE utf8mb4_bin", "('a'), ('A'), ('B'), ('b'), ('é'), ('ß')"),
    "a latin1 text": ("a VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_german2_ci", "('Ä'), ('AF'), ('Z'), ('ä1')"),
    "a padded text": ("a CHAR(5)", "('a'), ('b'), (''), ('abcde')"),
    "bytes": ("a VARBINARY(8)", "(X'00'), (X''), (X'FF00'), (X'FF'), (X'0000'), (X'27')"),
    "padded bytes": ("a BINARY(4)", "(X'00'), (X'FF00'), (X'27')"),
    "an enum": ("a ENUM('z','a','m')", "('z'), ('a'), ('m')"),
    "a set": ("a SET('z','a','m')", "('z'), ('a,z'), ('m'), ('')"),
    "bits": ("a BIT(10)", "(0), (1), (1023), (512)"),
    "a year": ("a YEAR", "(1901), (2155), (2026), (0)"),
    "a date": ("a DATE", "('0000-00-00'), ('2026-02-28'), ('9999-12-31'), ('1000-01-01')"),
    "a moment": ("a DATETIME(6)", "('2026-01-01 00:00:00.000001'), ('2026-01-01'), ('2025-12-31 23:59:59.999999')"),
    "a timestamp": ("a TIMESTAMP", "('2026-10-25 00:30:00'), ('2026-10-25 01:30:00'), ('1971-01-01'), ('2037-01-01')"),
    "a time": ("a TIME(3)", "('-838:59:59'), ('00:00:00.001'), ('838:59:59'), ('00:00')"),
    "two columns": ("a INT, b VARCHAR(9)", "(1, 'a'), (1, 'b'), (2, 'a'), (2, 'z'), (0, 'x'), (7, '')"),
    "three columns": ("a INT, b DATE, c BINARY(1)", "(1, '2026-01-01', 'a'), (1, '2026-01-01', 'b'), (1, '2026-01-02', 'a'), (2, '2025-01-01', 'a'), (2, '2025-01-01', 'b')"),
}  # fmt: skip


@pytest.mark.parametrize("size", [1, 2, 3, 50])
@pytest.mark.parametrize("key", KEYS)
def test_every_row_is_in_one_range(shelf: Shelf, key: str, size: int) -> None:
    columns, rows = KEYS[key]
    names = ", ".join(c.split()[0] for c in columns.split(", ") if c[0] in "abc" and c[1] == " ")
    shelf.run(
        "SET SESSION sql_mode = 'ALLOW_INVALID_DATES', time_zone = '+00:00'",
        f"CREATE TABLE t ({columns}, seen INT NOT NULL DEFAULT 0, PRIMARY KEY ({names}))",
        f"INSERT INTO t ({names}) VALUES {rows}",
    )
    found = range_key(shelf.catalogue().tables["t"])
    assert found is not None
    after: tuple[str, ...] = ()
    for _ in range(60):
        upto = end_of_range(shelf.session, "t", found, after, size)
        shelf.run(
            f"UPDATE t FORCE INDEX (PRIMARY) SET seen = seen + 1 WHERE {condition(found, after, upto)}"
        )
        if not upto:
            break
        after = upto
    assert shelf.run("SELECT DISTINCT seen FROM t") == [(1,)]


def test_a_range_reads_its_own_rows_alone(shelf: Shelf) -> None:
    shelf.run(
        "CREATE TABLE t (a INT, b VARCHAR(9), c INT, x INT, PRIMARY KEY (a, b, c))",
        "SET SESSION sql_mode = ''",
        "INSERT INTO t SELECT s.n DIV 100, s.n DIV 10 % 10, s.n % 10, 0 FROM (SELECT p.d + 10 * q.d + 100 * r.d + 1000 * u.d n FROM "
        + ", ".join(
            "(SELECT 0 d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4"
            f" UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7) {a}"
            for a in "pqru"
        )
        + ") s",
    )
    found = range_key(shelf.catalogue().tables["t"])
    assert found is not None
    middle = end_of_range(shelf.session, "t", found, (), 2000)
    end = end_of_range(shelf.session, "t", found, middle, 10)
    shelf.run("FLUSH STATUS")
    where = condition(found, middle, end)
    rows = shelf.run(f"SELECT COUNT(*) FROM t FORCE INDEX (PRIMARY) WHERE {where}")
    read = shelf.run("SHOW SESSION STATUS WHERE Variable_name IN ('Handler_read_next', 'Handler_read_rnd_next')")  # fmt: skip
    assert rows == [(10,)]
    assert sum(int(str(r[1])) for r in read) < 200


def test_a_unique_key_serves_where_there_is_no_primary_one(shelf: Shelf) -> None:
    shelf.run(
        "CREATE TABLE t (a INT NOT NULL, b INT NULL, c VARCHAR(20) NOT NULL,"
        " UNIQUE KEY half (c(3)), UNIQUE KEY maybe (b), UNIQUE KEY whole (a))",
        "CREATE TABLE none (b INT NULL, UNIQUE KEY maybe (b))",
    )
    catalogue = shelf.catalogue()
    found = range_key(catalogue.tables["t"])
    assert found is not None
    assert found.index == "whole"
    assert range_key(catalogue.tables["none"]) is None

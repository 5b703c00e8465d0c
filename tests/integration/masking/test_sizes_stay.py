"""Indexes and rows take as much room after masking as before, however full their pages were."""

from __future__ import annotations

import pytest
from tests.integration.masking.shelf import NUMBERS, Shelf

pytestmark = [pytest.mark.mysql, pytest.mark.long]

TABLE = (
    "CREATE TABLE t (id {key}, email VARCHAR(80) NOT NULL, phone VARCHAR(20) NOT NULL, name VARCHAR(60),"
    " note VARCHAR(80), at DATETIME NOT NULL, PRIMARY KEY (id), UNIQUE KEY (email), KEY (phone),"
    " KEY (name, phone), KEY (at)) ENGINE=InnoDB"
)
ROWS = (
    "INSERT INTO t SELECT {id}, CONCAT(LEFT(SHA2(n, 256), 20), '@example.com'), LEFT(SHA2(n + 1, 256), 14),"
    " LEFT(SHA2(n DIV 7, 256), 22), REPEAT('x', 60), '2026-01-01' + INTERVAL n SECOND"
    f" FROM (SELECT n + 10000 * k.m n FROM {NUMBERS}, (SELECT 0 m UNION ALL SELECT 1 UNION ALL SELECT 2"
    " UNION ALL SELECT 3 UNION ALL SELECT 4) k) z WHERE n >= {low} AND n < {high} ORDER BY n"
)


def sizes(shelf: Shelf) -> tuple[float, float]:
    """Bytes of rows, bytes of indexes."""
    shelf.again()
    shelf.run("SET SESSION sql_mode = ''", "ANALYZE TABLE t")
    if shelf.engine == "mysql":
        shelf.run("SET SESSION information_schema_stats_expiry = 0")
    row = shelf.run(
        "SELECT DATA_LENGTH, INDEX_LENGTH FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'shop' AND TABLE_NAME = 't'"
    )[0]
    return float(str(row[0])), float(str(row[1]))


@pytest.mark.parametrize(
    ("key", "made", "packed"),
    [
        ("BIGINT", "n", False),
        ("BIGINT", "n", True),
        ("BINARY(16)", "UNHEX(LEFT(SHA2(n, 256), 32))", False),
        ("BINARY(16)", "UNHEX(LEFT(SHA2(n, 256), 32))", True),
        ("VARCHAR(40)", "CONCAT('2026-', LPAD(n, 12, '0'))", False),
    ],
    ids=["counted", "counted, packed", "random", "random, packed", "ordered text"],
)
def test_sizes_are_within_15_percent(shelf: Shelf, key: str, made: str, packed: bool) -> None:
    shelf.run("SET SESSION sql_mode = ''", TABLE.format(key=key))
    for low in range(0, 50000, 5000):
        shelf.run(ROWS.format(id=made, low=low, high=low + 5000))
    if packed:
        shelf.run("ALTER TABLE t FORCE")
    before = sizes(shelf)
    shelf.mask("t.email", "t.phone", "t.name")
    after = sizes(shelf)
    ratios = [a / b for a, b in zip(after, before, strict=True)]
    assert all(0.85 <= r <= 1.15 for r in ratios), (before, after)

"""Shapes forget values; masks keep places."""

from __future__ import annotations

import pytest
import sqlglot

from readiness.sql.lexer import lex
from readiness.sql.mask import mask
from readiness.sql.shape import shape


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"SELECT * FROM t WHERE a = 'x'", b"select * from t where a = 5 -- c"),
        (b"SELECT 1 WHERE a IN (1)", b"SELECT 2 WHERE a IN ('a', 'b', 'c')"),
        (b"INSERT INTO t VALUES (1, 'a')", b"INSERT INTO t VALUES (2, 'b'), (3, 'c')"),
        (b"SELECT 1 WHERE a = -5", b"SELECT 1 WHERE a = 5"),
        (b"SELECT 'a' 'b'", b"SELECT 'ab'"),
        (b"SELECT _utf8mb4'a'", b"SELECT 'a'"),
        (b"SELECT TIMESTAMP'2026-01-01'", b"SELECT '2026-01-01'"),
        (b"INSERT INTO t VALUES (1, (SELECT a FROM u WHERE b = 2))",) * 2,
    ],
)
def test_statements_that_differ_in_values_have_one_shape(one: bytes, other: bytes) -> None:
    assert shape(one) == shape(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"SELECT a - 5 FROM t", b"SELECT a FROM t"),
        (b"SELECT * FROM a", b"SELECT * FROM b"),
        (b"SELECT `a` FROM t", b"SELECT `A` FROM t"),
        (b"SELECT /*+ X() */ 1", b"SELECT 1"),
    ],
)
def test_different_statements_have_different_shapes(one: bytes, other: bytes) -> None:
    assert shape(one) != shape(other)


@pytest.mark.parametrize(
    "sql",
    [
        b"REPLACE INTO t (a) VALUES (_binary'\0\xff\\'', N'\xc3\xa9')",
        b"INSERT LOW_PRIORITY INTO t (a) VALUES (1)",
        b"UPDATE IGNORE t SET a = 1",
        b"DELETE LOW_PRIORITY QUICK IGNORE FROM t WHERE a = {d '2026-01-01'}",
        b"SELECT HIGH_PRIORITY a FROM t STRAIGHT_JOIN u ON t.a = u.a",
        b"SELECT a FROM t LIMIT 5 ROWS EXAMINED 100",
        b"INSERT INTO t (a) VALUES (1) /*!50100 ON DUPLICATE KEY UPDATE a = 2 */",
    ],
)
def test_a_parser_reads_the_masked_statement_at_the_same_places(sql: bytes) -> None:
    masked = mask(sql)
    assert len(masked) == len(sql)
    assert masked.isascii()
    assert sqlglot.parse_one(masked.decode(), read="mysql").key != "command"


def test_masks_hide_the_text_of_literals() -> None:
    assert b"secret" not in mask(b"SELECT 'secret', \"secret\", N'secret' /* secret */")


def test_quoted_names_stay_names() -> None:
    sql = b'SELECT "a" FROM t'
    assert mask(sql, lex(sql, ansi_quotes=True)) == b"SELECT `a` FROM t"

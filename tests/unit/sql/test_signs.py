"""A sign belongs to its number, a subtraction does not."""

from __future__ import annotations

import pytest

from readiness.sql.lexer import lex
from readiness.sql.shape import shape
from readiness.workload.find.literals import literals_of


def values(sql: bytes) -> list[bytes]:
    return [lit.value for lit in literals_of(sql, lex(sql))]


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        (b"SELECT -5", [b"-5"]),
        (b"SELECT 5--1", [b"5", b"-1"]),
        (b"SELECT 5 - -1", [b"5", b"-1"]),
        (b"SELECT 5 - 1, a - 1, `a`-1, @a -1, (a) - 1", [b"5", b"1", b"1", b"1", b"1", b"1"]),
        (b"SELECT a FROM t WHERE b = - 5", [b"-5"]),
        (b"SELECT a FROM t WHERE b = -/* c */5", [b"-5"]),
        (b"INSERT INTO t VALUES (-5)", [b"-5"]),
        (b"SELECT a FROM t WHERE b IN (-1, 2, -.5e-3)", [b"-1", b"2", b"-.5e-3"]),
        (b"SELECT a FROM t WHERE b BETWEEN -1 AND -2", [b"-1", b"-2"]),
        (b"SELECT a FROM t WHERE b > -1 OR b<-2 OR b<=>-3", [b"-1", b"-2", b"-3"]),
        (b"SELECT CASE WHEN -1 THEN -2 ELSE -3 END - 4", [b"-1", b"-2", b"-3", b"4"]),
        (b"SELECT a * -2, a DIV -3, a % -4, a MOD -5", [b"-2", b"-3", b"-4", b"-5"]),
        (b"CREATE TEMPORARY TABLE t (a INT DEFAULT -1)", [b"-1"]),
        (b"SELECT t.like -1, t.`by` -2", [b"1", b"2"]),
        (b"SELECT +5, - -6", [b"5", b"-6"]),
        (b"SELECT /*!50000 -7 */ + 8", [b"-7", b"8"]),
        (b"SELECT /*+ NO_ICP(t) */ -9", [b"-9"]),
        (b"SET @a = -1, @b := -2", [b"-1", b"-2"]),
        (b"SELECT -'5', -x'05'", [b"5", b"\x05"]),
    ],
)
def test_values_have_their_sign(sql: bytes, found: list[bytes]) -> None:
    assert values(sql) == found


@pytest.mark.parametrize(
    ("negative", "positive"),
    [
        (b"SELECT a FROM t WHERE b BETWEEN -1 AND -2", b"SELECT a FROM t WHERE b BETWEEN 1 AND 2"),
        (b"INSERT INTO t VALUES (1, - 2), (3, -4)", b"INSERT INTO t VALUES (1, 2), (3, 4)"),
        (b"SELECT 5--1", b"SELECT 5-1"),
        (b"SELECT CASE WHEN a THEN -2 ELSE -3 END", b"SELECT CASE WHEN a THEN 2 ELSE 3 END"),
        (b"UPDATE t SET a = a * -1", b"UPDATE t SET a = a * 1"),
        (b"SELECT /*+ NO_ICP(t) */ -9", b"SELECT /*+ NO_ICP(t) */ 9"),
    ],
)
def test_statements_that_differ_in_signs_have_one_shape(negative: bytes, positive: bytes) -> None:
    assert shape(negative) == shape(positive)


@pytest.mark.parametrize("sql", [b"SELECT 5-1", b"SELECT a -1 FROM t", b"SELECT a - b FROM t"])
def test_a_subtraction_is_none(sql: bytes) -> None:
    assert b"-" in shape(sql)

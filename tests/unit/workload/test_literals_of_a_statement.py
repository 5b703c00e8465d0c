"""The literals of one statement: where they are, what a variable replaces, which are structure."""

from __future__ import annotations

import pytest

from readiness.model.workload import Form
from readiness.sql.lexer import lex
from readiness.workload.find.literals import Literal, literals_of


def found(sql: bytes) -> list[Literal]:
    return literals_of(sql, lex(sql))


def test_adjacent_strings_are_one_value() -> None:
    (literal,) = found(b"SELECT 'foo' 'bar'")
    assert literal.value == b"foobar"


@pytest.mark.parametrize(
    ("sql", "slot"),
    [
        (b"SELECT _utf8mb4'x'", b"_utf8mb4'x'"),
        (b"SELECT TIMESTAMP'2026-01-01 00:00:00'", b"TIMESTAMP'2026-01-01 00:00:00'"),
        (b"SELECT {d '2026-01-01'}", b"{d '2026-01-01'}"),
        (b"SELECT date, 'x'", b"'x'"),
        (b"SELECT -5", b"-5"),
    ],
)
def test_a_variable_replaces_what_may_not_stand_before_it(sql: bytes, slot: bytes) -> None:
    (literal,) = found(sql)
    assert sql[literal.slot_start : literal.slot_end] == slot


@pytest.mark.parametrize(
    ("sql", "form"),
    [
        (b"SELECT 'x'", Form.TEXT),
        (b"SELECT 5", Form.NUMBER),
        (b"SELECT 0xFF", Form.HEX),
        (b"SELECT _binary'x'", Form.HEX),
        (b"SELECT '\xff\xfe'", Form.HEX),
    ],
)
def test_bytes_that_are_no_text_are_written_as_hex(sql: bytes, form: Form) -> None:
    assert found(sql)[0].form is form


@pytest.mark.parametrize(
    "sql",
    [
        b"SELECT a FROM t LIMIT 10",
        b"SELECT a FROM t LIMIT 10, 20",
        b"SELECT a FROM t LIMIT 10 OFFSET 20",
        b"SELECT NOW() - INTERVAL 30 DAY",
        b"SELECT NOW() + INTERVAL -1 DAY",
        b"SELECT j->>'$.user.id' FROM t",
        b"SELECT j -> '$.a' FROM t",
        b"SELECT JSON_EXTRACT(LOWER(j), '$.a') FROM t",
        b"SELECT GROUP_CONCAT(a SEPARATOR ', ') FROM t",
        b"SELECT a FROM t WHERE MATCH(a) AGAINST ('+x' IN BOOLEAN MODE)",
    ],
)
def test_structure_is_no_value(sql: bytes) -> None:
    assert all(literal.is_structural for literal in found(sql))


@pytest.mark.parametrize(
    "sql",
    [
        b"SELECT a FROM t WHERE a > 5",
        b"SELECT a FROM t WHERE a = '$.x'",
        b"SELECT JSON_SET(j, CONCAT('$.x'), 1)",
        b"SELECT a FROM t WHERE c - b > 'x'",
    ],
)
def test_values_are_no_structure(sql: bytes) -> None:
    assert not any(literal.is_structural for literal in found(sql))


def test_comments_hold_no_literals_but_executable_ones_do() -> None:
    values = [lit.value for lit in found(b"SELECT 1 /* 'a' */ /*!50000 + 'b' */ /*+ X(3) */")]
    assert values == [b"1", b"b"]

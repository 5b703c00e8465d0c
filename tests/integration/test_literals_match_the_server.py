"""Literals are what the server reads: their values, their signs, and what is written for them."""

from __future__ import annotations

from collections.abc import Iterator

import pymysql
import pytest
from pymysql.connections import Connection

from readiness.adapters.local_server import LocalServer
from readiness.sql.lexer import encode, lex
from readiness.workload.find.literals import Literal, literals_of

pytestmark = pytest.mark.mysql

TEXTS = rb"""'it''s' | 'it\'s\n\0\Z\\' | '100\% \_ \x\b\t\r' | "say ""hi"" \"x\"" | N'n''x' | n'x' | 'a' 'b'
'foo' "bar" | 'a' /* c */ 'b' | _utf8mb4'u' | _utf8mb4 'u' 'v' | _binary'\0\'b' | _binary 'b' | _latin1'l'
x'4D79' | X'4d79' | 0xF | 0x82ABF37A | b'1' | b'100000001' | b'' | 0b01 | x'' | _latin1 x'4D79' | _binary 0x41
'' | '\xc3\xa9\xf0\x9f\x9a\xaa' | DATE'2026-01-01' | TIMESTAMP '2026-01-01 10:00:00' | {d '2026-01-01'}
{ts '2026-01-01 10:00:00'} | '-- no comment' | '/* none */' | '# none' | '; none' | '\\' | '\'' | ''''"""
SUMS = rb"""5--1 | 5 - -1 | 5 - 1 | -5 | - 5 | -/* c */5 | +5 | - -6 | 2 * -3 | 7 DIV -2 | 7 MOD -4 | -2 BETWEEN -3 AND -1
-1 IN (-1, 2) | 3 > -4 | 1<-2 | 1<=>-1 | CASE WHEN -1 THEN -2 ELSE -3 END - 4 | (5) - 1 | IF(-1 < 0, -7, 8)
/*!50000 -7 */ + 8 | 10 - .5 | 1.5e-3 | -1e2 | 5 % -3 | NOT -1 | -1 OR 0 | -3 & 6 | 1 + - 2 - 3 | ABS(-5) -5"""


def literals(sql: bytes, *, plain: bool = False, ansi: bool = False) -> list[Literal]:
    tokens = lex(sql, ansi_quotes=ansi, no_backslash_escapes=plain)
    return literals_of(sql, tokens, no_backslash_escapes=plain)


def cases(text: bytes) -> list[bytes]:
    return [c.strip() for line in text.split(b"\n") for c in line.split(b" | ")]


@pytest.fixture(scope="module")
def connection(private_server: LocalServer) -> Iterator[Connection]:
    with pymysql.connect(
        unix_socket=private_server.running_state().socket, user="root", charset="utf8mb4"
    ) as connection:
        yield connection


def answer(connection: Connection, sql: bytes) -> object:
    with connection.cursor() as cursor:
        cursor.execute(sql)  # type: ignore[arg-type]  # it sends bytes as they are
        row = cursor.fetchone()
    assert row is not None
    return row[0]


@pytest.mark.parametrize("text", cases(TEXTS.replace(rb"\xc3\xa9\xf0\x9f\x9a\xaa", "é🚪".encode())))
def test_a_literal_has_the_value_that_the_server_reads(connection: Connection, text: bytes) -> None:
    sql = b"SELECT HEX(" + text + b")"
    (literal,) = literals(sql)
    assert bytes.fromhex(str(answer(connection, sql))) == literal.value
    written = b"SELECT HEX(" + encode(literal.form, literal.value) + b")"
    assert answer(connection, written) == answer(connection, sql)


@pytest.mark.parametrize("text", cases(SUMS))
def test_numbers_in_their_slots_keep_the_sum(connection: Connection, text: bytes) -> None:
    """Each number with its sign in parentheses: a subtraction taken for a sign changes the sum."""
    sql = b"SELECT " + text
    made, at = b"", 0
    for literal in literals(sql):
        made += sql[at : literal.slot_start] + b"(" + encode(literal.form, literal.value) + b")"
        at = literal.slot_end
    assert answer(connection, made + sql[at:]) == answer(connection, sql)


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        ("NO_BACKSLASH_ESCAPES", rb"'C:\'"),
        ("NO_BACKSLASH_ESCAPES", rb"'a\n''b\\'"),
        ("NO_BACKSLASH_ESCAPES", rb'"x\"'),
        ("ANSI_QUOTES", rb"'say \"hi\" it''s'"),
    ],
)
def test_a_literal_under_another_sql_mode(connection: Connection, mode: str, text: bytes) -> None:
    sql = b"SELECT HEX(" + text + b")"
    (literal,) = literals(sql, plain=mode.startswith("NO_"), ansi=mode == "ANSI_QUOTES")
    answer(connection, b"SELECT 1")
    with connection.cursor() as cursor:
        cursor.execute(f"SET sql_mode = '{mode}'")
        try:
            assert bytes.fromhex(str(answer(connection, sql))) == literal.value
        finally:
            cursor.execute("SET sql_mode = DEFAULT")

"""Quotes and backslashes under another sql_mode, as the server reads them."""

from __future__ import annotations

import pytest
from tests.unit.sql.torture import CASES, Case

from readiness.sql.lexer import lex
from readiness.sql.mask import mask
from readiness.workload.find.literals import literals_of

PLAIN = [c for c in CASES if b"\\" not in c.sql and len(c.sql) < 20_000]
SINGLE_QUOTED = [c for c in PLAIN if b'"' not in c.sql]


def values(sql: bytes, *, ansi: bool = False, plain: bool = False) -> list[bytes]:
    tokens = lex(sql, ansi_quotes=ansi, no_backslash_escapes=plain)
    return [lit.value for lit in literals_of(sql, tokens, no_backslash_escapes=plain)]


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        (b'SELECT "a" FROM "t" WHERE "b" = \'x\' AND c = "d""e"', [b"x"]),
        (b"SELECT \"a\\\" FROM t WHERE b = 'it''s \"x\" \\''", [b"it's \"x\" '"]),
        (b'INSERT INTO "t" ("a") VALUES (\'say "hi"\')', [b'say "hi"']),
    ],
)
def test_with_ansi_quotes_a_double_quote_opens_a_name(sql: bytes, found: list[bytes]) -> None:
    assert values(sql, ansi=True) == found


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        (rb"SELECT * FROM t WHERE path = 'C:\' AND x = 'y'", [b"C:\\", b"y"]),
        (rb"SELECT 'a\n', 'it''s', '\\'", [rb"a\n", b"it's", b"\\\\"]),
        (rb'SELECT "a\"', [b"a\\"]),
    ],
)
def test_without_backslash_escapes_a_backslash_is_a_character(
    sql: bytes, found: list[bytes]
) -> None:
    assert values(sql, plain=True) == found


@pytest.mark.parametrize("case", PLAIN, ids=[c.name for c in PLAIN])
def test_what_holds_no_backslash_reads_the_same_without_escapes(case: Case) -> None:
    assert tuple(values(case.sql, plain=True)) == case.values


@pytest.mark.parametrize("case", SINGLE_QUOTED, ids=[c.name for c in SINGLE_QUOTED])
def test_what_holds_no_double_quote_reads_the_same_with_ansi_quotes(case: Case) -> None:
    assert tuple(values(case.sql, ansi=True)) == case.values
    assert mask(case.sql, lex(case.sql, ansi_quotes=True)) == mask(case.sql)

"""Tokens are byte spans as the server would see them."""

from __future__ import annotations

import pytest

from readiness.errors import SqlError
from readiness.sql.lexer import lex, split_statements, statement_spans


def kinds(sql: bytes, **modes: bool) -> list[tuple[str, bytes]]:
    return [(t.kind.value, sql[t.start : t.end]) for t in lex(sql, **modes)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (b"'it''s \\' fine'", "text"),
        (b'"double ""q"" \\" x"', "text"),
        (b"N'na\xc3\xafve'", "text"),
        (b"1.5e-3", "number"),
        (b".5", "number"),
        (b"x'00fF'", "hex"),
        (b"0xF", "hex"),
        (b"b'101'", "bit"),
        (b"0b101", "bit"),
        (b"`odd ``name``; --`", "quoted_identifier"),
        (b"@user_var", "user_variable"),
        (b"@'quoted var'", "user_variable"),
        (b"@@session.autocommit", "system_variable"),
        (b"/* comment ' */", "comment"),
        (b"2fa_token", "word"),
        (b"\xc3\xbcber", "word"),
    ],
)
def test_one_token_is_one_span(text: bytes, kind: str) -> None:
    assert kinds(text) == [(kind, text)]


@pytest.mark.parametrize("verb", [b"SELECT", b"insert", b"REPLACE", b"UPDATE", b"DELETE"])
def test_a_hint_stands_behind_a_verb(verb: bytes) -> None:
    assert kinds(verb + b" /*+ MAX_EXECUTION_TIME(5) */ t")[1][0] == "hint"


@pytest.mark.parametrize("sql", [b"SELECT 1 /*+ ada */", b"/*+ ada */ SELECT", b"SELECT/**//*+a*/"])
def test_a_hint_elsewhere_is_a_comment(sql: bytes) -> None:
    assert "hint" not in dict(kinds(sql))


def test_two_minus_signs_are_a_comment_only_before_a_space() -> None:
    assert [k for k, _ in kinds(b"5--1")] == ["number", "operator", "operator", "number"]
    assert kinds(b"5 -- it's\n+1")[1] == ("comment", b"-- it's")


def test_what_follows_a_dot_is_a_name() -> None:
    assert kinds(b"t.1e5")[-1] == ("word", b"1e5")
    assert kinds(b"`t`.5")[-1] == ("word", b"5")


def test_executable_comments_are_opened_not_skipped() -> None:
    found = kinds(b"SELECT /*!40001 SQL_NO_CACHE */ 1")
    assert ("executable_open", b"/*!40001") in found
    assert ("word", b"SQL_NO_CACHE") in found
    assert ("executable_close", b"*/") in found


def test_multiplication_before_a_comment_is_no_end_of_a_comment() -> None:
    assert kinds(b"2*/*c*/3") == [
        ("number", b"2"),
        ("operator", b"*"),
        ("comment", b"/*c*/"),
        ("number", b"3"),
    ]


def test_an_introducer_stands_before_a_literal_only() -> None:
    assert kinds(b"_utf8mb4'x'")[0] == ("introducer", b"_utf8mb4")
    assert kinds(b"_utf8mb4 = 1")[0] == ("word", b"_utf8mb4")


def test_sql_mode_decides_what_quotes_and_backslashes_mean() -> None:
    assert kinds(b'"a"', ansi_quotes=True) == [("quoted_identifier", b'"a"')]
    assert kinds(rb"'C:\'", no_backslash_escapes=True) == [("text", rb"'C:\'")]


@pytest.mark.parametrize("sql", [b"SELECT 'secret", b"SELECT `a", b"SELECT /* x", rb"SELECT 'a\'"])
def test_what_never_ends_is_refused_without_showing_it(sql: bytes) -> None:
    with pytest.raises(SqlError, match="never ends") as caught:
        lex(sql)
    assert "secret" not in str(caught.value)


def test_a_script_is_split_at_semicolons_that_end_statements() -> None:
    script = b"-- head; er\nSELECT ';' /* ; */, `;`;\n;SELECT 2 -- tail;"
    assert split_statements(script) == [b"SELECT ';' /* ; */, `;`", b"SELECT 2"]


def test_spans_point_into_the_script() -> None:
    script = b"  BEGIN ; COMMIT;"
    assert [script[a:b] for a, b in statement_spans(script)] == [b"BEGIN", b"COMMIT"]

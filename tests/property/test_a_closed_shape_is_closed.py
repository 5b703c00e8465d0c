"""What a statement's shape proves, the lexer says too, in every sql_mode."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from readiness.sql.lexer import lex, statement_spans
from readiness.sql.single import SINGLE_STATEMENT, has_closed_shape

PIECES = (
    b"'", b'"', b"`", b"\\", b"''", b"/*", b"*/", b"/*!", b"/*M!", b"--", b"-- ", b"-", b"#", b"\n",
    b"@", b"@@", b"@x", b"@'", b"@`", b";", b" ", b"(", b"a", b"x'", b"0x27", b"\0", b"\xff", b"*",
    b"/", b"\r", b"'a'", b"`a`", b"'-/*@#;'", b"/* a */", b"/*/", b"'a\\'", b"- -", b"/ *",
)  # fmt: skip
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=2)), max_size=12).map(
    b"".join
)


@settings(max_examples=1500)
@given(rest=texts)
def test_a_closed_shape_is_one_closed_statement(rest: bytes) -> None:
    sql = b"SELECT " + rest
    for ansi, plain in SINGLE_STATEMENT:
        if has_closed_shape(sql, no_backslash_escapes=plain):
            tokens = lex(sql, ansi_quotes=ansi, no_backslash_escapes=plain)  # raises if one is open
            assert len(statement_spans(sql, tokens)) == 1


@given(value=st.binary(max_size=30).map(lambda b: b.translate(None, b"'\\")), note=st.text("ab=,"))
def test_usual_statements_have_one(value: bytes, note: str) -> None:
    sql = b"UPDATE `t` SET a = '%s', b = b - 1 WHERE id = 5 /*%s*/" % (value, note.encode())
    assert has_closed_shape(sql, no_backslash_escapes=False)


def test_escaped_quotes_hide_nothing() -> None:
    sql = rb"""INSERT INTO t VALUES ('{\"a\": \"it\'s\", \"b\": \"\\\\\"}', 'x\\', 2)"""
    assert has_closed_shape(sql, no_backslash_escapes=False)
    assert not has_closed_shape(sql[:-5], no_backslash_escapes=False)

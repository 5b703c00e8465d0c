"""The fast proof that bytes are one closed statement never contradicts the lexer."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readiness.errors import SqlError
from readiness.sql.kind import leading_words
from readiness.sql.lexer import Token, lex, statement_spans
from readiness.sql.single import ALL_CLOSED, SINGLE_STATEMENT

PIECES = (
    b"'", b'"', b"`", b"\\", b"''", b"/*", b"*/", b"/*!", b"/*M!", b"/*!50100 ", b"/*+", b"--", b"-- ",
    b"-", b"#", b"\n", b"@", b"@@", b"@'", b"@`", b";", b" ", b"(", b")", b"a", b"SELECT ", b"x'",
    b"N'", b"_utf8", b"0x27", b"\0", b"\xff", b"1.5e3", b".", b"*", b"/", b"\r", b"$", b"END",
)  # fmt: skip
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=2)), max_size=14).map(
    b"".join
)
modes = st.sampled_from(list(SINGLE_STATEMENT))


def tokens_of(sql: bytes, mode: tuple[bool, bool]) -> list[Token] | None:
    try:
        return lex(sql, ansi_quotes=mode[0], no_backslash_escapes=mode[1])
    except SqlError:
        return None


@settings(max_examples=400)
@given(sql=texts, mode=modes)
def test_what_is_proven_single_is_one_statement_of_that_verb(
    sql: bytes, mode: tuple[bool, bool]
) -> None:
    found = SINGLE_STATEMENT[mode].match(sql)
    if found:
        tokens = tokens_of(sql, mode)
        assert tokens is not None
        assert len(statement_spans(sql, tokens)) == 1
        if found[1].upper() not in (b"X", b"B", b"N"):  # x'00' is a literal, and no verb
            assert leading_words(sql, tokens, limit=1) == [found[1].upper()]


@settings(max_examples=400)
@given(sql=texts, mode=modes)
def test_what_is_closed_is_what_the_lexer_reads_to_its_end(
    sql: bytes, mode: tuple[bool, bool]
) -> None:
    is_closed = ALL_CLOSED[mode].match(sql) is not None
    is_read = tokens_of(sql, mode) is not None
    assert is_read or not is_closed
    if sql.count(b"!") <= 2:  # executable comments nested deeper are left to the lexer
        assert is_closed or not is_read


@given(sql=st.binary(max_size=40).filter(lambda b: not set(b) & set(b"'\"`/-#@;\\")))
def test_plain_statements_are_proven(sql: bytes) -> None:
    for pattern in SINGLE_STATEMENT.values():
        assert pattern.match(b"SELECT " + sql + b" FROM `t` WHERE a = 'x''y' AND b = \"z\";")


@pytest.mark.parametrize(
    "piece", [b"'", b'"', b"`", b"/*", b"/", b"-", b"- ", b"--", b"#", b"@", b"@@", b"\\", b"'\\", b"(", b"*/"]
)  # fmt: skip
@pytest.mark.parametrize("start", [b"", b"SELECT ", b"SELECT '", b"/*", b"SELECT `"])
def test_no_bytes_make_a_proof_slower_than_linear(piece: bytes, start: bytes) -> None:
    """200,000 pieces take a fraction of a second; were it quadratic, they would take hours."""
    sql = start + piece * 200_000
    began = time.process_time()
    for pattern in (*SINGLE_STATEMENT.values(), *ALL_CLOSED.values()):
        pattern.match(sql)
    assert time.process_time() - began < 20

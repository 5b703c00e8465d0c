"""The lexer loses no byte, and literals carry any value there and back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from readiness.errors import SqlError
from readiness.model.workload import Form
from readiness.sql.lexer import TokenKind, decode, encode, lex
from readiness.sql.mask import mask

SPACES = b" \t\r\n\f\v"
FRAGMENTS = st.sampled_from(
    b"SELECT|'a''b'|\"x\\\"\"|`q`|1.5|0x1F|x'00'|b'1'|@v|@@v.x|/*c*/|/*+h*/|/*!50000 |*/|-- c\n|#c\n"
    b"|(|,|t.1e5|_utf8".split(b"|")
)


@given(st.lists(FRAGMENTS, max_size=12), st.sampled_from([b" ", b"\n", b""]))
def test_tokens_and_the_space_between_them_are_the_statement(
    parts: list[bytes], space: bytes
) -> None:
    sql = space.join(parts)
    try:
        tokens = lex(sql)
    except SqlError:
        return
    at = 0
    for token in tokens:
        assert not sql[at : token.start].strip(SPACES)
        assert token.start < token.end
        at = token.end
    assert not sql[at:].strip(SPACES)
    assert len(mask(sql, tokens)) == len(sql)


@given(st.binary(max_size=60), st.booleans())
def test_a_text_literal_gives_its_value_back(value: bytes, plain: bool) -> None:
    literal = encode(Form.TEXT, value, no_backslash_escapes=plain)
    (token,) = lex(literal, no_backslash_escapes=plain)
    assert (token.kind, token.end) == (TokenKind.TEXT, len(literal))
    assert decode(token.kind, literal, no_backslash_escapes=plain) == value


@given(st.binary(max_size=60))
def test_a_hex_literal_gives_its_value_back(value: bytes) -> None:
    literal = encode(Form.HEX, value)
    (token,) = lex(literal)
    assert decode(token.kind, literal) == value


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_a_number_is_written_as_it_is(value: object) -> None:
    digits = format(value, "f").encode()
    assert encode(Form.NUMBER, digits) == digits

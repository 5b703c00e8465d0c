"""A literal is decoded as the server reads it, and written so that it reads the same."""

from __future__ import annotations

import pytest

from readiness.errors import SqlError
from readiness.model.workload import Form
from readiness.sql.lexer import decode, encode


@pytest.mark.parametrize(
    ("kind", "literal", "value"),
    [
        ("text", b"'it''s'", b"it's"),
        ("text", b"'it\\'s\\n\\0\\Z\\\\'", b"it's\n\0\x1a\\"),
        ("text", b"'100\\% \\_ \\x'", b"100\\% \\_ x"),
        ("text", b'"say ""hi"""', b'say "hi"'),
        ("text", b"n'x'", b"x"),
        ("number", b"1.50", b"1.50"),
        ("hex", b"X'00fF'", b"\x00\xff"),
        ("hex", b"0xF", b"\x0f"),
        ("bit", b"b'100000001'", b"\x01\x01"),
    ],
)
def test_literals_decode_to_what_the_server_reads(kind: str, literal: bytes, value: bytes) -> None:
    assert decode(kind, literal) == value


def test_without_backslash_escapes_a_backslash_is_itself() -> None:
    assert decode("text", rb"'C:\n'", no_backslash_escapes=True) == rb"C:\n"
    assert encode(Form.TEXT, rb"C:\n", no_backslash_escapes=True) == rb"'C:\n'"


@pytest.mark.parametrize(
    ("form", "value", "literal"),
    [
        (Form.TEXT, b"O'Hara", b"'O\\'Hara'"),
        (Form.TEXT, b"a\\\n\0", b"'a\\\\\\n\\0'"),
        (Form.NUMBER, b"-12.5", b"-12.5"),
        (Form.HEX, b"\x00\xff", b"x'00ff'"),
    ],
)
def test_values_are_written_as_literals(form: Form, value: bytes, literal: bytes) -> None:
    assert encode(form, value) == literal


@pytest.mark.parametrize("value", [b"1; DROP TABLE users", b"", b"0x1", b"NULL"])
def test_only_numbers_are_written_bare(value: bytes) -> None:
    with pytest.raises(SqlError, match="no number"):
        encode(Form.NUMBER, value)


def test_a_word_has_no_value() -> None:
    with pytest.raises(SqlError, match="not a literal"):
        decode("word", b"SELECT")

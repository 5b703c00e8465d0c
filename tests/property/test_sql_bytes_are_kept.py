"""The lexer loses no byte, and literals carry any value there and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readiness.capture.sessions import read_capture
from readiness.errors import SqlError
from readiness.model.draft import RawLiteral
from readiness.model.workload import Form, Slot
from readiness.sql.lexer import TokenKind, decode, encode, lex
from readiness.sql.mask import mask
from readiness.workload.find.literals import literals_of
from readiness.workload.find.pieces import literal_text, pieces_of
from readiness.workload.find.statements import Statement, flatten

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


SAMPLES = Path(__file__).parents[1] / "samples" / "checkout-captures"
LOGS = sorted(p for p in SAMPLES.rglob("*.log") if not p.name.endswith(".slow.log"))


def slots_filled(statement: Statement) -> bytes:
    """The statement cut into slots and literals by turns, each filled with what was captured."""
    replaced: dict[int, Slot | RawLiteral] = {}
    for number, literal in enumerate(statement.literals):
        text = RawLiteral(literal_text(statement, literal), literal.form, "", "")
        replaced[number] = Slot(str(number)) if number % 2 else text
    made = b""
    for piece in pieces_of(statement, replaced):
        if isinstance(piece, Slot):
            literal = statement.literals[int(piece.variable)]
            made += statement.sql[literal.slot_start : literal.slot_end]
        else:
            assert isinstance(piece, bytes | RawLiteral)
            made += piece.text if isinstance(piece, RawLiteral) else piece
    return made


@pytest.mark.parametrize("log", LOGS, ids=[str(p.relative_to(SAMPLES)) for p in LOGS])
def test_captured_values_in_their_places_are_the_captured_statements(log: Path) -> None:
    statements = flatten(read_capture(log)).statements
    assert len(statements) > 50
    for statement in statements:
        kept = [t for t in statement.tokens if t.kind is not TokenKind.COMMENT]
        if len(kept) == len(statement.tokens):
            assert slots_filled(statement) == statement.sql.strip(SPACES + b";")
        else:
            again = slots_filled(statement)
            assert [again[t.start : t.end] for t in lex(again)] == [
                statement.sql[t.start : t.end] for t in kept
            ]


LITERALS_AND_SIGNS = st.sampled_from(
    b"5|-5|- 5|1.5e-3|.5|'x'|'it''s'|\"y\"|x'0F'|0xff|b'1'|N'n'|_utf8mb4'u'|_binary 'b'|_latin1 x'41'"
    b"|DATE'2026-01-01'|{d '2026-01-01'}|'a' 'b'|/*!50000 7 */|-/*c*/8".split(b"|")
)


@given(st.lists(LITERALS_AND_SIGNS, min_size=1, max_size=8))
def test_each_literal_lies_in_its_slot_and_no_two_slots_meet(parts: list[bytes]) -> None:
    sql = b"SELECT a FROM t WHERE b IN (" + b", ".join(parts) + b")"
    found = literals_of(sql, lex(sql))
    assert len(found) == len(parts)
    at = 0
    for literal in found:
        assert at <= literal.slot_start <= literal.start < literal.end <= literal.slot_end
        at = literal.slot_end
    written = [encode(lit.form, lit.value) for lit in found]
    again = b"SELECT a FROM t WHERE b IN (" + b", ".join(written) + b")"
    assert [lit.value for lit in literals_of(again, lex(again))] == [lit.value for lit in found]

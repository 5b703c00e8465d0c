"""The lexer on 172 statements of real applications, each literal counted by hand."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot.errors import SqlglotError
from tests.unit.sql.torture import CASES, UNREAD, Case

from readiness.model.workload import Form
from readiness.sql.lexer import LITERALS, encode, lex
from readiness.sql.mask import mask
from readiness.sql.shape import shape
from readiness.workload.find.literals import Literal, literals_of

SMALL = [c for c in CASES if len(c.sql) < 20_000]
all_cases = pytest.mark.parametrize("case", CASES, ids=[c.name for c in CASES])
small_cases = pytest.mark.parametrize("case", SMALL, ids=[c.name for c in SMALL])


def literals(sql: bytes) -> list[Literal]:
    return literals_of(sql, lex(sql))


def edited(sql: bytes, texts: list[bytes], found: list[Literal]) -> bytes:
    """The statement with the slot of each literal replaced."""
    made, at = b"", 0
    for literal, text in zip(found, texts, strict=True):
        made += sql[at : literal.slot_start] + text
        at = literal.slot_end
    return made + sql[at:]


def parses(masked: bytes) -> bool:
    try:
        return sqlglot.parse_one(masked.decode(), read="mysql").key != "command"
    except SqlglotError:
        return False


def test_the_list_is_whole() -> None:
    assert len(CASES) == len({c.name for c in CASES}) == 172
    assert {c.name for c in CASES} > UNREAD


@all_cases
def test_every_literal_is_found_with_its_value(case: Case) -> None:
    assert tuple(lit.value for lit in literals(case.sql)) == case.values


@all_cases
def test_what_was_cut_out_put_back_gives_the_same_bytes(case: Case) -> None:
    found = literals(case.sql)
    own = [case.sql[lit.slot_start : lit.slot_end] for lit in found]
    assert edited(case.sql, own, found) == case.sql


@all_cases
def test_a_mask_keeps_every_place(case: Case) -> None:
    masked = mask(case.sql)
    assert len(masked) == len(case.sql)
    assert masked.isascii()


@small_cases
def test_a_parser_reads_the_mask_or_the_list_says_that_it_does_not(case: Case) -> None:
    assert parses(mask(case.sql)) is (case.name not in UNREAD)


@all_cases
def test_values_written_anew_are_read_as_the_same_values(case: Case) -> None:
    found = literals(case.sql)
    made = edited(case.sql, [b" " + encode(lit.form, lit.value) + b" " for lit in found], found)
    again = literals(made)
    assert [lit.value for lit in again] == [lit.value for lit in found]
    assert [lit.is_structural for lit in again] == [lit.is_structural for lit in found]


OTHER = {
    Form.TEXT: (b"'another'", b"'x''y\\'z'"),
    Form.NUMBER: (b"8", b"-77.5"),
    Form.HEX: (b"x'00'",) * 2,
}


@pytest.mark.parametrize("pick", [0, 1])
@small_cases
def test_other_values_have_the_same_shape(case: Case, pick: int) -> None:
    """Structure has no sign: no server takes LIMIT -1."""
    found = literals(case.sql)
    texts = [b" " + OTHER[lit.form][pick and not lit.is_structural] + b" " for lit in found]
    assert shape(edited(case.sql, texts, found)) == shape(case.sql)


_WITNESSED = {
    sqlglot.TokenType.STRING, sqlglot.TokenType.NUMBER, sqlglot.TokenType.HEX_STRING,
    sqlglot.TokenType.BIT_STRING, sqlglot.TokenType.NATIONAL_STRING,
}  # fmt: skip
_SWALLOWED = "it takes a command that it does not know as one string"
DIFFERENT = {
    "version comment ins": "it takes an executable comment for a comment",
    "neg/float/exp": "it reads `.5` as a dot and a number",
    "call": _SWALLOWED,
    "replace": _SWALLOWED,
    "replace set": _SWALLOWED,
    "execute": _SWALLOWED,
    "lock tables": _SWALLOWED,
    "optimize": _SWALLOWED,
}


def spans(sql: bytes) -> list[tuple[int, int]]:
    return [(t.start, t.end) for t in lex(sql) if t.kind in LITERALS]


def witnessed(sql: bytes) -> list[tuple[int, int]]:
    """The literal spans that sqlglot's tokenizer finds, in bytes."""
    text = sql.decode("utf-8", "surrogateescape")
    places = [0]
    for char in text:
        places.append(places[-1] + len(char.encode("utf-8", "surrogateescape")))
    tokens = sqlglot.tokenize(text, read="mysql")
    return [(places[t.start], places[t.end + 1]) for t in tokens if t.token_type in _WITNESSED]


@all_cases
def test_another_tokenizer_finds_the_same_literals_but_where_it_is_known_to_fail(
    case: Case,
) -> None:
    assert (spans(case.sql) != witnessed(case.sql)) is (case.name in DIFFERENT)

"""What leaves a draft: statements without captured values, fit to be replayed."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.fakes.checkouts import draft, fresh, literal, step

from readiness.anonymize.seal import seal
from readiness.errors import WorkloadError
from readiness.model.draft import RawDraft, RawLiteral, RawPiece, RawRow, RawVariable
from readiness.model.workload import Form, Piece, Repeat, Row, Slot, Turn, VariableKind, Workload

KEY = b"k" * 32


def sealed(raw: RawDraft) -> Workload:
    return seal(raw, key=KEY, now_ms=1_796_000_000_000)


def pieces(*given: RawPiece) -> tuple[Piece, ...]:
    return sealed(draft(step(*given))).steps[0].pieces


def text(*given: RawPiece) -> bytes:
    return b"".join(p if isinstance(p, bytes) else b"@" for p in pieces(*given))


def test_a_literal_that_differs_is_replaced_in_its_shape() -> None:
    made = text(b"SELECT ", literal(b"'Ada Weiss'"))
    assert len(made) == len(b"SELECT 'Ada Weiss'")
    assert b"Ada" not in made


def test_a_constant_stays() -> None:
    assert text(b"SELECT ", literal(b"'pay_in_4'", varies=False)) == b"SELECT 'pay_in_4'"


def test_equal_values_stay_equal_in_all_statements() -> None:
    one, other = literal(b"'Ada Weiss'"), literal(b"'Ada Weiss'", column="holder")
    made = sealed(draft(step(b"SELECT ", one), step(b"SELECT ", other, statement_id="s002")))
    assert made.steps[0].pieces == made.steps[1].pieces


@pytest.mark.parametrize(
    ("constant", "column"),
    [
        (b"'ada.weiss@shop.test'", "note"),
        (b"'call +1 212 555 0199 now'", "note"),
        (b"'4111111111111111'", "note"),
        (b"'DE89370400440532013000'", "note"),
        (b"'078-05-1120'", "note"),
        (b"'from 203.0.113.9'", "note"),
        (b"'2001:db8:85a3::8a2e:370:7334'", "note"),
        (b"'Weissenfels'", "last_name"),
        (b"'1987-05-01'", "date_of_birth"),
        (b"'12 Elm Street'", "line1"),
    ],
)
def test_a_personal_constant_is_caught_by_the_second_net(constant: bytes, column: str) -> None:
    made = text(b"SELECT ", literal(constant, column=column, varies=False))
    assert constant not in made


@pytest.mark.parametrize("column", ["email_type", "address_type", "phone_verified", "kind"])
def test_a_code_about_personal_data_stays(column: str) -> None:
    assert b"'billing'" in text(b"SELECT ", literal(b"'billing'", column=column, varies=False))


def test_structure_stays() -> None:
    limit = RawLiteral(b"4711", Form.NUMBER, "", "", is_structural=True, varies=True)
    assert text(b"SELECT 1 LIMIT ", limit) == b"SELECT 1 LIMIT 4711"


def test_a_json_path_stays() -> None:
    path = RawLiteral(b"'$.offer'", Form.TEXT, "", "", is_structural=True, varies=True)
    assert text(b"SELECT a->", path) == b"SELECT a->'$.offer'"


def test_the_words_of_a_full_text_search_are_replaced_and_its_signs_stay() -> None:
    words = RawLiteral(b"'+ada -weiss*'", Form.TEXT, "", "", is_structural=True, varies=True)
    made = text(b"MATCH (a) AGAINST (", words, b" IN BOOLEAN MODE)")
    assert re.fullmatch(rb"MATCH \(a\) AGAINST \('\+[a-z]{3} -[a-z]{5}\*' .*", made)
    assert b"ada" not in made


def test_what_precedes_a_quote_stays() -> None:
    made = text(b"SELECT ", RawLiteral(b"_utf8mb4'Ada Weiss'", Form.TEXT, "", "", varies=True))
    assert made.startswith(b"SELECT _utf8mb4'")
    assert b"Ada" not in made


@pytest.mark.parametrize("varies", [True, False])
def test_bytes_that_are_no_text_are_written_in_hex(varies: bool) -> None:
    raw = RawLiteral(b"_binary'\xff\x00\xfe12345'", Form.TEXT, "", "", varies=varies)
    made = text(b"SELECT ", raw)
    assert made.startswith(b"SELECT _binary x'")
    assert made.isascii()


@pytest.mark.parametrize("before", [b"SELECT _binary", b"SELECT _utf8mb4", b"SELECT 1 LIKE"])
@pytest.mark.parametrize("varies", [True, False])
def test_hex_never_touches_the_word_before_it(before: bytes, varies: bool) -> None:
    """`_binary'\xff'` stands in two pieces, the introducer and the text: `_binaryx'…'` is a name."""
    raw = RawLiteral(b"'\xff\x00\xfe12345'", Form.TEXT, "", "", varies=varies)
    assert text(before, raw).startswith(before + b" x'")


def test_hex_after_a_sign_stands_as_the_text_stood() -> None:
    raw = RawLiteral(b"'\xff\x00\xfe12345'", Form.TEXT, "", "")
    assert text(b"SELECT (", raw, b")").startswith(b"SELECT (x'")


def test_the_rows_of_a_turn_are_sealed_like_the_rest() -> None:
    turn = Turn("lines_0", 2)
    secret = RawLiteral(b"_binary'\xff\x00\xfe12345'", Form.TEXT, "", "", varies=True)
    row = RawRow(turn, (b", (", Slot("a"), b", ", literal(b"'Ada Weiss'"), b", ", secret, b")"))
    raw = draft(step(b"INSERT INTO t VALUES (", Slot("a"), b")", row, b";\n"))
    (plain, slot, end, made) = sealed(raw).steps[0].pieces
    assert (plain, slot, end) == (b"INSERT INTO t VALUES (", Slot("a"), b")")
    assert isinstance(made, Row)
    assert (made.turn, made.pieces[:2]) == (turn, (b", (", Slot("a")))
    assert isinstance(made.pieces[2], bytes)
    assert re.fullmatch(rb", '[^']{9}', _binary x'[0-9a-f]{16}'\)", made.pieces[2])
    assert b"Ada" not in made.pieces[2]


def test_what_repeats_is_passed_on() -> None:
    one = replace(step(b"SELECT 1"), turn=Turn("lines_0", 1), shape="3f2a9c11")
    raw = replace(draft(one), repeats=(Repeat("lines_0", (1, 2)),), tables={"loans": "91bc0a2d"})
    made = sealed(raw)
    assert (made.repeats, made.tables) == (raw.repeats, raw.tables)
    assert (made.steps[0].turn, made.steps[0].shape) == (one.turn, one.shape)


def test_slots_never_touch_a_word() -> None:
    assert pieces(b"SELECT 1 LIKE", Slot("a"), b"AND 2;\n") == (
        b"SELECT 1 LIKE ",
        Slot("a"),
        b" AND 2",
    )


def test_examples_are_no_captured_values() -> None:
    values = (b"ORD-123456", b"ORD-654321")
    variable = sealed(draft(variables=[fresh("ref", "pattern", *values)])).variables[0]
    assert variable.generator == "pattern(ORD-AXXXXX)"
    assert variable.example.encode()[1:-1] not in values


def test_an_example_is_no_value_of_any_capture_even_where_few_are_left() -> None:
    values = tuple(b"%d" % n for n in range(9))
    variable = sealed(draft(variables=[fresh("digit", "pattern", *values)])).variables[0]
    assert (variable.generator, variable.example) == ("pattern(9)", "'9'")


def test_constants_inside_an_expression_pass_the_net() -> None:
    raw = RawVariable(
        "body_0",
        VariableKind.DERIVED,
        "",
        "mails",
        "body",
        Form.TEXT,
        (None, None),
        expression="CONCAT('write to ada@shop.test: ', @x)",
    )
    expression = sealed(draft(variables=[raw])).variables[0].expression
    assert "ada@shop.test" not in expression
    assert expression.startswith("CONCAT('write to ")


def test_an_existing_value_needs_a_sample() -> None:
    raw = RawVariable("m_0", VariableKind.EXISTING, "", "m", "id", Form.NUMBER, (b"1", b"2"))
    with pytest.raises(WorkloadError, match="@m_0"):
        sealed(draft(variables=[raw]))


def test_another_key_gives_other_pseudonyms() -> None:
    raw = draft(step(b"SELECT ", literal(b"'Ada Weiss'")))
    assert seal(raw, key=KEY) != seal(raw, key=b"x" * 32)

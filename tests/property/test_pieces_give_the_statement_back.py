"""Whatever is cut out of a statement, joined again it is the captured statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.captures import DATA, alone, capture, paylater_schema

from readiness.capture.sessions import read_capture
from readiness.model.draft import RawDraft, RawLiteral, RawPiece, RawRow
from readiness.model.workload import Form, Slot, VariableKind
from readiness.sql.lexer import encode, lex
from readiness.workload.find.align import align
from readiness.workload.find.literals import literals_of
from readiness.workload.find.parameterize import parameterize
from readiness.workload.find.pieces import literal_text, pieces_of
from readiness.workload.find.statements import Statement, flatten
from readiness.workload.make.expression import Now, Place, compile_expression

WORDS = st.sampled_from(
    ["a", "=", "(", ")", ",", "/* c */", "/*+ h */", "-- x\n", "@own", "`q`", "LIMIT", "TIMESTAMP"]
)
VALUES = st.one_of(
    st.binary(max_size=8).map(lambda v: encode(Form.TEXT, v)),
    st.binary(max_size=4).map(lambda v: b"_binary " + encode(Form.TEXT, v)),
    st.binary(max_size=4).map(lambda v: encode(Form.HEX, v)),
    st.integers(0, 10**20).map(lambda n: str(n).encode()),
)


def joined(statement: Statement, pieces: Sequence[RawPiece]) -> bytes:
    """The pieces with the captured literals where slots are; a slot is named by its literal."""
    found = b""
    for piece in pieces:
        match piece:
            case Slot(name):
                literal = statement.literals[int(name)]
                whole = replace(literal, start=literal.slot_start, end=literal.slot_end)
                found += literal_text(statement, whole)
            case RawRow():
                found += joined(statement, piece.pieces)
            case RawLiteral():
                found += piece.text
            case bytes():
                found += piece
    return found


def kept(statement: Statement, number: int) -> RawLiteral:
    literal = statement.literals[number]
    return RawLiteral(literal_text(statement, literal), literal.form, "", "")


def one(sql: bytes) -> Statement:
    return flatten(capture(alone(b"DELETE FROM " + sql))).statements[0]


@given(st.lists(st.one_of(VALUES, WORDS.map(str.encode)), max_size=12), st.data())
def test_pieces_join_to_the_statement_without_its_comments(
    parts: list[bytes], data: st.DataObject
) -> None:
    statement = one(b" ".join(parts))
    replaced: dict[int, Slot | RawLiteral] = {}
    for number in range(len(statement.literals)):
        match data.draw(st.sampled_from(["slot", "literal", "bytes"])):
            case "slot":
                replaced[number] = Slot(str(number))
            case "literal":
                replaced[number] = kept(statement, number)
    again = joined(statement, pieces_of(statement, replaced))
    assert again.split() == joined(statement, pieces_of(statement, {})).split()
    plain = [statement.sql[t.start : t.end] for t in statement.tokens if t.kind != "comment"]
    left = [again[t.start : t.end] for t in lex(again)]
    assert [k for k in left if k != b";"] == [p for p in plain if p != b";"]


@given(st.lists(VALUES, min_size=1, max_size=6))
def test_without_comments_not_a_byte_changes(parts: list[bytes]) -> None:
    statement = one(b"t WHERE a IN ( " + b" , ".join(parts) + b" )")
    slots = {n: Slot(str(n)) for n in range(len(statement.literals))}
    assert joined(statement, pieces_of(statement, slots)) == statement.sql


GAPS = st.sampled_from([b", ", b",", b" ,\n"])


@given(st.lists(VALUES, min_size=1, max_size=6), GAPS, st.data())
def test_a_list_is_cut_into_turns_without_losing_a_byte(
    values: list[bytes], gap: bytes, data: st.DataObject
) -> None:
    """Two captures with lists of another length: the longer one is written out, byte for byte."""
    is_insert = data.draw(st.booleans())
    texts = [b"(%b, 'x')" % v if is_insert else v for v in values]
    start = b"INSERT INTO t (a, b) VALUES " if is_insert else b"SELECT 1 FROM t WHERE a IN ("
    end = b"" if is_insert else b")"
    whole = capture(alone(start + gap.join(texts) + end))
    short = capture(alone(start + texts[0] + end))
    (laid,) = align([flatten(short), flatten(whole)]).laid
    replaced: dict[int, Slot | RawLiteral] = {
        n: Slot(str(n)) for n in range(len(laid.part.statement.literals))
    }
    pieces = pieces_of(laid.part.statement, replaced, laid.rows)
    assert joined(laid.part.statement, pieces) == start + gap.join(texts) + end
    assert sum(isinstance(p, RawRow) for p in pieces) == len(texts) - 1


@pytest.fixture(scope="module")
def draft() -> RawDraft:
    captures = [read_capture(DATA / f"salted_{n}.log", users=_USERS) for n in (1, 2, 3)]
    return parameterize(captures, schema=paylater_schema(), name="checkout")


_USERS = ("checkout_api", "identity", "decision", "ledger_svc")


def test_captured_values_in_the_slots_give_the_captured_literals(draft: RawDraft) -> None:
    """Same literals, same values: the captured flow is one checkout of the draft."""
    values = {v.name: encode(v.form, v.values[0] or b"") for v in draft.variables}
    reference = flatten(read_capture(DATA / "salted_1.log", users=_USERS)).statements
    assert len(reference) == len(draft.steps)
    for statement, step in zip(reference, draft.steps, strict=True):
        text = b"".join(
            values[p.variable]
            if isinstance(p, Slot)
            else p.text
            if isinstance(p, RawLiteral)
            else p
            for p in step.pieces
        )
        again = literals_of(text, lex(text))
        assert [lit.value for lit in again] == [lit.value for lit in statement.literals]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_every_derived_value_follows_from_the_others_in_every_capture(
    draft: RawDraft, number: int
) -> None:
    """Except the choice of the user, which is fixed to that of the first capture."""
    values = [v.values[number] or b"" for v in draft.variables]
    places = {v.name: Place(i, v.form) for i, v in enumerate(draft.variables)}
    now = Now.at(0, 0.0)
    derived = [v for v in draft.variables if v.kind is VariableKind.DERIVED]
    wrong = [
        v.name
        for v in derived
        if compile_expression(v.expression, places).evaluate(values, now) != v.values[number]
    ]
    assert len(derived) > 20
    assert set(wrong) <= {"offer_id_3"}

"""What a policy makes of the values of a column, varying or constant."""

from __future__ import annotations

import pytest
from tests.fakes.checkouts import draft, literal, step

from readiness.anonymize.personal import all_originals
from readiness.anonymize.policy import Policy, generalized
from readiness.anonymize.scan import scan
from readiness.anonymize.seal import seal
from readiness.config.policy import Rule, Treatment
from readiness.model.draft import RawDraft
from readiness.model.workload import Form
from readiness.workload.text.file import render

KEY = b"k" * 32


def policy(treat: Treatment, column: str = "note") -> Policy:
    return Policy({("people", column): Rule(treat, "asked for")}, "shop", "ab" * 32)


def one(text: bytes, *, varies: bool, column: str = "note") -> RawDraft:
    return draft(step(b"SELECT ", literal(text, varies=varies, column=column)))


def sealed(text: bytes, treat: Treatment, *, varies: bool = True, column: str = "note") -> bytes:
    raw = one(text, varies=varies, column=column)
    piece = seal(raw, key=KEY, policy=policy(treat, column)).steps[0].pieces[0]
    assert isinstance(piece, bytes)
    return piece.removeprefix(b"SELECT ")


def test_kept_values_stay_even_where_they_look_personal() -> None:
    assert sealed(b"'ada@shop.test'", Treatment.KEEP, varies=False) == b"'ada@shop.test'"
    assert sealed(b"'Xaverius'", Treatment.KEEP, varies=False, column="last_name") == b"'Xaverius'"


def test_a_constant_is_forced_replaced_everywhere_and_searched_for() -> None:
    forced = literal(b"'blue crane'", varies=False)
    other = literal(b"'the blue crane flies'", column="body", varies=False)
    raw = draft(step(b"SELECT ", forced, b", ", other))
    force = policy(Treatment.PSEUDONYM)
    file = render(seal(raw, key=KEY, policy=force))
    assert b"blue crane" not in file
    assert scan({"a": b"a Blue Crane"}, all_originals(raw, force)) != []


@pytest.mark.parametrize("varies", [True, False])
def test_emptied_values_are_empty(varies: bool) -> None:
    assert sealed(b"'some words'", Treatment.EMPTY, varies=varies) == b"''"
    assert sealed(b"4711", Treatment.EMPTY, varies=varies) == b"0"


@pytest.mark.parametrize(
    ("value", "form", "made"),
    [
        (b"1987-05-31", Form.TEXT, b"1985-01-01"),
        (b"2026-11-30 12:34:56.789", Form.TEXT, b"2025-01-01 00:00:00"),
        (b"94107", Form.TEXT, b"90000"),
        (b"SW1A 1AA", Form.TEXT, b"SX0X 0XX"),
        (b"1234.56", Form.NUMBER, b"1000.00"),
        (b"-0.0731", Form.NUMBER, b"-0.0700"),
        (b"\x01\x02", Form.HEX, b"\0\0"),
        (b"", Form.TEXT, b""),
        (b"0", Form.NUMBER, b"0"),
    ],
)
def test_a_generalized_value_keeps_its_band(value: bytes, form: Form, made: bytes) -> None:
    assert generalized(value, form) == made


def test_the_workload_names_the_policy() -> None:
    force = policy(Treatment.PSEUDONYM)
    file = render(seal(one(b"'x'", varies=False), key=KEY, policy=force))
    assert b"\n-- @policy shop abababababab\n" in file
    assert b"@policy" not in render(seal(one(b"'x'", varies=False), key=KEY))


def test_a_captured_value_that_is_coarse_already_is_no_leak() -> None:
    raw = one(b"'1985-01-01'", varies=True)
    coarser = policy(Treatment.GENERALIZE)
    file = render(seal(raw, key=KEY, policy=coarser))
    assert b"'1985-01-01'" in file
    assert scan({"checkout.sql": file}, all_originals(raw, coarser)) == []


def test_what_the_policy_keeps_in_one_column_is_no_leak_beside_another() -> None:
    kept = literal(b"'Xaverius'", column="note", varies=False)
    told = literal(b"'Xaverius'", column="last_name", varies=False)
    raw, keep = draft(step(b"SELECT ", kept, b", ", told)), policy(Treatment.KEEP)
    file = render(seal(raw, key=KEY, policy=keep))
    assert file.count(b"Xaverius") == 1
    assert scan({"checkout.sql": file}, all_originals(raw, keep)) == []

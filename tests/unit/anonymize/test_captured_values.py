"""What a raw log holds is told without a schema: what differs between two, nearly all of one."""

from __future__ import annotations

import pytest
from tests.fakes.captures import alone, capture, statements, transaction

from readiness.anonymize.captured import captured_values
from readiness.anonymize.originals import Originals


def values(held: Originals) -> set[bytes]:
    return set(held.values.values())


def test_of_two_logs_what_stands_in_one_only_counts() -> None:
    held = captured_values(
        [
            statements("INSERT INTO users VALUES ('Ada Weiss', 'approved', 471100)"),
            statements("INSERT INTO users VALUES ('Zoe Braun', 'approved', 471100)"),
        ]
    )
    assert values(held) == {b"Ada Weiss", b"Zoe Braun"}


def test_an_id_names_log_line_and_literal() -> None:
    log = capture(transaction("SELECT 1", "SELECT 7, 'Ada Weiss'"))
    held = captured_values([statements("SELECT 1"), log])
    assert dict(held.values) == {"line2.2/2": b"Ada Weiss"}


def test_a_word_that_the_statements_share_is_no_value() -> None:
    held = captured_values(
        [
            statements("SELECT name FROM users, 'users'"),
            statements("SELECT name FROM users, 'Zoe B'"),
        ]
    )
    assert values(held) == {b"Zoe B"}


def test_texts_of_json_are_values_too() -> None:
    one = '{"user": {"name": "Ada Weiss", "age": 41, "id": 8814711}, "state": "open"}'
    two = '{"user": {"name": "Zoe Braun", "age": 42, "id": 8814712}, "state": "open"}'
    held = captured_values([statements(f"SELECT '{one}'"), statements(f"SELECT '{two}'")])
    found = {one.encode(), b"Ada Weiss", b"8814711", two.encode(), b"Zoe Braun", b"8814712"}
    assert values(held) == found


def test_what_is_personal_in_a_comment_counts() -> None:
    held = captured_values(
        [statements("SELECT 1 /* user='ada@mail.example' */"), statements("SELECT 1 /* none */")]
    )
    assert values(held) == {b"ada@mail.example"}


def test_adjacent_strings_are_one_value() -> None:
    held = captured_values([statements("SELECT 'Ada ' 'Weiss'"), statements("SELECT 'x'")])
    assert values(held) == {b"Ada Weiss"}


@pytest.mark.parametrize("mode", ["", "NO_BACKSLASH_ESCAPES"])
def test_the_sessions_sql_mode_says_what_a_backslash_is(mode: str) -> None:
    log = capture(transaction(r"SELECT 'C:\\temp'", sql_mode=mode))
    held = captured_values([log, statements("SELECT 'x'")])
    assert values(held) == {rb"C:\\temp" if mode else rb"C:\temp"}


def test_a_cut_statement_is_searched_as_it_stands() -> None:
    held = captured_values([capture(alone("SELECT 'Ada Wei")), statements("SELECT 1")])
    assert values(held) == {b"SELECT 'Ada Wei"}


@pytest.mark.parametrize(
    ("literal", "counts"),
    [
        ("'Ada Weiss'", True),
        ("'Weiss'", True),
        ("'ada@mail.example'", True),
        ("123456", True),
        ("12345", False),
        ("'checkout.confirmed'", False),
        ("'PENDING'", False),
        ("'abc'", False),
    ],
)
def test_of_one_log_all_counts_but_plain_words_and_short_numbers(
    literal: str, counts: bool
) -> None:
    held = captured_values([statements(f"SELECT {literal}")])
    assert bool(held.values) is counts


def test_a_piece_that_all_captures_share_is_no_piece() -> None:
    held = captured_values(
        [
            statements("SELECT 'customer.one@mail.example'"),
            statements("SELECT 'customer.two@mail.example'"),
        ]
    )
    pieces = {piece for own in held.parts.values() for piece in own}
    assert b"customer" not in pieces
    assert {b"omer.one", b"omer.two"} <= pieces

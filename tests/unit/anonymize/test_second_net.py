"""Constants that all captures share: what looks like a person is caught, words of the code are not."""

from __future__ import annotations

import time

import pytest
from tests.fakes.checkouts import draft, fresh, literal, step

from readiness.anonymize.net import personal_spans
from readiness.anonymize.personal import all_originals, places_of_personal
from readiness.anonymize.policy import NO_POLICY
from readiness.anonymize.scan import scan
from readiness.anonymize.seal import seal
from readiness.model.draft import RawDraft, RawLiteral
from readiness.model.workload import Form
from readiness.sql.lexer import encode
from readiness.workload.text.file import render

KEY = b"k" * 32


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in personal_spans(text)]


def constant(text: str, column: str = "note") -> bytes:
    """What is left of a statement with one constant."""
    raw = draft(
        step(b"SELECT ", literal(encode(Form.TEXT, text.encode()), column=column, varies=False))
    )
    piece = seal(raw, key=KEY).steps[0].pieces[0]
    assert isinstance(piece, bytes)
    return piece


@pytest.mark.parametrize(
    ("text", "personal"),
    [
        ("Ada.Weiss+shop@mail.shop.test", "Ada.Weiss+shop@mail.shop.test"),
        ("mailto:ada%40shop.test", "ada%40shop.test"),
        ("für zoë@büro.test", "zoë@büro.test"),
        ("call +1 212 555 0199 now", "+1 212 555 0199"),
        ("(212) 555-0199", "(212) 555-0199"),
        ("212-555-0199", "212-555-0199"),
        ("+49 (0)30 1234567", "+49 (0)30 1234567"),
        ("card 4111111111111111.", "4111111111111111"),
        ("card 4111 1111 1111 1111", "4111 1111 1111 1111"),
        ("3782-822463-10005", "3782-822463-10005"),
        ("DE89370400440532013000", "DE89370400440532013000"),
        ("pay to DE89 3704 0044 0532 0130 00 please", "DE89 3704 0044 0532 0130 00"),
        ("gb82west12345698765432", "gb82west12345698765432"),
        ("ssn 078-05-1120", "078-05-1120"),
        ("from 203.0.113.9", "203.0.113.9"),
        ("http://203.0.113.9/x", "203.0.113.9"),
        ("2001:db8:85a3::8a2e:370:7334", "2001:db8:85a3::8a2e:370:7334"),
        ("Ada Weiss", "Ada Weiss"),
        ("paid by Zoe Brandt today", "Zoe Brandt"),
        ("Dear Ada, welcome", "Ada"),
        ("Weiss, Ada", "Weiss, Ada"),
        ("Juan de la Cruz", "Juan de la Cruz"),
        ("Mark Johnson", "Mark Johnson"),
        ("12 Elm Street", "12 Elm Street"),
        ("Lindenstraße 12", "Lindenstraße 12"),
        ('{"first_name": "Xaverius", "plan": "gold"}', "Xaverius"),
        ('{"who": {"dateOfBirth": "1987-05-01"}}', "1987-05-01"),
        ('{"zip": 94107, "items": 12345}', "94107"),
        ("plan=gold&last_name=Xaverius", "Xaverius"),
        ("password=hunter22", "hunter22"),
        ("mysql://app:hunter2@db-1/shop", "app:hunter2"),
        ("app:hunter2@tcp(db-1:3306)/shop", "app:hunter2"),
    ],
)
def test_what_looks_personal_is_found_in_longer_texts(text: str, personal: str) -> None:
    assert found(text) == [personal]
    assert personal.encode() not in constant(text)


@pytest.mark.parametrize(
    "text",
    """pay_in_4 checkout.confirmed application/decided Pay Later|Grace Period|Will Call|Mark Paid|Max Amount
    April Payment|Standard Shipping|Chase Freedom|Summer Sale|Paris Store|Free Returns|Order Placed
    Visa Credit|Next Business Day|Credit Card|Out For Delivery|Jordan Retro Shoe|Virginia Beach
    2026-11-30|2026-11-30 12:00:00.123456|12:34:56|v1.2.3.4.5|Chrome/120.0.0.0 Safari/537.36|1234-5678
    x-ray vision|ORD-2026-000123|sha256:deadbeef|a4f0c1de-0000-4000-8000-000000000001|100-200-3000
    1577836800000000001|1234567890123|0.0.0|application/json; charset=utf-8|en_US.UTF-8|NEW YORK|USD 12.50
    {"event": "loan.created", "version": "2", "total": 12345}|SELECT|utf8mb4_unicode_ci|risk-model-7.2
    127.0.0.1|::1|::|user::order|0.0.0.0:80|UTC+01:00|state=approved&step=3|https://shop.test/path?x=1|12 Months|4 Installments|12 Day Return Way off
    """.replace("\n", "|").split("|"),
)
def test_words_of_the_code_stay(text: str) -> None:
    assert found(text.strip()) == []


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("firstName", "Xaverius"),
        ("customer_name", "Xaverius Quill"),
        ("contact_phone", "5550199"),
        ("born_on", "1987-05-01"),
        ("tax_id", "99-1234567"),
        ("api_key", "pk1"),
        ("password", "x1"),
        ("cvv", "123"),
    ],
)
def test_a_column_tells_what_its_values_are(column: str, text: str) -> None:
    assert text.encode() not in constant(text, column)


@pytest.mark.parametrize("text", ["zoe", "Zoe", "ada.weiss", "SVC-ADA", "Zoe from Support"])
def test_a_first_name_counts_where_the_column_is_about_people(text: str) -> None:
    assert text.encode() not in constant(text, "created_by")
    assert text.encode() in constant(text, "flavour")


@pytest.mark.parametrize(
    "text",
    ["system", "rules", "identity", "cron", "mark", "will", "grace", "house", "api-7", "batch"],
)
def test_the_systems_own_actors_stay(text: str) -> None:
    assert text.encode() in constant(text, "actor")


def test_a_name_in_a_table_of_people_is_a_persons() -> None:
    told = RawLiteral(b"'Xaverius'", Form.TEXT, "shop_users", "name")
    made = RawLiteral(b"'Oak Desk'", Form.TEXT, "products", "name")
    (piece,) = seal(draft(step(b"SELECT ", told, b", ", made)), key=KEY).steps[0].pieces
    assert isinstance(piece, bytes)
    assert b"Xaverius" not in piece
    assert b"Oak Desk" in piece


def both() -> RawDraft:
    """A tester's name told by its column in one place, and by nothing in two others."""
    told = literal(b"'Xaverius'", column="last_name", varies=False)
    other = literal(b"'Xaverius'", column="actor", varies=False)
    text = literal(b"'seen by xaverius and Xaverius.'", column="body", varies=False)
    return draft(step(b"SELECT ", told, b", ", other, b", ", text))


def test_what_one_place_tells_is_replaced_in_all_and_searched_for() -> None:
    made = b"".join(p for p in seal(both(), key=KEY).steps[0].pieces if isinstance(p, bytes))
    one, other, body = made.removeprefix(b"SELECT ").split(b", ")
    assert one == other
    assert one.strip(b"'") in body
    assert b"Xaverius" not in made
    captured = all_originals(both(), NO_POLICY)
    assert b"Xaverius" in captured.values.values()
    assert scan({"a": b"hello XAVERIUS"}, captured) != []


def test_where_constants_look_personal_is_told_without_them() -> None:
    assert places_of_personal(both(), NO_POLICY) == ["people.last_name (s001)"]


def test_a_code_in_a_personal_column_stays_a_word_elsewhere() -> None:
    told = literal(b"'unknown'", column="first_name", varies=False)
    status = literal(b"'unknown'", column="status", varies=False)
    raw = draft(step(b"SELECT ", told, b", 1, ", status))
    (piece,) = seal(raw, key=KEY).steps[0].pieces
    assert b"'unknown'" in bytes(piece)  # type: ignore[arg-type]


def test_the_literals_of_executable_comments_and_hints_pass_the_net() -> None:
    mail = literal(b"'ada@shop.test'", varies=False)
    raw = draft(step(b"SELECT /*+ QB_NAME(a) ada@shop.test */ 1 /*!40001 , ", mail, b" */"))
    file = render(seal(raw, key=KEY))
    assert b"ada@shop.test" not in file
    assert b"/*+ QB_NAME(a) " in file
    assert b"/*!40001 , '" in file


def test_a_personal_constant_in_escaped_json_leaves_json() -> None:
    import json

    text = json.dumps({"note": 'say "hi"', "first_name": 'Zoë "Z" Weiß'})
    made = constant(text).removeprefix(b"SELECT ")
    from readiness.sql.lexer import TokenKind, decode

    found = json.loads(decode(TokenKind.TEXT, made))
    assert found["note"] == 'say "hi"'
    assert "Zoë" not in found["first_name"]


def test_an_example_of_a_generator_is_no_personal_constant() -> None:
    told = literal(b"'Xaverius'", column="last_name", varies=False)
    raw = draft(step(b"SELECT ", told), variables=[fresh("ref", "pattern", b"ORD-1", b"ORD-2")])
    assert b"Xaverius" not in render(seal(raw, key=KEY))


@pytest.mark.parametrize(
    "text",
    ["A" * 10**6, "Aa" * 500_000, "a.b-" * 250_000, "A-" * 500_000, "1" * 10**6, "Ab+/cD9=" * 125_000,
     "Ada " * 250_000, '"a":' * 250_000, "a=" * 500_000, "1 " * 500_000, ":a" * 500_000],
)  # fmt: skip
def test_a_megabyte_without_a_person_takes_a_moment(text: str) -> None:
    begin = time.process_time()
    list(personal_spans(text))
    assert time.process_time() - begin < 5

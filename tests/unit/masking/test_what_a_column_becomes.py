"""What a plan makes of columns, by type, rows, name and foreign keys, without a server."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import pytest
from tests.fakes.described_tables import catalogue_of

from readiness.config.policy import Rule, Treatment
from readiness.flow.looks import LOOKS
from readiness.masking.plan.planning import plan_masking
from readiness.masking.plan.sampling import Sample
from readiness.model.masking import Look, MaskedColumn, MaskPlan, Source


def planned(
    tables: str,
    rows: Mapping[str, Sequence[Sample]] | None = None,
    rules: Mapping[tuple[str, str], Rule] | None = None,
) -> MaskPlan:
    found = rows or {}
    return plan_masking(
        catalogue_of(tables), rules or {}, LOOKS, lambda table: found.get(table, [])
    )


def column(plan: MaskPlan, name: str) -> MaskedColumn | None:
    return next((c for c in plan.columns if c.id == name), None)


def look_of(declared: str, values: Sequence[str], table: str = "things") -> Look | None:
    """The look of the column `c` with these values; None where it is kept."""
    name = declared.split()[0]
    sample: list[Sample] = [{name: v.encode()} for v in values]
    made = column(planned(f"{table}(id int! auto, {declared})", {table: sample}), f"{table}.{name}")
    return made.look if made else None


@pytest.mark.parametrize(
    ("declared", "values", "look"),
    [
        ("c varchar(80)", ["ada@example.test", "joe@example.test"], Look.EMAIL),
        ("c varchar(80)", ["+49 170 1234567", "+49 170 7654321"], Look.PHONE),
        ("c varchar(80)", ["4111111111111111"], Look.DIGITS),
        ("c varchar(80)", ["4111 1111 1111 1111"], Look.PHONE),
        ("c varchar(80)", ["DE89370400440532013000"], Look.TEXT),
        ("c varchar(45)", ["203.0.113.7", "2001:db8::1"], Look.IP),
        ("c varchar(80)", ["Anna Becker", "Bernd Fischer"], Look.NAME),
        ("c varchar(80)", ["red", "green", "blue"] * 5, None),
        ("c varchar(80)", ["3f2504e0-4f89-41d3-9a0c-0305e82c3301"] * 2, None),
        ("c char(64)", [hashlib.sha256(b"%d" % n).hexdigest() for n in range(3)], Look.HEX),
        ("c varchar(200)", ["the parcel came late and the box was open"] * 3, Look.BLANK),
        ("c varchar(200)", ["order 17", "call +49 170 1234567 first"], Look.TEXT),
        ("c varchar(200)", ["was asked by Anna Becker", "then done for Bernd Fischer"], Look.TEXT),
        ("c varchar(200)", ["Blue Lamp", "Red Chair", "Oak Table"] * 5, None),
        ("c date", [f"{1950 + n}-03-04" for n in range(40)], Look.DATE),
        ("c date", [f"2026-03-{n:02d}" for n in range(1, 29)], None),
        ("c int", ["17", "4711"], None),
    ],
)
def test_content_decides_where_the_name_says_nothing(
    declared: str, values: list[str], look: Look | None
) -> None:
    assert look_of(declared, values) is look


@pytest.mark.parametrize(
    ("declared", "look"),
    [
        ("email varchar(80)", Look.EMAIL),
        ("customerEMail varchar(80)", Look.EMAIL),
        ("mobile_number varchar(20)", Look.PHONE),
        ("Telefon varchar(20)", Look.PHONE),
        ("lastName varchar(20)", Look.NAME),
        ("nachname varchar(20)", Look.NAME),
        ("date_of_birth date", Look.DATE),
        ("geburtsdatum datetime", Look.MOMENT),
        ("ip_address varbinary(16)", Look.IP),
        ("password_hash varchar(80)", Look.TOKEN),
        ("zip char(5)", Look.DIGITS),
        ("phone bigint", Look.NUMBER),
        ("avatar blob", Look.BYTES),
        ("body text", Look.BLANK),
        ("created_at datetime", None),
        ("status varchar(12)", None),
        ("is_email_ok tinyint(1)", None),
        ("email_count int", None),
        ("address_id int", None),
        ("city int", None),
        ("country char(2)", None),
    ],
)
def test_the_name_decides_where_no_row_is_there(declared: str, look: Look | None) -> None:
    assert look_of(declared, []) is look


def test_a_city_is_personal_where_people_live_and_not_where_planes_land() -> None:
    assert look_of("city varchar(40)", [], "user_addresses") is Look.TEXT
    assert look_of("city varchar(40)", [], "airports") is None


def test_the_name_of_a_person_is_masked_and_that_of_a_thing_is_not() -> None:
    assert look_of("name varchar(40)", [], "users") is Look.NAME
    assert look_of("name varchar(40)", ["Blue Lamp", "Red Chair"], "products") is None


@pytest.mark.parametrize("name", ["code", "otp"])
def test_one_time_codes_are_secret_in_a_space_of_their_own(name: str) -> None:
    found = column(planned(f"otp_codes(id int! auto, {name} char(6))"), f"otp_codes.{name}")
    assert found is not None
    assert (found.look, found.domain) == (Look.DIGITS, "secret")


def test_every_column_tied_to_a_masked_key_is_masked_alike() -> None:
    plan = planned(
        "people(email varchar(80)!), orders(id int! auto, buyer varchar(80) to=people.email,"
        " seller varchar(80) to=people.email), notes(id int! auto, whom varchar(80) to=orders.buyer)"
    )
    found = [c for c in plan.columns if c.column in ("email", "buyer", "seller", "whom")]
    assert len(found) == 4
    assert {(c.look, c.domain, c.is_folded) for c in found} == {(Look.EMAIL, "email", True)}
    assert [c.source for c in found if c.column == "whom"] == [Source.REFERENCE]


def test_what_refers_to_a_counter_is_kept_whatever_its_name() -> None:
    plan = planned("users(id bigint! auto), cards(id int! auto, holder_phone bigint to=users.id)")
    assert plan.columns == ()
    assert [c.source for c in plan.kept if c.column == "holder_phone"] == [Source.REFERENCE]


def test_a_rule_for_one_end_of_a_foreign_key_is_one_for_both() -> None:
    tables = "people(email varchar(80)!), orders(id int! auto, buyer varchar(80) to=people.email)"
    kept = planned(tables, rules={("orders", "buyer"): Rule(Treatment.KEEP, "invented people")})
    assert kept.columns == ()


def test_equal_columns_of_a_row_stay_equal() -> None:
    rows: list[Sample] = [
        {"email": b"u%d@example.test" % n, "login": b"u%d@example.test" % n} for n in range(30)
    ]
    plan = planned("users(id int! auto, email varchar(80), login varchar(80))", {"users": rows})
    assert {(c.look, c.domain) for c in plan.columns} == {(Look.EMAIL, "email")}


def test_a_kept_column_that_holds_values_of_a_masked_one_follows_it() -> None:
    tokens = [b"tok%08d" % n for n in range(9)]
    plan = planned(
        "sessions(id int! auto, token varchar(40)), outbox(id int! auto, aggregate varchar(40))",
        {
            "sessions": [{"token": t} for t in tokens],
            "outbox": [{"aggregate": t} for t in [*tokens[:3], b"LN-2026-0001"]],
        },
    )
    found = column(plan, "outbox.aggregate")
    assert found is not None
    assert (found.look, found.domain) == (Look.TOKEN, "token")


def test_last_digits_follow_the_number_that_they_are_of() -> None:
    rows: list[Sample] = [
        {"card_number": b"41111111111%05d" % (n * 7), "last4": b"%04d" % (n * 7)} for n in range(40)
    ]
    tables = "cards(id int! auto, card_number varchar(19), last4 char(4))"
    found = column(planned(tables, {"cards": rows}), "cards.last4")
    assert found is not None
    assert found.derived == "RIGHT({card_number}, 4)"


def test_one_row_that_does_not_repeat_is_enough_to_say_no() -> None:
    rows: list[Sample] = [
        {
            "email": b"u%d@x.test" % n,
            "digest": hashlib.sha256(b"u%d@x.test" % n).hexdigest().encode(),
        }
        for n in range(30)
    ]
    rows.append({"email": b"a@x.test", "digest": hashlib.sha256(b"b").hexdigest().encode()})
    found = column(
        planned("users(id int! auto, email varchar(80), digest char(64))", {"users": rows}),
        "users.digest",
    )
    assert found is not None
    assert (found.look, found.derived) == (Look.HEX, "")


def test_values_under_personal_keys_make_a_document_emptied() -> None:
    rows: list[Sample] = [{"doc": b'{"joe@example.test": 3}'}]
    found = column(planned("t(id int! auto, doc json)", {"t": rows}), "t.doc")
    assert found is not None
    assert "NULL" in found.derived
    assert "example" not in repr(found)


def test_a_document_is_masked_at_its_paths() -> None:
    rows: list[Sample] = [
        {
            "doc": b'{"user": {"email": "j@x.test", "age": 4}, "tags": ["a", "b"], "e mail": "k@x.test"}'
        }
    ]
    found = column(planned("t(id int! auto, doc json)", {"t": rows}), "t.doc")
    assert found is not None
    assert [(p.path, p.look) for p in found.paths] == [
        ('$."e mail"', Look.EMAIL),
        ("$.user.email", Look.EMAIL),
    ]


def test_a_domain_with_one_exact_column_does_not_ignore_case() -> None:
    alike = planned("a(id int! auto, email varchar(80)), b(id int! auto, email varchar(80))")
    assert [c.is_folded for c in alike.columns] == [True, True]
    mixed = planned("a(id int! auto, email varchar(80)), b(id int! auto, email varchar(80) exact)")
    assert [c.is_folded for c in mixed.columns] == [False, False]


@pytest.mark.parametrize(
    ("treat", "kind", "begin"),
    [
        (Treatment.EMPTY, "varchar(20)", "IF(`c` IS NULL, NULL, '')"),
        (Treatment.EMPTY, "int", "IF(`c` IS NULL, NULL, 0)"),
        (Treatment.GENERALIZE, "date", "IF(YEAR(`c`)"),
        (Treatment.GENERALIZE, "varchar(20)", "CONCAT(LEFT(`c`, 1)"),
    ],
)
def test_a_policy_makes_columns_empty_or_coarser(treat: Treatment, kind: str, begin: str) -> None:
    plan = planned(f"t(id int! auto, c {kind})", rules={("t", "c"): Rule(treat)})
    found = column(plan, "t.c")
    assert found is not None
    assert found.look is None
    assert found.derived.startswith(begin)
    assert found.source is Source.POLICY


def test_a_policys_look_paths_and_derivation_are_what_is_done() -> None:
    plan = planned(
        "t(id int! auto, a varchar(80), b char(64), c json)",
        rules={
            ("t", "a"): Rule(Treatment.PSEUDONYM, look=Look.EMAIL),
            ("t", "b"): Rule(Treatment.PSEUDONYM, derive="SHA2({a}, 256)"),
            ("t", "c"): Rule(Treatment.PSEUDONYM, json={"$.who": Look.NAME}),
        },
    )
    made = {c.column: (c.look, c.derived, len(c.paths)) for c in plan.columns}
    assert made == {
        "a": (Look.EMAIL, "", 0),
        "b": (None, "SHA2({a}, 256)", 0),
        "c": (Look.JSON, "", 1),
    }


def test_a_document_of_which_only_the_policy_speaks_has_all_its_texts_masked() -> None:
    rows: list[Sample] = [{"doc": b'{"colour": "red", "count": 4}'}]
    rules = {("t", "doc"): Rule(Treatment.PSEUDONYM)}
    found = column(planned("t(id int! auto, doc json)", {"t": rows}, rules), "t.doc")
    assert found is not None
    assert [(p.path, p.look) for p in found.paths] == [("$.colour", Look.TEXT)]


def test_a_document_of_which_the_policy_speaks_and_no_row_is_known_is_emptied() -> None:
    plan = planned("t(id int! auto, doc json)", rules={("t", "doc"): Rule(Treatment.PSEUDONYM)})
    assert [bool(c.derived) for c in plan.columns] == [True]


def test_documents_that_are_too_large_to_be_looked_at_are_emptied() -> None:
    plan = planned("t(id int! auto, doc json)", {"t": [{"doc": b'{"a": "' + b"x" * 200}]})
    assert [(bool(c.derived), "too large" in c.why) for c in plan.columns] == [(True, True)]


def test_a_free_text_in_an_index_stays_as_different_as_it_was() -> None:
    assert look_of("subject varchar(80)", []) is Look.BLANK
    assert look_of("subject varchar(80) unique", []) is Look.TEXT

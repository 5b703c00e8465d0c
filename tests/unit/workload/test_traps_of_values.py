"""Values that seem to follow from others, or to exist, or to be fresh: each trap met once."""

from __future__ import annotations

import base64
import hashlib
import json
import time
import uuid
from dataclasses import replace

import pytest
from tests.fakes.captures import shop_schema, statements, text_of, variables

from readiness.anonymize.seal import seal
from readiness.model.draft import RawDraft, RawLiteral
from readiness.model.workload import VariableKind
from readiness.workload.find.parameterize import parameterize
from readiness.workload.schema import Column, Schema

IDS = (
    "2f0c1e5a-0c6b-4f0e-9d38-3f9b1d3a0001",
    "9a7bb1de-57a1-4c36-8a52-77f3f0a60002",
    "5d1c3f00-1111-4222-8333-444455556666",
)
PEOPLE: tuple[dict[str, object], ...] = (
    {"u": IDS[0], "f": "Christina", "l": "McAllister", "e": "christina.mcallister@mail.test"},
    {"u": IDS[1], "f": "Alexander", "l": "Humperdinck", "e": "alexander.humperdinck@mail.test"},
    {"u": IDS[2], "f": "Elizabeth", "l": "Montgomery", "e": "elizabeth.montgomery@mail.test"},
)


def of(*texts: str, values: tuple[dict[str, object], ...], **asked: object) -> RawDraft:
    captures = [statements(*(t.format(**v) for t in texts)) for v in values]
    schema = asked.pop("schema", shop_schema())
    return parameterize(captures, schema=schema, name="order", **asked)  # type: ignore[arg-type]


def kinds(found: RawDraft) -> dict[str, VariableKind]:
    return {v.name: v.kind for v in found.variables}


def with_names() -> Schema:
    schema = shop_schema()
    users = schema.tables["users"]
    columns = {**users.columns, "first_name": Column("varchar"), "last_name": Column("varchar")}
    return replace(schema, tables={**schema.tables, "users": replace(users, columns=columns)})


def test_a_unique_e_mail_is_not_made_of_names_that_come_again() -> None:
    found = of(
        "INSERT INTO users (id, first_name, last_name, email) VALUES ('{u}', '{f}', '{l}', '{e}')",
        "UPDATE orders SET note = 'welcome {e}'",
        values=PEOPLE,
        schema=with_names(),
    )
    made = variables(found)
    assert (made["user_email_0"].kind, made["user_email_0"].generator) == (
        VariableKind.FRESH,
        "email",
    )
    assert made["order_note_0"].expression == "CONCAT('welcome ', @user_email_0)"


def test_one_id_in_many_forms_is_one_generated_value() -> None:
    raw = [uuid.UUID(u).bytes for u in IDS]
    values = tuple(
        {"u": u, "h": b.hex(), "H": b.hex().upper(), "s": (b[6:8] + b[4:6] + b[:4] + b[8:]).hex()}
        for u, b in zip(IDS, raw, strict=True)
    )
    found = of(
        "INSERT INTO users (id) VALUES ('{u}')",
        "UPDATE orders SET note = x'{h}'",
        "UPDATE orders SET note = 0x{H}",
        "UPDATE orders SET note = UNHEX('{h}')",
        "UPDATE orders SET note = UUID_TO_BIN('{u}', 1)",
        "UPDATE orders SET note = x'{s}'",
        "UPDATE orders SET note = '{H}'",
        values=values,
    )
    assert found.counts["generated"] == 1
    assert found.counts["inline"] == 0
    assert text_of(found.steps[1])[-13:] == text_of(found.steps[2])[-13:]


@pytest.mark.parametrize("text", ["user {u}", "user {h}", "user {H}", '{{"id": "{u}"}}'])
def test_a_binary_key_is_known_again_in_a_text(text: str) -> None:
    values = tuple({"u": u, "h": uuid.UUID(u).hex, "H": uuid.UUID(u).hex.upper()} for u in IDS)
    found = of(
        "INSERT INTO users (id) VALUES (x'{h}')",
        f"UPDATE orders SET note = '{text}'",
        values=values,
    )
    assert found.counts["generated"] == 1
    assert "HEX(@user_id_0)" in variables(found)["order_note_0"].expression


def test_a_hash_of_several_inputs_stays_what_it_is() -> None:
    values = tuple(
        {**p, "h": hashlib.sha256(f"{p['u']}|{n}".encode()).hexdigest()}
        for n, p in enumerate(PEOPLE)
    )
    schema = shop_schema()
    found = of(
        "INSERT INTO users (id, email_hash) VALUES ('{u}', '{h}')",
        "SELECT id FROM users WHERE email_hash = '{h}'",
        values=values,
        schema=schema,
    )
    assert variables(found)["user_email_hash_0"].generator == "hex64"


@pytest.mark.parametrize(
    ("write", "expression"),
    [
        (lambda e: hashlib.sha256(e.encode()).hexdigest().upper(), "UPPER(SHA2(@user_email_0, 256))"),
        (lambda e: hashlib.md5(e.upper().encode()).hexdigest(), "MD5(UPPER(@user_email_0))"),
        (lambda e: hashlib.sha1(e.encode()).hexdigest(), "SHA1(@user_email_0)"),
    ],
)  # fmt: skip
def test_hashes_and_case_are_found_in_every_capture(write: object, expression: str) -> None:
    assert callable(write)
    values = tuple({**p, "h": write(p["e"])} for p in PEOPLE)
    found = of(
        "INSERT INTO users (id, email) VALUES ('{u}', '{e}')",
        "UPDATE orders SET note = '{h}'",
        values=values,
    )
    assert variables(found)["order_note_0"].expression == expression


def test_json_in_base64_is_written_anew() -> None:
    values = tuple(
        {**p, "b": base64.b64encode(json.dumps({"user": p["u"], "n": 1}).encode()).decode()}
        for p in PEOPLE
    )
    found = of(
        "INSERT INTO users (id) VALUES ('{u}')", "UPDATE orders SET note = '{b}'", values=values
    )
    assert variables(found)["order_note_0"].expression == (
        "REPLACE(TO_BASE64(CONCAT('{\"user\": \"', @user_id_0, '\", \"n\": 1}')), '\\n', '')"
    )


AMOUNTS = (
    {"t": 138022, "d": "1380.22"},
    {"t": 204511, "d": "2045.11"},
    {"t": 77003, "d": "770.03"},
)


@pytest.mark.parametrize("note", ["{d}", "You owe ${d} today", "${d}"])
def test_an_amount_with_cents_follows_from_the_amount_in_cents(note: str) -> None:
    found = of(
        "UPDATE orders SET total_cents = {t} WHERE note = 'x'",
        f"UPDATE orders SET note = '{note}'",
        values=AMOUNTS,
    )
    cents = "CONCAT(@order_total_cents_0 DIV 100, '.', RIGHT(@order_total_cents_0, 2))"
    assert cents in variables(found)["order_note_0"].expression


@pytest.mark.parametrize(
    "values",
    [
        ({"t": 120, "s": 60}, {"t": 240, "s": 120}),  # too few digits: any pair of counts does so
        ({"t": 50000, "s": 25000}, {"t": 90000, "s": 45000}),  # round ones
        ({"t": 50021, "s": 25010}, {"t": 50021, "s": 25010}, {"t": 90013, "s": 45001}),  # 3 %, once
        ({"t": 50021, "s": 1500}, {"t": 90013, "s": 2701}),
    ],
)
def test_shares_of_an_amount_need_evidence(values: tuple[dict[str, object], ...]) -> None:
    found = of(
        "UPDATE orders SET total_cents = {t} WHERE note = 'x'",
        "INSERT INTO order_lines (price_cents) VALUES ({s})",
        values=values,
    )
    assert not [v for v in found.variables if v.kind is VariableKind.DERIVED]


def test_a_negative_share_of_an_amount() -> None:
    values = tuple({"t": t, "s": t * 3 // 100} for t in (204511, 138022, 77003))
    found = of(
        "UPDATE orders SET total_cents = {t} WHERE note = 'x'",
        "INSERT INTO order_lines (price_cents) VALUES (-{s}), (-{t})",
        values=values,
    )
    assert {v.expression for v in found.variables if v.table == "order_lines"} == {
        "-(@order_total_cents_0 * 3 DIV 100)",
        "-@order_total_cents_0",
    }


def test_numbers_that_change_sign_are_one_place() -> None:
    found = of(
        "UPDATE orders SET total_cents = total_cents - {n}",
        "SELECT id FROM orders WHERE total_cents BETWEEN {n} AND 5 OR total_cents IN (-2, {n})",
        values=({"n": -523}, {"n": 7111}),
    )
    (balance,) = found.variables
    assert balance.values == (b"-523", b"7111")
    assert text_of(found.steps[0]).endswith("total_cents - @order_total_cents_0")
    (made,) = seal(found, key=b"k" * 32).variables
    assert made.generator == "integer(-9999..9999)"


@pytest.mark.parametrize(
    ("values", "generator"),
    [
        (("5", "3.25"), "decimal(1.00..9.99)"),
        (("-19.90", "3.50"), "decimal(-99.99..99.99)"),
        ((".5", "-.25"), "decimal(-0.99..0.99)"),
        (("1e10", "5"), "integer(1..99999999999)"),
    ],
)
def test_numbers_of_any_form_are_learnt(values: tuple[str, ...], generator: str) -> None:
    found = of(
        "UPDATE orders SET total_cents = {n} WHERE note = 'x'",
        "SELECT id FROM orders WHERE total_cents = {n}",
        values=tuple({"n": n} for n in values),
    )
    (made,) = seal(found, key=b"k" * 32).variables
    assert made.generator == generator


def test_a_probe_before_the_insert_stays_a_planned_miss() -> None:
    """Whether the source holds the e-mail by now does not matter: the flow inserted it."""
    found = of(
        "SELECT id FROM users WHERE email = '{e}'",
        "INSERT INTO users (id, email) VALUES ('{u}', '{e}')",
        values=PEOPLE,
        exists=lambda *_: True,
    )
    assert set(kinds(found).values()) == {VariableKind.FRESH}
    assert not found.samples


def test_a_returning_user_is_sampled_as_one_row() -> None:
    people = {p["e"]: {"id": p["u"], "email": p["e"]} for p in PEOPLE}
    rows = {
        ("users", column, str(row[column]).encode()): {k: str(v).encode() for k, v in row.items()}
        for row in people.values()
        for column in ("id", "email")
    }
    found = of(
        "SELECT id FROM users WHERE email = '{e}'",
        "INSERT INTO orders (user_id) VALUES ('{u}')",
        "SELECT id FROM orders WHERE user_id = '{u}'",
        values=PEOPLE,
        rows=lambda table, column, value: rows.get((table, column, value)),
    )
    assert set(kinds(found).values()) == {VariableKind.EXISTING}
    (sample,) = found.samples
    assert (sample.table, sample.columns) == ("users", ("id", "email"))


def test_a_quantity_is_taken_from_stock_as_often_as_it_is_ordered() -> None:
    found = of(
        "UPDATE orders SET total_cents = total_cents - {q}",
        "INSERT INTO order_lines (quantity) VALUES ({q})",
        values=({"q": 2}, {"q": 1}, {"q": 3}),
    )
    assert (found.counts["groups"], found.counts["generated"]) == (1, 1)


def test_feature_flags_are_constants() -> None:
    found = of(
        "SELECT name FROM shops WHERE name = 'new_checkout' AND id > 0",
        "INSERT INTO users (id) VALUES ('{u}')",
        values=PEOPLE,
    )
    assert text_of(found.steps[0]).endswith("name = 'new_checkout' AND id > 0")


def test_dates_of_one_day_move_and_dates_of_birth_do_not() -> None:
    found = of(
        "UPDATE orders SET created_at = '{now}', due_on = '2026-12-30'",
        "INSERT INTO users (id, born_on) VALUES ('{u}', '{born}')",
        values=(
            {"now": "2026-11-30 11:00:00", "u": IDS[0], "born": "1984-02-29"},
            {"now": "2026-11-30 12:00:00", "u": IDS[1], "born": "1991-11-03"},
        ),
    )
    assert variables(found)["order_due_on_0"].expression == "CURDATE() + INTERVAL 30 DAY"
    assert "user_born_on_0" not in variables(found)


def test_a_megabyte_is_neither_parsed_nor_searched() -> None:
    """It took 8 s; the bound leaves room for a busy machine."""
    values = tuple({**p, "b": f"ab\\'{n}" * 300_000} for n, p in enumerate(PEOPLE))
    began = time.process_time()
    found = of(
        "INSERT INTO users (name, id) VALUES ('{b}', '{u}')",
        "SELECT id FROM users WHERE id = '{u}'",
        values=values,
    )
    assert time.process_time() - began < 5
    (kept,) = [p for p in found.steps[0].pieces if isinstance(p, RawLiteral)]
    assert (kept.table, kept.column) == ("users", "name")
    assert kinds(found) == {"user_id_0": VariableKind.FRESH}


def test_the_time_of_a_row_that_existed_does_not_move_with_the_clock() -> None:
    """An optimistic lock names when the row was changed: years apart in the captures."""
    found = of(
        "UPDATE orders SET created_at = '{now}' WHERE note = 'x'",
        "UPDATE orders SET note = 'y' WHERE created_at = '{seen}'",
        values=(
            {"now": "2026-11-30 11:00:00", "seen": "2021-03-04 05:06:07"},
            {"now": "2026-12-02 12:00:00", "seen": "2025-06-07 08:09:10"},
        ),
    )
    times = [v for v in found.variables if v.kind is VariableKind.TIME]
    assert [v.values[0] for v in times] == [b"2026-11-30 11:00:00"]


def test_midnight_in_thirty_days_moves_with_the_clock() -> None:
    found = of(
        "UPDATE orders SET note = '{now}' WHERE note = 'x'",
        "UPDATE orders SET created_at = '{due}'",
        values=(
            {"now": "2026-11-30 11:00:00", "due": "2026-12-30 00:00:00"},
            {"now": "2026-12-02 20:00:00", "due": "2027-01-01 00:00:00"},
        ),
    )
    assert {v.kind for v in found.variables} == {VariableKind.TIME}


def test_a_birthday_that_one_capture_shows_keeps_no_distance() -> None:
    both = ("UPDATE orders SET created_at = '{now}' WHERE id > 0", "SELECT id FROM users")
    captures = [
        statements(both[0].format(now="2026-11-30 11:00:00"), both[1], "UPDATE users SET born_on = '1984-02-29'"),
        statements(both[0].format(now="2026-12-02 12:00:00"), both[1]),
    ]  # fmt: skip
    found = parameterize(captures, schema=shop_schema(), name="order")
    assert [v.column for v in found.variables] == ["created_at"]


@pytest.mark.parametrize(
    ("patterns", "is_prefix"), [(("christ%", "alexan%", "elizab%"), True), (("chr%",) * 3, False)]
)
def test_a_prefix_holds_in_every_capture(patterns: tuple[str, ...], is_prefix: bool) -> None:
    found = of(
        "INSERT INTO users (id, email) VALUES ('{u}', '{e}')",
        "SELECT id FROM users WHERE email LIKE '{p}'",
        values=tuple({**p, "p": x} for p, x in zip(PEOPLE, patterns, strict=True)),
    )
    expressions = {v.expression for v in found.variables} - {""}
    assert expressions == ({"CONCAT(LEFT(@user_email_0, 6), '%')"} if is_prefix else set())


def test_a_window_of_the_past_is_not_the_flows_now() -> None:
    found = of(
        "SELECT id FROM orders WHERE created_at > '{before}'",
        "UPDATE orders SET created_at = '{now}'",
        "UPDATE orders SET note = '{later}'",
        values=(
            {"before": "2026-10-31 11:00:00", "now": "2026-11-30 11:00:00", "later": "2026-11-30 11:15:00"},
            {"before": "2026-11-02 12:00:00", "now": "2026-12-02 12:00:00", "later": "2026-12-02 12:15:00"},
        ),
    )  # fmt: skip
    assert {v.name: v.expression for v in found.variables} == {
        "order_created_at_0": "NOW() - INTERVAL 2592000 SECOND",
        "order_created_at_1": "NOW()",
        "order_note_0": "NOW() + INTERVAL 900 SECOND",
    }

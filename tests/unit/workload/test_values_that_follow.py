"""Values that follow from others, and values that move with the clock."""

from __future__ import annotations

import base64
import hashlib
import json

import pytest
from tests.fakes.captures import shop_schema, statements, variables

from readiness.model.draft import RawDraft
from readiness.model.workload import Form, VariableKind
from readiness.workload.find.parameterize import parameterize

PEOPLE: tuple[dict[str, object], ...] = (
    {"u": "2f0c1e5a-0c6b-4f0e-9d38-3f9b1d3a0001", "e": "Ann.Lee@mail.test", "n": "Ann Lee"},
    {"u": "9a7bb1de-57a1-4c36-8a52-77f3f0a60002", "e": "bob@post.test", "n": "Bob O'Hara"},
    {"u": "5d1c3f00-1111-4222-8333-444455556666", "e": "zoe@inbox.test", "n": "Zoë Smith"},
)
INSERT = "INSERT INTO users (id, email, name) VALUES ('{u}', '{e}', '{n}')"


def of(*texts: str, values: tuple[dict[str, object], ...]) -> RawDraft:
    escaped = [
        {k: str(v).replace("\\", "\\\\").replace("'", "\\'") for k, v in p.items()} for p in values
    ]
    captures = [statements(*(t.format(**p) for t in texts)) for p in escaped]
    return parameterize(captures, schema=shop_schema(), name="order")


def expression(note: object, *, people: tuple[dict[str, object], ...] = PEOPLE) -> str:
    """What `orders.note` is found to be when it is `note(person)`."""
    assert callable(note)
    values = tuple({**p, "note": note(p)} for p in people)
    found = of(INSERT, "UPDATE orders SET note = '{note}'", values=values)
    notes = [v for v in found.variables if v.column == "note" and v.kind is VariableKind.DERIVED]
    return notes[0].expression if notes else ""


def sha256(text: object) -> str:
    return hashlib.sha256(str(text).encode()).hexdigest()


@pytest.mark.parametrize(
    ("note", "found"),
    [
        (lambda p: sha256(p["e"]), "SHA2(@user_email_0, 256)"),
        (lambda p: sha256(p["e"].lower()), "SHA2(LOWER(@user_email_0), 256)"),
        (lambda p: hashlib.md5(p["u"].encode()).hexdigest(), "MD5(@user_id_0)"),
        (lambda p: p["e"].split("@")[1], "SUBSTRING_INDEX(@user_email_0, '@', -1)"),
        (lambda p: p["u"].replace("-", ""), "REPLACE(@user_id_0, '-', '')"),
        (lambda p: p["u"].encode().hex(), "LOWER(HEX(@user_id_0))"),
        (lambda p: base64.b64encode(p["e"].encode()).decode(), "REPLACE(TO_BASE64(@user_email_0), '\\n', '')"),
        (lambda p: f"user:{p['u']}", "CONCAT('user:', @user_id_0)"),
        (lambda p: p["n"].upper(), "UPPER(@user_name_0)"),
        (lambda p: f"it's {p['u']}\n", "CONCAT('it\\'s ', @user_id_0, '\\n')"),
        (lambda p: f"{p['u']}/{p['u']}", "CONCAT(@user_id_0, '/', @user_id_0)"),
    ],
)  # fmt: skip
def test_relations_that_hold_in_every_capture(note: object, found: str) -> None:
    assert expression(note) == found


@pytest.mark.parametrize(
    "note",
    [
        lambda p: sha256(p["e"]) if p["n"] != "Ann Lee" else sha256("another"),
        lambda p: f"x{p['u']}x",
        lambda p: f"user:{p['u']}" if p["n"] != "Ann Lee" else "guest",
    ],
)
def test_a_relation_that_fails_once_is_none(note: object) -> None:
    assert expression(note) == ""


def test_json_embeds_values_and_what_differs_besides_is_a_variable() -> None:
    values = tuple(
        {**p, "note": json.dumps({"id": p["u"], "city": city}, ensure_ascii=False)}
        for p, city in zip(PEOPLE, ("Springfield", "New Haven", "Troy"), strict=True)
    )
    found = variables(of(INSERT, "UPDATE orders SET note = '{note}'", values=values))
    assert found["order_note_0"].expression == (
        'CONCAT(\'{"id": "\', @user_id_0, \'", "city": "\', @order_note_part_0, \'"}\')'
    )
    assert found["order_note_part_0"].values == (b"Springfield", b"New Haven", b"Troy")
    assert found["order_note_part_0"].kind is VariableKind.FRESH


def test_unexplained_json_is_left_whole() -> None:
    carts = ({"a": 1}, {"b": [2]}, {"c": None})
    values = tuple(
        {**p, "note": json.dumps({"id": p["u"], "cart": cart})}
        for p, cart in zip(PEOPLE, carts, strict=True)
    )
    found = of(INSERT, "UPDATE orders SET note = '{note}'", values=values)
    assert "order_note_0" not in variables(found)


def test_a_number_in_json_stays_a_number() -> None:
    values = tuple(
        {**p, "note": json.dumps({"id": p["u"], "items": n, "gift": True})}
        for p, n in zip(PEOPLE, (12, 3, 40), strict=True)
    )
    found = variables(of(INSERT, "UPDATE orders SET note = '{note}'", values=values))
    assert found["order_note_part_0"].form is Form.NUMBER
    assert found["order_note_part_0"].generator == "integer"


def test_a_word_of_json_that_differs_leaves_the_text_whole() -> None:
    values = tuple(
        {**p, "note": json.dumps({"id": p["u"], "gift": gift})}
        for p, gift in zip(PEOPLE, (True, False, None), strict=True)
    )
    found = of(INSERT, "UPDATE orders SET note = '{note}'", values=values)
    assert "order_note_0" not in variables(found)


def test_unexplained_json_in_several_statements_is_no_pattern() -> None:
    values = tuple(
        {**p, "note": json.dumps({"gift": gift})}
        for p, gift in zip(PEOPLE, (True, [], None), strict=True)
    )
    sql = "UPDATE orders SET note = '{note}'"
    assert "order_note_0" not in variables(of(INSERT, sql, sql, values=values))


def test_a_key_that_shares_a_stretch_with_another_keeps_its_own_values() -> None:
    """Two ids of one second begin alike: the second is no function of the first."""
    values: tuple[dict[str, object], ...] = (
        {"a": 915197455677413650, "b": 915197455829590478},
        {"a": 915197471282862888, "b": 915197471899204411},
    )
    found = of(
        "INSERT INTO shops (id) VALUES ({a})",
        "INSERT INTO products (id) VALUES ({b})",
        values=values,
    )
    assert {v.kind for v in found.variables} == {VariableKind.FRESH}


@pytest.mark.parametrize(
    ("share", "found"),
    [
        (lambda t: t // 4, "@order_total_cents_0 DIV 4"),
        (lambda t: t * 3 // 100, "@order_total_cents_0 * 3 DIV 100"),
        (lambda t: t - t * 3 // 100, "@order_total_cents_0 - @order_total_cents_0 * 3 DIV 100"),
    ],
)
def test_shares_of_an_amount(share: object, found: str) -> None:
    assert callable(share)
    values = tuple({"t": t, "s": share(t)} for t in (204511, 138022, 77003))
    draft = of(
        "UPDATE orders SET total_cents = {t}",
        "INSERT INTO order_lines (price_cents) VALUES ({s})",
        values=values,
    )
    assert variables(draft)["order_line_price_cents_0"].expression == found


def test_times_keep_their_form_and_distance() -> None:
    found = of(
        "UPDATE orders SET note = '{a}', created_at = '{b}', due_on = '{c}'",
        values=(
            {"a": "2026-11-30 11:07:56.979264", "b": "2026-11-30 11:12:56", "c": "2026-12-30"},
            {"a": "2026-12-02 09:00:00.000001", "b": "2026-12-02 09:05:01", "c": "2027-01-01"},
        ),
    )
    times = {v.column: v.expression for v in found.variables}
    assert times == {
        "note": "NOW(6)",
        "created_at": "NOW() + INTERVAL 300 SECOND",
        "due_on": "CURDATE() + INTERVAL 30 DAY",
    }


def test_iso_times_keep_their_letters() -> None:
    found = of(
        "UPDATE orders SET note = '{a}'",
        values=({"a": "2026-11-30T11:07:56.979Z"}, {"a": "2026-12-02T09:00:00.001Z"}),
    )
    (time,) = found.variables
    assert time.expression == "CONCAT(REPLACE(LEFT(NOW(6), 23), ' ', 'T'), 'Z')"


def test_seconds_since_the_epoch_follow_the_flows_now() -> None:
    found = of(
        "UPDATE orders SET created_at = '{t}'",
        "INSERT INTO order_lines (quantity) VALUES ({s})",
        values=(
            {"t": "2026-11-30 11:00:00", "s": 1796036400 + 60},
            {"t": "2026-11-30 12:00:00", "s": 1796040000 + 61},
        ),
    )
    assert variables(found)["order_line_quantity_0"].expression == "UNIX_TIMESTAMP() + 60"


def test_a_date_of_birth_is_no_time() -> None:
    found = of(
        "UPDATE orders SET created_at = '{t}'",
        "INSERT INTO users (born_on) VALUES ('{b}')",
        values=(
            {"t": "2026-11-30 11:00:00", "b": "1984-02-29"},
            {"t": "2026-11-30 12:00:00", "b": "1991-11-03"},
        ),
    )
    assert [v.column for v in found.variables] == ["created_at"]


def test_captures_of_one_second_do_not_freeze_their_times() -> None:
    found = of(
        "UPDATE orders SET note = '{a}', created_at = '2026-11-30 11:12:56', due_on = '2026-12-30'",
        "UPDATE orders SET note = 'open', created_at = '2020-01-01 00:00:00', due_on = '1999-12-31'",
        values=({"a": "2026-11-30 11:07:56.100000"}, {"a": "2026-11-30 11:07:56.200000"}),
    )
    times = {v.column: v.expression for v in found.variables}
    assert times["created_at"] == "NOW() + INTERVAL 300 SECOND"
    assert times["due_on"] == "CURDATE() + INTERVAL 30 DAY"
    assert found.counts["constant"] == 3

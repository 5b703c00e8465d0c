"""Why each value is what it is: class, evidence, doubts; stable, readable, without a value."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from tests.fakes.captures import (
    DATA,
    alone,
    capture,
    paylater_schema,
    shop_schema,
    statements,
)

from readiness.anonymize.originals import originals
from readiness.anonymize.scan import scan
from readiness.anonymize.seal import seal
from readiness.capture.sessions import read_capture
from readiness.model.draft import RawDraft
from readiness.workload.explain.explained import explained, natural, vocabulary
from readiness.workload.find.parameterize import parameterize
from readiness.workload.schema import Schema

USERS = ("checkout_api", "identity", "decision", "ledger_svc")
KEY = b"k" * 32


def built(which: str, count: int = 3) -> RawDraft:
    captures = [read_capture(DATA / f"{which}_{n}.log", users=USERS) for n in range(1, count + 1)]
    return parameterize(captures, schema=paylater_schema(), name="checkout")


def text_of(draft: RawDraft) -> bytes:
    return explained(
        seal(draft, key=KEY, now_ms=1_796_000_000_000),
        draft.explanation,
        file="checkout.sql",
        sha256="0" * 64,
    )


def read(draft: RawDraft) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(text_of(draft))
    return found


@pytest.fixture(scope="module")
def salted() -> RawDraft:
    return built("salted")


@pytest.fixture(scope="module")
def plain() -> RawDraft:
    return built("plain")


@pytest.fixture(scope="module")
def reasons(salted: RawDraft) -> dict[str, Any]:
    return read(salted)


def test_every_variable_and_every_dropped_group_is_told(
    salted: RawDraft, reasons: dict[str, Any]
) -> None:
    assert set(reasons["variables"]) == {v.name for v in salted.variables}
    assert len(reasons["dropped"]) == salted.counts["inline"]
    everything = [*reasons["variables"].values(), *reasons["dropped"].values()]
    assert all(entry["class"] and entry["statements"] and entry["because"] for entry in everything)


def test_classes_show_what_the_workload_file_does_not(reasons: dict[str, Any]) -> None:
    chosen = reasons["variables"]["offer_id_3"]
    assert chosen["class"] == "choice"
    assert "computed from @offer_id_2, chosen each time" in chosen["evidence"]["seen"]
    numbered = reasons["variables"]["credit_application_id_0"]
    assert numbered["class"] == "server"
    assert any(s.startswith("numbered by the insert s0") for s in numbered["evidence"]["seen"])
    assert "rises from capture to capture" in numbered["evidence"]["seen"]


def test_keys_are_evidence(reasons: dict[str, Any]) -> None:
    merchant = reasons["variables"]["merchant_id_0"]
    assert merchant["class"] == "existing"
    assert (merchant["sample"], merchant["weight"]) == ("merchants.id", "checkouts.merchant_id")
    assert "unique merchants.PRIMARY (id)" in merchant["evidence"]["index"]
    assert "checkouts.merchant_id → merchants.id" in merchant["evidence"]["foreign_keys"]
    token = reasons["variables"]["product_id_0"]
    assert (token["where"], token["row_with"]) == ("merchant_id = @merchant_id_0", "@product_sku_0")


def test_a_planned_miss_before_the_insert_is_told(reasons: dict[str, Any]) -> None:
    seen = reasons["variables"]["user_phone_0"]["evidence"]["seen"]
    assert seen[:2] == ["first used in s024, compared with users.phone", "inserted first by s031"]


def test_lock_step_ids_are_doubts_by_name_and_place_and_salt_cures_them(
    plain: RawDraft, salted: RawDraft
) -> None:
    found = {d.where: d for d in plain.explanation.doubts}
    doubt = found["s057, literal 7"]
    assert doubt.taken == "@credit_application_id_0"
    assert doubt.others == ("@otp_code_id_0", "@payment_method_id_0")
    assert "readiness workload salt --target DSN" in doubt.cure
    assert not [d for d in salted.explanation.doubts if "salt" in d.cure]


def test_what_could_not_be_laid_side_by_side_is_listed() -> None:
    mail = "SELECT id FROM users WHERE email = '{}@q.test'"
    more = "UPDATE users SET name = 'x' WHERE id = 'y'"
    draft = parameterize(
        [statements(mail.format(n), mail.format(n), *[more] * (n == "a")) for n in "abc"],
        schema=shop_schema(),
        name="shop",
    )
    assert "capture 2 has no statement for s003" in read(draft)["alignment"]


def test_baskets_of_other_sizes_are_told(plain: RawDraft) -> None:
    assert read(plain)["repeats"]["checkout_items_0"]["counts"] == [3, 3, 2]


def test_a_limit_and_a_listed_word_that_differ_are_told() -> None:
    draft = parameterize(
        [
            statements(
                f"SELECT id FROM users WHERE email = '{n}x@q.test' LIMIT {n}",
                f"UPDATE users SET email = '{n}x@q.test' WHERE id = 'a{n}bcdefgh'",
            )
            for n in (4, 5, 7)
        ],
        schema=shop_schema(),
        name="shop",
    )
    (fixed,) = draft.explanation.fixed
    assert (fixed.kind, fixed.statement, fixed.literal) == ("structural", "s001", 2)


def test_two_captures_say_what_a_third_would_settle(salted: RawDraft) -> None:
    two = built("salted", 2)
    found = read(two)
    assert found["confidence"] == "two captures"
    assert any(
        line.startswith("users.locale (s031) is equal in both") for line in found["unsettled"]
    )
    assert "unsettled" not in read(salted)


def test_no_captured_value_stands_there_and_planted_ones_are_found(salted: RawDraft) -> None:
    captured = originals(salted)
    schema = paylater_schema()
    known = captured.beyond(vocabulary({n: list(t.columns) for n, t in schema.tables.items()}))
    text = text_of(salted)
    assert scan({"y": text}, known) == []
    some = max(known.values.values(), key=len)
    assert scan({"y": text + some}, known)
    assert len(known.values) > 0.9 * len(captured.values)


def test_a_persons_word_that_is_also_ours_is_no_leak() -> None:
    draft = parameterize(
        [
            capture(alone(f"INSERT INTO users (id, email, name) VALUES ('{i}', '{m}', '{w}')"))
            for i, m, w in (
                ("5f0c1c9e-8f0e-4c1b-9a51-0d7a3f2b6c11", "fj@q.test", "unique"),
                ("c2b7a6d4-1e53-4f7a-8c3d-6b1f9e0a2d47", "gk@q.test", "inserted"),
                ("91d3e8fa-6a2c-4b90-b7e4-f25c8d1a0e63", "hl@q.test", "different"),
            )
        ],
        schema=shop_schema(),
        name="shop",
    )
    text = text_of(draft)
    assert scan({"y": text}, originals(draft))
    assert scan({"y": text}, originals(draft).beyond(vocabulary({}))) == []


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z_]{4,}", text.lower()))


@pytest.mark.parametrize("which", ["salted", "plain"])
def test_our_words_are_all_known_to_the_scan(which: str) -> None:
    """Names, generators and expressions come from the workload, which is scanned as it stands."""
    draft = built(which, 2)
    ours = vocabulary(names_of(paylater_schema())).decode()
    found = read(draft)
    prose: list[str] = [str(found["funnel"]), *found["alignment"], *found["unsettled"]]
    for entry in (*found["variables"].values(), *found["dropped"].values()):
        prose += [entry["because"], entry["class"], *entry, *entry.get("evidence", ())]
        prose += [
            re.sub(r"@\S+|\S+\.\S+", "", s) for s in entry.get("evidence", {}).get("seen", ())
        ]
    used = words(" ".join(re.sub(r"@\S+|\S+\.\S+", "", p) for p in prose))
    assert used - words(ours) == set(), "add them to readiness.workload.explain.words"


def names_of(schema: Schema) -> dict[str, list[str]]:
    return {n: [*t.columns, *(i.name for i in t.indexes)] for n, t in schema.tables.items()}


def test_the_same_captures_give_the_same_bytes(salted: RawDraft) -> None:
    assert text_of(built("salted")) == text_of(salted)


def test_entries_are_in_the_order_of_their_names(reasons: dict[str, Any]) -> None:
    names = list(reasons["variables"])
    assert names == sorted(names, key=natural)
    assert natural("id_2") < natural("id_10")


def _paid(retry: bool, row: int) -> list[str]:
    declined = [f"INSERT INTO users (id, name) VALUES ('{row}', 'declined-{row}')"] if retry else []
    return [
        f"SELECT id FROM products WHERE sku = 'SKU-{row}'",
        *declined,
        f"INSERT INTO orders (shop_id, total_cents) VALUES (3, {row}99)",
        f"UPDATE orders SET note = 'x', total_cents = {row}99 WHERE shop_id = 3",
    ]


def test_what_only_a_later_capture_sent_is_named_by_its_table() -> None:
    captures = [statements(*_paid(retry, row)) for retry, row in ((False, 12), (True, 47))]
    found = parameterize(captures, schema=shop_schema(), name="order")
    assert "capture 2 has 1 statement that capture 1 has not, left out: insert of users" in (
        found.explanation.not_aligned
    )


def test_equal_values_of_two_columns_are_said_to_be_equal() -> None:
    """`orders.total_cents` is the same short number as another column's: no text is around it."""
    captures = [
        statements(
            f"INSERT INTO orders (note, total_cents) VALUES ('x', {cents})",
            f"UPDATE order_lines SET price_cents = {cents} WHERE quantity = 1",
            f"UPDATE orders SET total_cents = {cents} WHERE note = 'x'",
        )
        for cents in (1299, 845, 2110)
    ]
    found = parameterize(captures, schema=shop_schema(), name="order")
    reasons = {v.because for v in found.explanation.variables if v.kind == "derived"}
    assert reasons == {"equal to another value in every capture"}


def test_a_value_that_one_capture_has_is_not_said_to_differ() -> None:
    captures = [
        statements(*(f"SELECT id FROM products WHERE sku = 'SKU-{i}'" for i in basket))
        for basket in ((11,), (24, 35), (46, 57, 68))
    ]
    found = parameterize(captures, schema=shop_schema(), name="order")
    seen = [fact for v in found.explanation.variables for fact in v.facts if "seen in 1" in fact]
    assert seen == ["seen in 1 of 3 captures"]
